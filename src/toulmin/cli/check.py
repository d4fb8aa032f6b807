"""`toulmin check`: is every sentence of a text borne out by these facts?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toulmin.cli.conflicts import describe_conflicts
from toulmin.cli.corrections import corrected, describe_fixed
from toulmin.cli.field_names import in_own_words
from toulmin.cli.terminal import Paint, line_width, print_json, printable, wants_color, wrapped
from toulmin.domain import Fact
from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.grounding.report import CheckedClaim, GroundingReport

# Exit codes, for scripts; wrong input is 2, as for every verb.
PASSED = 0
BELOW_MIN_SUPPORT = 1
_PLAIN: Final = frozenset({"", ".txt", ".text", ".md", ".markdown", ".json", ".jsonl"})
"""Endings of files that are read as they stand."""
_CLAIM_INDENT: Final = " " * 11
_INDENT: Final = "    "
_BAR: Final = 20

_EPILOG = """\
The text comes first, then what to check it against. Facts are files: .jsonl holds one fact a line,
a JSON string or an object with "text" and optionally "attributes"; .json holds one such value or a
list of them; PDF, Word and the other formats that `toulmin ingest` reads are read as there; any
other file is text. Texts are split at blank lines into facts of at most 10,000 characters. "-"
reads standard input.

exit codes:
  0  the support score is at least --min-support (or none was given)
  1  it is below
  2  the input is wrong

examples:
  toulmin check answer.txt handbook.pdf notes.jsonl --min-support 0.8
  toulmin check answer.txt handbook.pdf --fix
  toulmin check answer.txt old.txt new.txt --conflicts
  echo "Titanic was directed by James Cameron." | toulmin check --answer - --facts facts.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "files", nargs="*", metavar="FILE",
        help="the text to check, unless --answer names it, and what to check it against",
    )  # fmt: skip
    parser.add_argument("--answer", metavar="FILE", help='the text to check; "-" is standard input')
    parser.add_argument(
        "--facts", default=[], nargs="+", metavar="FILE", help="what to check it against"
    )
    parser.add_argument("--prompt", help="the question asked; adds a helpfulness score")
    parser.add_argument(
        "--citation-threshold", type=float, default=0.6, metavar="0..1",
        help="least support of a citation (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--anti-citation-threshold", type=float, default=0.8, metavar="0..1",
        help="least contradiction of an anti-citation (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--min-support", type=float, metavar="0..1",
        help="exit with 1 when the support score is below this",
    )  # fmt: skip
    parser.add_argument(
        "--fix", action="store_true",
        help="show what the files say instead of a claim that is not borne out, where the check"
        " proves it",
    )  # fmt: skip
    parser.add_argument(
        "--conflicts", action="store_true",
        help="show where two facts cannot both be right, and which claims rest on one of them",
    )  # fmt: skip
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the whole report as JSON, with the names of the facts",
    )
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="(default: auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit code.

    Raises:
        InvalidArgument: A file or an option is wrong; nothing was checked.
    """
    from toulmin.services import check_grounding  # loading models: not for --help

    answer_path, fact_paths = _named(arguments)
    answer = read_text(answer_path)
    found = [item for path in fact_paths for item in labelled_facts(path)]
    labels, facts = [label for label, _ in found], [fact for _, fact in found]
    try:
        report = check_grounding(
            answer,
            facts,
            citation_threshold=arguments.citation_threshold,
            anti_citations=True,
            anti_citation_threshold=arguments.anti_citation_threshold,
            prompt=arguments.prompt,
            explanations=True,
            corrections=arguments.fix,
            conflicts=arguments.conflicts,
        )
    except InvalidArgument as error:
        names = {f"facts[{index}].text": label for index, label in enumerate(labels)}
        names |= {"answer": answer_path, "facts": ", ".join(fact_paths)}
        raise InvalidArgument(in_own_words(error.message, names)) from error
    if arguments.json:
        fixed = {"corrected": corrected(report, answer)} if arguments.fix else {}
        print_json(asdict(report) | {"facts": labels} | fixed)
    else:
        paint = Paint(wants_color(arguments.color, sys.stdout))
        print("\n".join(describe(report, answer, found, paint)))
        if arguments.fix:
            print("\n".join(describe_fixed(report, answer, found, paint)))
        if arguments.conflicts:
            print("\n".join(describe_conflicts(report, found, paint)))
    if arguments.min_support is not None and report.support_score < arguments.min_support:
        return BELOW_MIN_SUPPORT
    return PASSED


def _named(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """Return the file with the text and those with the facts, by flag or by place.

    Raises:
        InvalidArgument: One is missing, or an option is wrong.
    """
    if arguments.min_support is not None and not 0 <= arguments.min_support <= 1:
        raise InvalidArgument.of_field(
            "--min-support", f"is {arguments.min_support:g}; it must be in [0, 1]"
        )
    files = list(arguments.files)
    if arguments.answer is None and not files:
        raise InvalidArgument("name the text to check: a FILE, or --answer FILE")
    answer = arguments.answer if arguments.answer is not None else files.pop(0)
    facts = [*files, *arguments.facts]
    if not facts:
        raise InvalidArgument(f"name what to check {answer} against: a second FILE, or --facts")
    if [answer, *facts].count("-") > 1:
        raise InvalidArgument("standard input can be read once only: give one `-`")
    return answer, facts


def read_text(path: str) -> str:
    """Return the UTF-8 text in a file, or in standard input when `path` is "-".

    Raises:
        InvalidArgument: The file cannot be read or is not UTF-8.
    """
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InvalidArgument(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 text (byte {error.start})") from error


def labelled_facts(path: str) -> list[tuple[str, Fact]]:
    """Return the facts in a file, each with what people call it: the file, and which of several.

    Raises:
        InvalidArgument: The file cannot be read, or holds no fact.
    """
    facts = read_facts(path)
    name = "standard input" if path == "-" else path
    if len(facts) == 1:
        return [(name, facts[0])]
    return [(f"{name}, fact {number}", fact) for number, fact in enumerate(facts, 1)]


def read_facts(path: str) -> list[Fact]:
    """Return the facts in a file of any of the forms that `--help` describes.

    Raises:
        InvalidArgument: The file cannot be read, or holds no fact; says which line.
    """
    from toulmin.services import fact_of

    suffix = Path(path).suffix.lower()
    text = _parsed(path) if suffix not in _PLAIN and _is_document(suffix) else read_text(path)
    if suffix == ".jsonl":
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        facts = [fact_of(_json(line, f"{path}:{n}"), field=f"{path}:{n}") for n, line in lines]
    elif suffix == ".json":
        value = _json(text, path)
        if isinstance(value, list):
            facts = [fact_of(item, field=f"{path}[{n}]") for n, item in enumerate(value)]
        else:
            facts = [fact_of(value, field=path)]
    else:
        facts = [Fact(part) for part in split_paragraphs(text)]
    if not facts:
        raise InvalidArgument(f"{path} holds no fact")
    return facts


def _is_document(suffix: str) -> bool:
    from toulmin.ingestion.parsing.file_format import BY_SUFFIX

    return suffix.removeprefix(".") in BY_SUFFIX


def _parsed(path: str) -> str:
    """Return what a file of a known format says, read in a child process as `ingest` does.

    Raises:
        InvalidArgument: It cannot be read.
        ToulminError: It is over a limit of the parsers.
    """
    from toulmin.ingestion.parsing.sandbox import ParserPool

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InvalidArgument(f"cannot read {path}: {error.strerror}") from error
    with ParserPool() as pool:
        return pool.parse(content, name=path).text


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"{where} is not JSON: {error}") from error


def split_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of `text`; longer ones are cut at spaces to 10,000 characters."""
    from toulmin.grounding.check import MAX_FACT_CHARACTERS

    for block in text.replace("\r\n", "\n").split("\n\n"):
        rest = block.strip()
        while len(rest) > MAX_FACT_CHARACTERS:
            cut = rest.rfind(" ", 1, MAX_FACT_CHARACTERS)
            cut = cut if cut > 0 else MAX_FACT_CHARACTERS
            yield rest[:cut]
            rest = rest[cut:].strip()
        if rest:
            yield rest


