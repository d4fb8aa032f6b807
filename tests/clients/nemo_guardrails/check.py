"""`toulmin.integrations.nemo_guardrails` in rails of NeMo Guardrails, against a running server.

The model is NeMo's own fake, which says what it is told to and keeps what it was asked.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))
os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "true"

import samples
from checks import expect, expect_equal, run_checks
from nemoguardrails import LLMRails, RailsConfig
from nemoguardrails.exceptions import StreamingNotSupportedError
from nemoguardrails.testing import FakeLLMModel

from toulmin.integrations.nemo_guardrails import GroundingRail

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "nemo-native"
QUESTION = {"role": "user", "content": "When did the Elbe Bridge open?"}
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."
BOTH = f"{TRUE} {FALSE}"
REFUSAL, ERROR = "I do not know.", "I'm sorry, an internal error has occurred."
CASES = ((TRUE, TRUE), (BOTH, REFUSAL))
COLANG_2 = """
import core
import guardrails

flow main
  activate answering

flow answering
  user said something
  bot say "{said}"

flow input rails $input_text
  toulmin find passages

flow output rails $output_text
  toulmin check grounding
"""


class Model(FakeLLMModel):
    """Says one thing, and keeps the prompts."""

    def __init__(self, said: str) -> None:
        super().__init__(responses=[said])
        self.prompts: list[str] = []

    async def generate_async(self, prompt: Any, **options: Any) -> Any:
        self.prompts.append(str(prompt))
        return await super().generate_async(prompt, **options)


def page(name: str) -> str:
    """Return one of the page's files, for this server and data store."""
    return samples.example(f"nemo-{name}", SERVER, STORE)


def answer(said: str, *messages: Mapping[str, Any], **options: Any) -> str:
    """Return what the bot says at last if its model says `said`."""
    return str(rails(Model(said), **options).generate(messages=[*messages, QUESTION])["content"])


def rails(
    model: Model | None,
    *,
    rail: GroundingRail | None = None,
    finds: bool = True,
    output: str = "",
) -> LLMRails:
    """Return rails of the page's Colang, with a rail of one's own."""
    searched = "input: {flows: [toulmin find passages]}" if finds else ""
    yaml = f"rails:\n  {searched}\n  output: {{flows: [toulmin check grounding]{output}}}\n"
    app = LLMRails(RailsConfig.from_content(page("colang"), f"models: []\n{yaml}"), llm=model)
    (rail or GroundingRail(SERVER, store=STORE)).register(app)
    return app


def brought(*chunks: str) -> dict[str, Any]:
    """Return the message by which an application brings its own passages."""
    return {"role": "context", "content": {"relevant_chunks": "\n".join(chunks)}}


def the_pages_configuration_runs() -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "config.yml").write_text(page("yaml"))
    (folder / "config.py").write_text(page("python"))
    (folder / "grounding.co").write_text(page("colang"))
    for said, wanted in CASES:
        model = Model(said)
        app = LLMRails(RailsConfig.from_path(str(folder)), llm=model)
        found = app.generate(messages=[QUESTION], options={"output_vars": ["checked"]})
        expect_equal(found.response[0]["content"], wanted, "reply")
        expect(samples.TEXT in model.prompts[0], f"the model was not shown it: {model.prompts}")
        reason = found.output_data["checked"].reason or ""
        expect_equal(FALSE in reason, FALSE in said, f"reason {reason!r}")


def what_states_nothing_passes() -> None:
    expect_equal(answer("Hello! What can I do for you?"), "Hello! What can I do for you?", "reply")


def an_application_brings_passages() -> None:
    for said, wanted in CASES:
        expect_equal(answer(said, brought(samples.TEXT), finds=False), wanted, "reply")


def without_passages_nothing_passes() -> None:
    expect_equal(answer(TRUE, finds=False), REFUSAL, "reply")


def rails_in_parallel() -> None:
    for said, wanted in CASES:
        expect_equal(answer(said, output=", parallel: true"), wanted, "reply")


def colang_2() -> None:
    for said, wanted in CASES:
        colang = COLANG_2.format(said=said) + page("colang-2")
        config = RailsConfig.from_content(colang, 'colang_version: "2.x"\nmodels: []\n')
        app = LLMRails(config)
        GroundingRail(SERVER, store=STORE).register(app)
        expect_equal(app.generate(messages=[QUESTION])["content"], wanted, "reply")


def what_cannot_be_checked_is_not_said() -> None:
    logging.disable(logging.CRITICAL)  # NeMo writes every error with its traceback
    try:
        nobody = GroundingRail("http://127.0.0.1:9")
        said = answer(TRUE, brought(samples.TEXT), rail=nobody, finds=False)
        expect_equal(said, ERROR, "no server")
        said = answer(TRUE, rail=GroundingRail(SERVER, store="nowhere"))
        expect_equal(said, ERROR, "no such data store")
        said = answer(TRUE, rail=GroundingRail(SERVER))
        expect_equal(said, ERROR, "none named")
    finally:
        logging.disable(logging.NOTSET)


def a_stream_is_refused() -> None:
    try:
        rails(Model(TRUE)).stream_async(messages=[QUESTION])
    except StreamingNotSupportedError:
        return
    raise AssertionError("a stream began before its text was checked")


if __name__ == "__main__":
    samples.fill(SERVER, STORE)
    run_checks(
        "native",
        {
            "example": the_pages_configuration_runs,
            "rail: nothing stated": what_states_nothing_passes,
            "rail: the application's passages": an_application_brings_passages,
            "rail: no passages": without_passages_nothing_passes,
            "rail: in parallel": rails_in_parallel,
            "rail: Colang 2": colang_2,
            "rail: not to be checked": what_cannot_be_checked_is_not_said,
            "rail: stream": a_stream_is_refused,
        },
    )
