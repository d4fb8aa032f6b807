"""The nine request bodies of the guide, byte for byte as it prints them, placeholders filled in.

The engine whose documents the last of them checks against is made first, with plain requests.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from checks import (
    CURL,
    GUIDE,
    Reply,
    ReplyClaim,
    expect,
    expect_equal,
    expect_example,
    run_checks,
)

VERSIONS = ("v1", "v1beta", "v1alpha")
SOURCE_PROJECT, APP = "source", "films"
VALUES = CURL["values"] | {"SOURCE_PROJECT_ID": SOURCE_PROJECT, "APP_ID": APP}
COLLECTION = f"projects/{SOURCE_PROJECT}/locations/global/collections/default_collection"


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with the guide's placeholders replaced, the longest names first."""
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(name, values[name])
    return text


def post(path: str, body: str | None) -> tuple[int, dict[str, Any]]:
    """Return HTTP status and parsed body, as curl would show them; without a body it is a GET."""
    request = urllib.request.Request(
        f"http://{os.environ['CLIENT_HTTP']}{path}",
        data=None if body is None else body.encode(),
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


def answered(path: str, body: str, expectation: Callable[[dict[str, Any]], None]) -> None:
    """The body is answered with 200 and what it asks for."""
    status, reply = post(path, body)
    expect_equal(status, 200, f"status of {reply}")
    expectation(reply)


def make_app() -> None:
    """Make an engine over a data store that has the guide's first fact as a document."""
    store = f"{COLLECTION}/dataStores/{APP}"
    document = {
        "id": "titanic",
        "structData": {"title": "Titanic", "body": GUIDE["facts"][0]["text"]},
    }
    for path, body in (
        (f"{COLLECTION}/dataStores?dataStoreId={APP}", {"displayName": "Films"}),
        (
            f"{store}/branches/0/documents:import",
            {"inlineSource": {"documents": [document]}},
        ),
        (
            f"{COLLECTION}/engines?engineId={APP}",
            {
                "displayName": "Films",
                "solutionType": "SOLUTION_TYPE_SEARCH",
                "dataStoreIds": [APP],
            },
        ),
    ):
        status, operation = post(f"/v1/{path}", json.dumps(body))
        expect_equal(status, 200, f"status of {operation}")
        wait_for(operation)


def wait_for(operation: dict[str, Any]) -> None:
    """Ask for an operation until it is done."""
    deadline = time.monotonic() + 60
    while not operation.get("done"):
        expect(time.monotonic() < deadline, f"not done in time: {operation}")
        time.sleep(0.1)
        status, operation = post(f"/v1/{operation['name']}", None)
        expect_equal(status, 200, f"status of {operation}")
    expect("error" not in operation, operation)


def is_borne_out_by_documents(reply: dict[str, Any]) -> None:
    """Facts come from the data stores of the engine, and citations say which chunk."""
    is_a_report(reply)
    expect(reply["supportScore"] >= 0.8, reply)
    store = f"{COLLECTION}/dataStores/{APP}"
    wanted = f"{store}/branches/0/documents/titanic/chunks/c1"
    expect(all(chunk["source"] == wanted for chunk in reply["citedChunks"]), reply)


EXPECTED: dict[str, Callable[[dict[str, Any]], None]] = {
    "support_template": is_a_report,
    "support_sample": is_example_a2,
    "contradiction_template": has_contradiction,
    "contradiction_sample": sample_has_little_contradiction,
    "helpfulness_template": has_helpfulness,
    "helpfulness_sample": has_helpfulness,
    "claim_scores_template": has_claim_scores,
    "claim_scores_sample": has_claim_scores,
    "search_source": is_borne_out_by_documents,
}


def main() -> None:
    """Send every body to its own path and to that of the other versions."""
    run_checks("app", {"make the app of the search source": make_app})
    for version in VERSIONS:
        checks = {}
        for row in CURL["bodies"]:
            path = fill(row["path"], VALUES)
            path = f"/{version}/{path.split('/', 2)[2]}"
            body = fill(row["body"], VALUES)
            checks[row["name"]] = partial(answered, path, body, EXPECTED[row["name"]])
        run_checks(f"{version}-curl", checks)


if __name__ == "__main__":
    main()
