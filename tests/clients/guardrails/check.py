"""`toulmin.integrations.guardrails` in a Guard of Guardrails AI, against a running server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from guardrails import Guard
from guardrails.errors import ValidationError

from toulmin.integrations.guardrails import Grounded

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."
FACTS = {"facts": [samples.TEXT]}


def what_is_grounded_passes() -> None:
    said = Guard().use(Grounded(SERVER, on_fail="exception")).validate(TRUE, metadata=FACTS)
    expect(said.validation_passed, said)
    expect_equal(said.validated_output, TRUE, "output")


def what_is_not_raises() -> None:
    try:
        Guard().use(Grounded(SERVER, on_fail="exception")).validate(
            f"{TRUE} {FALSE}", metadata=FACTS
        )
    except ValidationError as error:
        expect(FALSE in str(error) and TRUE not in str(error), error)
    else:
        raise AssertionError("a false sentence passed")


def it_is_fixed() -> None:
    guard = Guard().use(Grounded(SERVER, on_fail="fix"))
    said = guard.validate(f"{TRUE} {FALSE} {TRUE}", metadata=FACTS)
    expect_equal(said.validated_output, f"{TRUE} {TRUE}", "output")
    (summary,) = said.validation_summaries
    (span,) = summary.error_spans
    expect_equal((f"{TRUE} {FALSE}")[span.start : span.end], FALSE, "span")


def without_facts_nothing_passes() -> None:
    for metadata in ({}, {"facts": []}, {"facts": ""}):
        try:
            said = Guard().use(Grounded(SERVER)).validate(TRUE, metadata=metadata)
        except Exception as error:  # noqa: BLE001 - Guardrails' own kind where the key is missing
            expect("facts" in str(error), error)
        else:
            raise AssertionError(f"there was nothing to check by: {said}")


def a_server_that_is_not_there_is_said() -> None:
    try:
        Guard().use(Grounded("http://127.0.0.1:9")).validate(TRUE, metadata=FACTS)
    except Exception as error:  # noqa: BLE001 - of whatever kind Guardrails makes of it
        expect("127.0.0.1:9" in str(error), error)
    else:
        raise AssertionError("nobody checked, and it passed")


def the_pages_example_runs() -> None:
    said = samples.run_example("guardrails", SERVER, "")
    expect("312" in said and "450" not in said, said)


if __name__ == "__main__":
    run_checks(
        "native",
        {
            "validator: grounded": what_is_grounded_passes,
            "validator: not grounded": what_is_not_raises,
            "validator: fix": it_is_fixed,
            "validator: nothing to check by": without_facts_nothing_passes,
            "validator: no server": a_server_that_is_not_there_is_said,
            "example": the_pages_example_runs,
        },
    )
