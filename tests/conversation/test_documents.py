"""An answer from documents is given as far as it is grounded as the tool asks, else snippets are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from toulmin.answering.answer import GroundingSupport
from toulmin.answering.passages import Passage
from toulmin.conversation.checking import CheckedText
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.documents import LONGEST_SNIPPET, MOST_SNIPPETS, answer_from_documents

STORE = {"dataStore": {"name": "projects/p/locations/l/dataStores/guides"}}


def ask(config=None, *, score=0.5, passages=1, modality="TEXT", skipped=False):
    """Return what the tool says where the answer has this mean support."""
    configs = [{"modalityType": modality, "groundingConfig": config}] if config else []
    tool = ToolSpec(
        name="a/tools/guide",
        display_name="guide",
        kind="dataStoreTool",
        body={"dataStoreSource": STORE, "modalityConfigs": configs},
    )
    references = tuple(Passage(text=f"{n} " + "x" * 2_000, title="Guide") for n in range(passages))
    answer = SimpleNamespace(
        skipped=skipped,
        text="Two years.",
        references=references,
        grounding_score=score,
        supports=(GroundingSupport(0, 10, score, needs_check=True),),
    )
    return answer_from_documents(
        tool,
        "How long is the guarantee?",
        answerer=SimpleNamespace(answer=lambda *_, **__: answer),
        data_stores_of=lambda _: (),
    )


@pytest.mark.parametrize(
    ("level", "score", "given"),
    [
        (1, 0.0, True),
        (2, 0.24, False),
        (2, 0.25, True),
        (3, 0.49, False),
        (3, 0.5, True),
        (4, 0.74, False),
        (4, 0.75, True),
        (5, 0.99, False),
        (5, 1.0, True),
    ],
)
def test_each_grounding_level_asks_for_its_share_of_support(level, score, given):
    found = ask({"groundingLevel": level}, score=score)
    assert (found.text == "Two years.") == given
    assert found.response["answer"] == ("Two years." if given else "")
    assert ("groundingLevel" in found.response) == given
    assert found.answered
    assert found.checked == (CheckedText("Two years.", (("Two years.", score),)) if given else None)


def test_what_is_not_grounded_enough_becomes_snippets_of_what_it_rests_on():
    found = ask({"groundingLevel": 5}, score=0.2, passages=7)
    texts = [snippet["text"] for snippet in found.response["snippets"]]
    assert len(texts) == MOST_SNIPPETS
    assert {len(text) for text in texts} == {LONGEST_SNIPPET}
    assert found.text == "\n\n".join(texts)
    assert len(found.facts) == 7
    assert [cited["requiresAttribution"] for cited in found.cited] == [True] * MOST_SNIPPETS


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"config": {"groundingLevel": 5, "disabled": True}},
        {"config": {"groundingLevel": 5}, "modality": "AUDIO"},
    ],
)
def test_a_level_that_is_not_asked_of_texts_holds_nothing_back(asked):
    assert ask(**asked, score=0.0).text == "Two years."


def test_an_answer_without_a_score_is_taken_as_not_grounded():
    assert ask({"groundingLevel": 2}, score=None).response["answer"] == ""


def test_no_answer_is_said_to_be_none():
    found = ask(skipped=True)
    assert not found.answered
    assert found.response == {"answer": "", "snippets": []}
