"""The nine request bodies of the guide, byte for byte as it prints them, placeholders filled in."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from checks import (
    CURL,
    Reply,
    ReplyClaim,
    expect,
    expect_equal,
    expect_example,
    expect_words,
    run_checks,
)

VERSIONS = ("v1", "v1beta", "v1alpha")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with the guide's placeholders replaced, the longest names first."""
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(name, values[name])
    return text


def post(path: str, body: str) -> tuple[int, dict[str, Any]]:
    """Return HTTP status and parsed body, as curl would show them."""
    request = urllib.request.Request(
        f"http://{os.environ['CLIENT_HTTP']}{path}",
        data=body.encode(),
        headers={
            "Authorization": "Bearer any",
            "Content-Type": "application/json",
            "X-Goog-User-Project": "demo",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def is_a_report(reply: dict[str, Any]) -> None:
    """Every answer has a support score and claims."""
    expect(0 <= reply["supportScore"] <= 1, reply)
    expect(reply["claims"], reply)


def is_example_a2(reply: dict[str, Any]) -> None:
    """The sample with CANDIDATE of the guide is its example A2."""
    is_a_report(reply)
    chunks = reply.get("citedChunks", [])
    claims = [
        ReplyClaim(
            claim["claimText"],
            claim.get("startPos", 0),
            claim["endPos"],
            claim.get("citationIndices", []),
            claim["groundingCheckRequired"],
        )
        for claim in reply["claims"]
    ]
    sources = [int(chunk["source"]) for chunk in chunks]
    texts = [chunk["chunkText"] for chunk in chunks]
    expect_example("A2", Reply(reply["supportScore"], claims, sources, texts))


def has_contradiction(reply: dict[str, Any]) -> None:
    """Anti-citations were asked for."""
    is_a_report(reply)
    expect(0 <= reply["contradictionScore"] <= 1, reply)


def sample_has_little_contradiction(reply: dict[str, Any]) -> None:
    """Anti-citations were asked for, and nothing in the candidate is wrong."""
    is_example_a2(reply)
    expect(reply["contradictionScore"] <= 0.1, reply["contradictionScore"])


def has_helpfulness(reply: dict[str, Any]) -> None:
    """The helpfulness score was asked for."""
    is_a_report(reply)
    expect(0 < reply["helpfulnessScore"] <= 1, reply)


def has_claim_scores(reply: dict[str, Any]) -> None:
    """Claim scores were asked for, one with the string "true"."""
    is_a_report(reply)
    expect(all("score" in claim for claim in reply["claims"]), reply)


EXPECTED: dict[str, Callable[[dict[str, Any]], None]] = {
    "support_template": is_a_report,
    "support_sample": is_example_a2,
    "contradiction_template": has_contradiction,
    "contradiction_sample": sample_has_little_contradiction,
    "helpfulness_template": has_helpfulness,
    "helpfulness_sample": has_helpfulness,
    "claim_scores_template": has_claim_scores,
    "claim_scores_sample": has_claim_scores,
}


def answered(path: str, body: str, expectation: Callable[[dict[str, Any]], None]) -> None:
    """The body is answered with 200 and what it asks for."""
    status, reply = post(path, body)
    expect_equal(status, 200, f"status of {reply}")
    expectation(reply)


def search_source(path: str, body: str) -> None:
    """Facts from a data store: not built yet, and it says so."""
    status, reply = post(path, body)
    expect_equal(status, 501, f"status of {reply}")
    expect_equal(reply["error"]["status"], "UNIMPLEMENTED", "status")
    expect_words(reply["error"]["message"].lower(), "source")


def main() -> None:
    """Send every body to its own path and to that of the other versions."""
    for version in VERSIONS:
        checks = {}
        for row in CURL["bodies"]:
            path = fill(row["path"], CURL["values"])
            path = f"/{version}/{path.split('/', 2)[2]}"
            body = fill(row["body"], CURL["values"])
            if row["name"] in EXPECTED:
                checks[row["name"]] = partial(answered, path, body, EXPECTED[row["name"]])
            else:
                checks[row["name"]] = partial(search_source, path, body)
        run_checks(f"{version}-curl", checks)


if __name__ == "__main__":
    main()
