"""`toulmin search`: what do the documents say about this?"""

from __future__ import annotations

import argparse
import html
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from toulmin.cli.access import Api, add_place_flags, collection_of, opened_api, store_name
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import Paint, print_json, printable, wants_color, wrapped
from toulmin.errors import InvalidArgument

FOUND = 0
NOTHING_FOUND = 1

SETTING_NAMES: Final = (
    "data_dir",
    "database_url",
    "api_keys",
    "api_keys_file",
    "port",
    "model_threads",
    "embedder",
)
_MOST_RESULTS: Final = 100
_LEAST_RELEVANCE: Final = 0.02
"""What is less likely to be meant is not found: of a few documents one is always nearest."""
_INDENT: Final = "    "
_CHUNK_CHARS: Final = 400
_BOLD = re.compile(r"<b>(.*?)</b>", re.DOTALL)

_EPILOG = """\
Without --server the data folder is opened by this command, which a running server prevents.
Several --store are asked one after the other, and their results merged by relevance.

exit codes:
  0  something was found
  1  nothing was
  2  the input is wrong

examples:
  toulmin search "How is the cross-encoder calibrated?" --store sample
  toulmin search battery --chunks --filter 'year >= 2020' --limit 3 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("query", metavar="QUERY", help="a question or words")
    parser.add_argument(
        "--store", action="append", metavar="ID",
        help="data store to search; may be given several times (default: default)",
    )  # fmt: skip
    parser.add_argument("--engine", metavar="ID", help="search this engine instead")
    parser.add_argument(
        "--filter", default="", metavar="F", help="the API's filter expression over the data"
    )
    parser.add_argument("--order-by", default="", metavar="O", help='fields, as in "year desc"')
    parser.add_argument("--chunks", action="store_true", help="find chunks instead of documents")
    parser.add_argument(
        "--limit", type=int, default=10, metavar="N", help="most results (default: 10)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the API's SearchResponse instead"
    )
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="(default: auto)"
    )
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Search, print, and return the exit code.

    Raises:
        ToulminError: A flag is wrong, the data store is not there, the folder is in use.
    """
    settings = settings_from(arguments)
    owners = owners_of(arguments)
    if not 1 <= arguments.limit <= _MOST_RESULTS:
        raise InvalidArgument.of_field(
            "--limit", f"is {arguments.limit}; it must be from 1 to {_MOST_RESULTS}"
        )
    if len(owners) > 1 and arguments.order_by:
        raise InvalidArgument.of_field("--order-by", "is for one data store or an engine")
    body = request_body(arguments)
    with opened_api(arguments, settings) as api:
        responses = [_search(api, owner, body) for owner in owners]
    response = responses[0] if len(responses) == 1 else merged(responses, arguments.limit)
    nearest = max(map(relevance_of, response.get("results", [])), default=None)
    if arguments.query.strip():
        response = relevant(response)
    if arguments.json:
        print_json(response)
    else:
        paint = Paint(wants_color(arguments.color, sys.stdout))
        print("\n".join(describe(response, paint, nearest=nearest)))
    return FOUND if response.get("results") else NOTHING_FOUND


def owners_of(arguments: argparse.Namespace) -> list[str]:
    """Return the names of the data stores, or of the engine, that the flags say.

    Raises:
        InvalidArgument: Both are given, or an id is none.
    """
    collection = collection_of(arguments)
    if arguments.engine is not None:
        if arguments.store:
            raise InvalidArgument.of_field("--engine", "is given with --store; choose one")
        from toulmin.apis.discoveryengine.names import check_id

        return [f"{collection}/engines/{check_id(arguments.engine, field='--engine')}"]
    ids = list(dict.fromkeys(arguments.store or ["default"]))
    return [store_name(collection, id_) for id_ in ids]


