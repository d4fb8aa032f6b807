"""`toulmin ask`: a question in, an answer out, each sentence with the numbers of its sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from toulmin.cli import search
from toulmin.cli.access import Api, add_place_flags, opened_api
from toulmin.cli.answer_view import Told, related_lines, source_lines, why_not
from toulmin.cli.search import owners_of
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import Paint, Wrapper, line_width, print_json, wants_color, wrapped
from toulmin.errors import InvalidArgument, NotFound

ANSWERED = 0
NOT_ANSWERED = 1

SETTING_NAMES: Final = (
    *search.SETTING_NAMES,
    "answer_model",
    "llm_base_url",
    "llm_model",
    "llm_api_key",
    "fallback_answer",
    "blocked_phrases",
)
NEW_SESSION: Final = "-"
_PASSAGES: Final = 10
_MOST_PASSAGES: Final = 25
_SESSION_VERSION: Final = "v1beta"  # v1 lets nobody choose the id of a session

_EPILOG = """\
Behind each sentence stand the numbers of its sources; "(not supported)" marks a sentence that no
source bears out. Without --server the data folder is opened by this command, which a running
server prevents.

exit codes:
  0  the question was answered
  1  it was not; the reason is said
  2  the input is wrong

examples:
  toulmin ask "When was the Eiffel Tower finished?" --store sample
  toulmin ask "And how high is it?" --store sample --session towers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("question", metavar="QUESTION", help="what you want to know")
    add_answer_flags(parser)
    parser.add_argument("--json", action="store_true", help="print the API's AnswerQueryResponse")
    parser.add_argument(
        "--no-stream", action="store_true", help="print the answer when all of it is there"
    )
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def add_answer_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say what is asked and how it is answered."""
    parser.add_argument(
        "--store", action="append", metavar="ID",
        help="data store to ask; may be given several times (default: default)",
    )  # fmt: skip
    parser.add_argument("--engine", metavar="ID", help="ask this engine instead")
    parser.add_argument(
        "--session", metavar="ID",
        help="conversation that this belongs to; it is begun when it is not there",
    )  # fmt: skip
    parser.add_argument(
        "--filter", default="", metavar="F", help="the API's filter expression over the data"
    )
    parser.add_argument(
        "--limit", type=int, default=_PASSAGES, metavar="N",
        help=f"most passages to read, at most {_MOST_PASSAGES} (default: {_PASSAGES})",
    )  # fmt: skip
    parser.add_argument(
        "--language",
        default="",
        metavar="CODE",
        help="of the answer, such as de (default: as asked)",
    )
    parser.add_argument(
        "--preamble", default="", metavar="TEXT", help="instructions for the language model, if any"
    )
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="(default: auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask, print, and return the exit code.

    Raises:
        ToulminError: A flag is wrong, the data store is not there, the folder is in use.
    """
    settings = settings_from(arguments)
    owners = owners_of(arguments)
    check_limit(arguments)
    if not arguments.question.strip():
        raise InvalidArgument.of_field("QUESTION", "is empty")
    if len(owners) > 1 and arguments.session:
        raise InvalidArgument.of_field("--session", "is for one data store or an engine")
    with opened_api(arguments, settings) as api:
        body = request_body(arguments, arguments.question)
        if arguments.session:
            body["session"] = opened_session(api, owners[0], arguments.session)
        if len(owners) > 1:
            body["searchSpec"] = _found_in(api, owners, arguments)
        if arguments.json:
            return _print_json(api.call("POST", method(owners[0], "answer"), body))
        paint = Paint(wants_color(arguments.color, sys.stdout))
        told = tell(api, owners[0], body, paint, stream=not arguments.no_stream)
    print("\n".join(after(told, paint)))
    return ANSWERED if told.is_answer else NOT_ANSWERED


def check_limit(arguments: argparse.Namespace) -> None:
    """Raise unless `--limit` is one that the API takes.

    Raises:
        InvalidArgument: It is not.
    """
    if not 1 <= arguments.limit <= _MOST_PASSAGES:
        raise InvalidArgument.of_field(
            "--limit", f"is {arguments.limit}; it must be from 1 to {_MOST_PASSAGES}"
        )


