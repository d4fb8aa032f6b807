"""What every client must get from the server, whatever its language for asking is.

Used by the check.py of each client, inside that client's own virtual environment, so it needs
nothing but the standard library. A check.py turns its client's reply into a `Reply` and hands it
to `expect_example`. Each outcome is one JSON object on a line of standard output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "acceptance" / "data"
GUIDE: dict[str, Any] = json.loads((DATA / "guide.json").read_text(encoding="utf-8"))
CURL: dict[str, Any] = json.loads((DATA / "curl_bodies.json").read_text(encoding="utf-8"))
EXAMPLES: dict[str, dict[str, Any]] = {
    example["id"]: example for example in [*GUIDE["examples"], *GUIDE["translations"]]
}
CONFIG = "projects/demo/locations/global/groundingConfigs/default_grounding_config"


@dataclass(frozen=True)
class ReplyClaim:
    """One claim as a client sees it; positions are UTF-8 bytes; `required` None: not shown."""

    text: str
    start: int
    end: int
    citations: list[int]
    required: bool | None = None


@dataclass(frozen=True)
class Reply:
    """A reply as a client sees it; `sources` are fact indices, one for each cited chunk."""

    support: float
    claims: list[ReplyClaim]
    sources: list[int]
    chunks: list[str] = field(default_factory=list)


def run_checks(group: str, checks: Mapping[str, Callable[[], None]]) -> None:
    """Run each check and print its outcome."""
    for name, check in checks.items():
        detail = ""
        try:
            check()
        except Exception as error:  # noqa: BLE001 - whatever a client raises is an outcome
            detail = f"{type(error).__name__}: {error}"
        outcome = {"group": group, "check": name, "ok": not detail, "detail": detail[:2000]}
        print(json.dumps(outcome), flush=True)  # noqa: T201 - read by run.py


def expect(condition: object, message: object) -> None:
    """Raise AssertionError with the message unless the condition holds."""
    if not condition:
        raise AssertionError(str(message))


def expect_equal(found: object, wanted: object, what: str) -> None:
    """Raise AssertionError unless both are equal."""
    expect(found == wanted, f"{what}: {found!r}, expected {wanted!r}")


def expect_example(example_id: str, reply: Reply) -> None:
    """Raise AssertionError unless the reply is what the guide's example must give."""
    example = EXAMPLES[example_id]
    expect_equal(
        [(c.text, c.start, c.end) for c in reply.claims],
        [(c["text"], c["start_byte"], c["end_byte"]) for c in example["claims"]],
        "claims with byte positions",
    )
    used = {index for claim in reply.claims for index in claim.citations}
    expect_equal(used, set(range(len(reply.sources))), "indices of cited chunks")
    for claim, wanted in zip(reply.claims, example["claims"], strict=True):
        _expect_claim(claim, wanted, {reply.sources[index] for index in claim.citations})
    for source, chunk in zip(reply.sources, reply.chunks, strict=False):
        expect(chunk in GUIDE["facts"][source]["text"], f"not verbatim: {chunk!r}")
    if "support" in example:
        bounds = example["support"]
        low, high = bounds["min"], bounds.get("max", 1.0)
        expect(low <= reply.support <= high, f"support {reply.support} not in [{low}, {high}]")


def _expect_claim(claim: ReplyClaim, wanted: Mapping[str, Any], cited: set[int]) -> None:
    if claim.required is not None:
        expect_equal(claim.required, wanted["needs_check"], f"check required, {claim.text!r}")
    if "cites" in wanted:
        expect_equal(cited, set(wanted["cites"]), f"facts cited by {claim.text!r}")
    least = set(wanted.get("cites_at_least", []))
    expect(cited >= least, f"{claim.text!r} cites {cited}, at least {least} expected")


def expect_violation(fields: Iterable[str], wanted: str) -> None:
    """Raise AssertionError unless one of the field paths names the wanted field.

    `groundingSpec.citationThreshold` and `grounding_spec.citation_threshold` are the same path.
    """
    plain = [re.sub(r"[_\W]", "", path).lower() for path in fields]
    expect(any(wanted in path for path in plain), f"fields {plain}, expected {wanted!r}")


def expect_words(message: str, *words: object) -> None:
    """Raise AssertionError unless the message has all the words; commas do not matter."""
    plain = message.replace(",", "")
    for word in words:
        expect(str(word) in plain, f"{word!r} not in the message {message!r}")