def request_body(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the `SearchRequest` that the flags ask for."""
    shown: dict[str, Any] = {"searchResultMode": "CHUNKS"}
    if not arguments.chunks:
        shown = {
            "snippetSpec": {"returnSnippet": True},
            "extractiveContentSpec": {
                "maxExtractiveAnswerCount": 1,
                "maxExtractiveSegmentCount": 1,
            },
        }
    body = {
        "query": arguments.query,
        "pageSize": arguments.limit,
        "contentSearchSpec": shown,
        "relevanceScoreSpec": {"returnRelevanceScore": True},
    }
    if arguments.filter:
        body["filter"] = arguments.filter
    if arguments.order_by:
        body["orderBy"] = arguments.order_by
    return body


def _search(api: Api, owner: str, body: Mapping[str, Any]) -> dict[str, Any]:
    return api.call("POST", f"{owner}/servingConfigs/default_search:search", body)


def merged(responses: Sequence[Mapping[str, Any]], limit: int) -> dict[str, Any]:
    """Return one response of several: their best results by relevance, and the sum of sizes."""
    results = [item for response in responses for item in response.get("results", [])]
    results.sort(key=relevance_of, reverse=True)
    return {
        "results": results[:limit],
        "totalSize": sum(response.get("totalSize", 0) for response in responses),
    }


def relevant(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return a response without the results that are only the nearest there are."""
    results = response.get("results", [])
    kept = [item for item in results if relevance_of(item) >= _LEAST_RELEVANCE]
    if len(kept) == len(results):
        return dict(response)
    return {**response, "results": kept, "totalSize": len(kept)}


def relevance_of(result: Mapping[str, Any]) -> float:
    """Return the relevance score of a result, 0 when it has none."""
    values = result.get("modelScores", {}).get("relevance_score", {}).get("values", [])
    return float(values[0]) if values else 0.0


def describe(
    response: Mapping[str, Any], paint: Paint, *, nearest: float | None = None
) -> Iterator[str]:
    """Yield the lines of a response for a person.

    Args:
        response: What is shown.
        paint: How it is coloured.
        nearest: Relevance of the best result before any was left out; None: there was none.
    """
    if corrected := response.get("correctedQuery"):
        yield paint("2", f"searched for: {printable(corrected)}")
        yield ""
    results = response.get("results", [])
    for number, result in enumerate(results, 1):
        lines = _chunk(result["chunk"], paint) if "chunk" in result else _document(result, paint)
        title, *rest = lines
        score = paint("2", f"{relevance_of(result):.2f}")
        yield from wrapped(f"{number:>2}. {paint('1', printable(title))}  {score}", _INDENT)
        for line in rest:
            yield from wrapped(_INDENT + line, _INDENT)
        yield ""
    total = response.get("totalSize", 0)
    noun = "result" if total == 1 else "results"
    if results:
        yield f"{len(results):,} of {total:,} {noun}"
    elif nearest is None:
        yield "nothing found"
    else:
        # Shown to four places, what is left out never looks like what is not.
        yield (
            f"nothing found: the nearest has a relevance of {nearest:.4f}, and less than"
            f" {_LEAST_RELEVANCE:.2f} is not shown"
        )


def _document(result: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield title, place, and the words that tell why it was found."""
    document = result.get("document", {})
    derived = document.get("derivedStructData", {})
    yield str(derived.get("title") or document.get("id", ""))
    passages = [*derived.get("extractive_answers", []), *derived.get("extractive_segments", [])]
    page = next((item["pageNumber"] for item in passages if item.get("pageNumber")), "")
    yield paint("36", place_of(str(derived.get("link") or document.get("id", "")), str(page)))
    snippet: Mapping[str, str] = next(iter(derived.get("snippets", [])), {})
    if snippet.get("snippet_status") == "SUCCESS":
        yield _painted(snippet["snippet"], paint)
    elif passages:
        yield _shortened(str(passages[0].get("content", "")))


def _chunk(chunk: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    metadata = chunk.get("documentMetadata", {})
    span = chunk.get("pageSpan", {})
    pages = str(span.get("pageStart", ""))
    if span.get("pageEnd", pages) != span.get("pageStart", pages):
        pages += f"-{span['pageEnd']}"
    name = chunk.get("name", "").partition("/documents/")[2].replace("/chunks/", " ")
    yield str(metadata.get("title") or name)
    yield paint("36", place_of(str(metadata.get("uri") or name), pages))
    yield _shortened(chunk.get("content", ""))


def place_of(link: str, page: str = "") -> str:
    """Return where a result is, for people: a local file by its path from here."""
    if link.startswith("file://"):
        path = Path(unquote(link.removeprefix("file://")))
        link = str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    return printable(f"{link}, page {page}" if page else link)


def _painted(snippet: str, paint: Paint) -> str:
    """Return a snippet's HTML as text, with its matched words in bold."""
    text = " ".join(printable(snippet).split())
    return html.unescape(_BOLD.sub(lambda found: paint("1", found[1]), text))


def _shortened(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= _CHUNK_CHARS else line[: _CHUNK_CHARS - 1] + "…"
