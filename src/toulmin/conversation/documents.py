"""A data-store tool: a question answered from documents, with what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.answering.answer import Answer
from toulmin.answering.passages import Passage
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Exchange, Question
from toulmin.conversation.checking import CheckedText
from toulmin.conversation.definition import ToolSpec
from toulmin.domain import JsonObject
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.work import UNLIMITED, Work

MOST_SNIPPETS: Final = 5
LONGEST_SNIPPET: Final = 1_000
_LOWEST_LEVEL, _LEVELS = 1.0, 4.0  # a grounding level is in [1, 5]
_NOTHING: Final = "I found nothing about that in the documents."


@dataclass(frozen=True, slots=True)
class Found:
    """What documents say to a question.

    Attributes:
        text: The answer, or snippets where it is not well enough grounded.
        response: What the tool returns.
        cited: The API's `Citations.CitedChunk`s as JSON.
        answered: Whether the documents hold an answer.
        facts: Whole texts of the passages that bear the text out.
        checked: What the text states with the support that it was found to have, if it was checked.
    """

    text: str
    response: JsonObject
    cited: tuple[JsonObject, ...]
    answered: bool
    facts: tuple[str, ...] = ()
    checked: CheckedText | None = None


def answer_from_documents(
    tool: ToolSpec,
    query: str,
    *,
    answerer: Answerer,
    data_stores_of: Callable[[str], tuple[str, ...]],
    history: Sequence[Exchange] = (),
    work: Work = UNLIMITED,
) -> Found:
    """Return what a data-store tool says to a question.

    An answer that is less well grounded than the tool's grounding level asks for is replaced by
    snippets of the passages it was made from.

    Raises:
        NotFound: A data store or the engine is not there.
        InvalidArgument: The tool's filter cannot be read.
        Cancelled: Nobody waits any more.
    """
    answer = answerer.answer(
        Question(
            text=query,
            history=tuple(history),
            search=SearchQuery(scopes=_scopes(tool.body, data_stores_of), text=query),
            with_citations=True,
            with_supports=True,
        ),
        work=work.part(),
    )
    if answer.skipped:
        return Found(_NOTHING, {"answer": "", "snippets": []}, (), answered=False)
    passages = answer.references[:MOST_SNIPPETS]
    snippets = [_snippet(passage) for passage in passages]
    facts = tuple(passage.text for passage in answer.references)
    score = answer.grounding_score
    level = _LOWEST_LEVEL + _LEVELS * (score if score is not None else 0.0)
    if level < _needed_level(tool.body):
        text = "\n\n".join(item["text"] for item in snippets)
        return Found(
            text, {"answer": "", "snippets": snippets}, _cited(snippets), answered=True, facts=facts
        )
    response = {"answer": answer.text, "groundingLevel": round(level, 2), "snippets": snippets}
    return Found(
        answer.text,
        response,
        _cited(snippets),
        answered=True,
        facts=facts,
        checked=_checked(answer),
    )


def _checked(answer: Answer) -> CheckedText | None:
    if not answer.supports:
        return None
    claims = (
        (answer.text[claim.start : claim.end], claim.score)
        for claim in answer.supports
        if claim.score is not None
    )
    return CheckedText(answer.text, tuple(claims))


def _scopes(
    body: JsonObject, data_stores_of: Callable[[str], tuple[str, ...]]
) -> tuple[Scope, ...]:
    source = body.get("dataStoreSource")
    if source is not None:
        return (_scope(source),)
    engine = body.get("engineSource", {})
    chosen = engine.get("dataStoreSources", ())
    if chosen:
        return tuple(_scope(item, engine.get("filter", "")) for item in chosen)
    predicate = parse_filter(engine.get("filter", ""), field="engine_source.filter")
    names = data_stores_of(str(engine.get("engine", "")))
    return tuple(Scope(data_store=name, filter=predicate) for name in names)


def _scope(source: JsonObject, shared_filter: str = "") -> Scope:
    name = str(source.get("dataStore", {}).get("name", ""))
    if "/collections/" not in name:
        name = name.replace("/dataStores/", "/collections/default_collection/dataStores/", 1)
    text = str(source.get("filter") or shared_filter)
    return Scope(data_store=name, filter=parse_filter(text, field="data_store_source.filter"))


def _needed_level(body: JsonObject) -> float:
    for config in body.get("modalityConfigs", ()):
        grounding = config.get("groundingConfig", {})
        if config.get("modalityType", "TEXT") == "TEXT" and not grounding.get("disabled"):
            return float(grounding.get("groundingLevel", 0.0))
    return 0.0


def _snippet(passage: Passage) -> dict[str, Any]:
    found = {
        "title": passage.title,
        "uri": passage.uri or passage.document,
        "text": passage.text[:LONGEST_SNIPPET],
    }
    return {name: text for name, text in found.items() if text}


def _cited(snippets: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
    return tuple({**item, "requiresAttribution": True} for item in snippets)