def describe(
    report: GroundingReport, answer: str, facts: Sequence[tuple[str, Fact]], paint: Paint
) -> Iterator[str]:
    """Yield the lines of the report for a person.

    Args:
        report: What a check found.
        answer: The text that was checked.
        facts: What it was checked against, each with its label.
        paint: Colours.
    """
    for claim in report.claims:
        yield from _describe_claim(claim, answer, facts, paint)
    if report.cited_chunks:
        yield ""
    for number, chunk in enumerate(report.cited_chunks, 1):
        text, label = " ".join(printable(chunk.text).split()), facts[chunk.fact_index][0]
        yield from wrapped(paint("2", f"[{number}] {label}: {_shorten(text, 160)}"), _INDENT)
    yield ""
    yield f"support       {_bar(report.support_score)} {report.support_score:.2f}"
    if report.contradiction_score is not None:
        yield f"contradiction {_bar(report.contradiction_score)} {report.contradiction_score:.2f}"
    if report.helpfulness_score is not None:
        yield f"helpfulness   {_bar(report.helpfulness_score)} {report.helpfulness_score:.2f}"


def _describe_claim(
    claim: CheckedClaim, answer: str, facts: Sequence[tuple[str, Fact]], paint: Paint
) -> Iterator[str]:
    if not claim.needs_check:
        yield from wrapped(paint("2", f"  -        {_one_line(claim.text)}"), _CLAIM_INDENT)
        return
    if claim.citations:
        mark, style = "✓", "32"
    elif claim.anti_citations:
        mark, style = "✗", "31"
    else:
        mark, style = "?", "33"
    sources = "".join(f"[{i + 1}]" for i in claim.citations)
    against = "".join(f"[{i + 1}]" for i in claim.anti_citations)
    note = "".join([f" {sources}" if sources else "", f" against {against}" if against else ""])
    text = _mark_words(claim, answer, paint, style)
    line = f"{paint(style, f'  {mark} {claim.score:.2f}')}   {text}{paint('36', note)}"
    yield from wrapped(line, _CLAIM_INDENT)
    for span in claim.spans:
        if not span.supported and span.fact_index is not None:
            words = _one_line(answer[span.start : span.end])
            fact = facts[span.fact_index][1].text[span.fact_start : span.fact_end]
            line = f'{_CLAIM_INDENT}"{words}" against "{_one_line(fact)}"'
            yield from wrapped(paint("2", line), _CLAIM_INDENT)


def _mark_words(claim: CheckedClaim, answer: str, paint: Paint, style: str) -> str:
    """Return the claim with the words that are not borne out underlined."""
    pieces, position = [], claim.start
    for span in claim.spans:
        if span.supported:
            continue
        pieces.append(paint(style, _one_line(answer[position : span.start])))
        pieces.append(paint(f"4;{style}", _one_line(answer[span.start : span.end])))
        position = span.end
    pieces.append(paint(style, _one_line(answer[position : claim.end])))
    return "".join(pieces)


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ")


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _bar(score: float) -> str:
    cells = max(min(_BAR, line_width() - _BAR), 1)  # beside it there are a word and a number
    filled = round(score * cells)
    return "█" * filled + "░" * (cells - filled)