def request_body(arguments: argparse.Namespace, question: str) -> dict[str, Any]:
    """Return the `AnswerQueryRequest` that the flags ask for, without session."""
    params: dict[str, Any] = {"searchResultMode": "CHUNKS", "maxReturnResults": arguments.limit}
    if arguments.filter:
        params["filter"] = arguments.filter
    spec: dict[str, Any] = {"includeCitations": True}
    if arguments.language:
        spec["answerLanguageCode"] = arguments.language
    if arguments.preamble:
        spec["promptSpec"] = {"preamble": arguments.preamble}
    return {
        "query": {"text": question},
        "searchSpec": {"searchParams": params},
        "answerGenerationSpec": spec,
        "groundingSpec": {"includeGroundingSupports": True},
        "relatedQuestionsSpec": {"enable": True},
    }


def method(owner: str, name: str) -> str:
    """Return the path of a method of a data store's or engine's serving config."""
    return f"{owner}/servingConfigs/default_search:{name}"


def opened_session(api: Api, owner: str, id_: str) -> str:
    """Return the name of a session, which is made when it is not there; "-" stays as it is.

    Raises:
        InvalidArgument: `id_` is not one that a session can have.
        NotFound: The data store or engine is not there.
    """
    from toulmin.apis.discoveryengine.names import check_id

    if id_ == NEW_SESSION:
        return f"{owner}/sessions/{id_}"
    name = f"{owner}/sessions/{check_id(id_, field='--session')}"
    try:
        api.call("GET", name)
    except NotFound:
        query = {"sessionId": id_}
        api.call("POST", f"{owner}/sessions", {}, query, version=_SESSION_VERSION)
    return name


def tell(
    api: Api, owner: str, body: Mapping[str, Any], paint: Paint, *, stream: bool = True
) -> Told:
    """Print an answer, sentence by sentence as they come, and return it.

    Raises:
        ToulminError: As the API answers.
        Unavailable: The answer was cut off; what came of it is printed.
    """
    told, wrapper = Told(), Wrapper(line_width())
    with closing(_parts(api, owner, body, stream=stream)) as parts:
        try:
            for part in parts:
                sys.stdout.write(wrapper.add(told.add(part, paint)))
                sys.stdout.flush()
            told.end()
        finally:
            if told.text and not told.skipped:
                print(flush=True)
    return told


def _parts(
    api: Api, owner: str, body: Mapping[str, Any], *, stream: bool
) -> Generator[dict[str, Any], None, None]:
    if stream:
        yield from api.stream(method(owner, "streamAnswer"), body)
    else:
        yield api.call("POST", method(owner, "answer"), body)


def after(told: Told, paint: Paint) -> Iterator[str]:
    """Yield the lines below an answer: sources, or why there is none, and related questions."""
    if told.skipped:
        yield from wrapped(paint("33", why_not(told.skipped)))
    elif told.references:
        yield ""
        yield from source_lines(told, paint)
    if told.related:
        yield ""
        yield from related_lines(told, paint)


def _print_json(response: Mapping[str, Any]) -> int:
    print_json(response)
    answer = response.get("answer", {})
    given = answer.get("state") == "SUCCEEDED" and not answer.get("answerSkippedReasons")
    return ANSWERED if given else NOT_ANSWERED


def _found_in(api: Api, owners: Sequence[str], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the chunks that several data stores have on a question, as what is to be read."""
    asked = {
        "query": arguments.question,
        "pageSize": arguments.limit,
        "filter": arguments.filter,
        "contentSearchSpec": {"searchResultMode": "CHUNKS"},
        "relevanceScoreSpec": {"returnRelevanceScore": True},
    }
    responses = [api.call("POST", method(owner, "search"), asked) for owner in owners]
    best = search.merged(responses, arguments.limit)["results"]
    chunks = [result["chunk"] for result in best]
    return {"searchResultList": {"searchResults": [{"chunkInfo": _given(it)} for it in chunks]}}


def _given(chunk: Mapping[str, Any]) -> dict[str, Any]:
    metadata = chunk.get("documentMetadata", {})
    kept = {key: metadata[key] for key in ("uri", "title") if key in metadata}
    return {
        "chunk": chunk.get("name", ""),
        "content": chunk.get("content", ""),
        "documentMetadata": kept,
    }
