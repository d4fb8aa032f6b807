"""`toulmin check`: is every sentence of a text borne out by these facts?"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from toulmin.domain import Fact
from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.grounding.report import CheckedClaim, GroundingReport

# Exit codes, for scripts; wrong input is 2, as for every verb.
PASSED = 0
BELOW_MIN_SUPPORT = 1

_EPILOG = """\
Facts are files: .jsonl holds one fact a line, a JSON string or an object with "text" and
optionally "attributes"; .json holds one such value or a list of them; any other file is text,
split at blank lines into facts of at most 10,000 characters. "-" reads standard input.

exit codes:
  0  the support score is at least --min-support (or none was given)
  1  it is below
  2  the input is wrong

example:
  echo "Titanic was directed by James Cameron." | toulmin check --answer - --facts facts.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "--answer", required=True, metavar="FILE", help='the text to check; "-" is standard input'
    )
    parser.add_argument(
        "--facts", required=True, nargs="+", metavar="FILE", help="what to check it against"
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
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="(default: auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit code.

    Raises:
        InvalidArgument: A file or an option is wrong; nothing was checked.
    """
    from toulmin.services import check_grounding  # loading models: not for --help

    _validate(arguments)
    answer = read_text(arguments.answer)
    facts = [fact for path in arguments.facts for fact in read_facts(path)]
    report = check_grounding(
        answer,
        facts,
        citation_threshold=arguments.citation_threshold,
        anti_citations=True,
        anti_citation_threshold=arguments.anti_citation_threshold,
        prompt=arguments.prompt,
        explanations=True,
    )
    if arguments.json:
        print(json.dumps(asdict(report), ensure_ascii=False, indent=2))
    else:
        paint = Paint(wants_color(arguments.color, sys.stdout))
        print("\n".join(describe(report, answer, facts, paint)))
    if arguments.min_support is not None and report.support_score < arguments.min_support:
        return BELOW_MIN_SUPPORT
    return PASSED


def _validate(arguments: argparse.Namespace) -> None:
    if arguments.min_support is not None and not 0 <= arguments.min_support <= 1:
        raise InvalidArgument.of_field(
            "--min-support", f"is {arguments.min_support:g}; it must be in [0, 1]"
        )
    if [arguments.answer, *arguments.facts].count("-") > 1:
        raise InvalidArgument("standard input can be read once only: give one `-`")


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


def read_facts(path: str) -> list[Fact]:
    """Return the facts in a file of any of the forms that `--help` describes.

    Raises:
        InvalidArgument: The file cannot be read, or holds no fact; says which line.
    """
    from toulmin.services import fact_of

    text = read_text(path)
    if path.endswith(".jsonl"):
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        facts = [fact_of(_json(line, f"{path}:{n}"), field=f"{path}:{n}") for n, line in lines]
    elif path.endswith(".json"):
        value = _json(text, path)
        values = value if isinstance(value, list) else [value]
        facts = [fact_of(item, field=f"{path}[{n}]") for n, item in enumerate(values)]
    else:
        facts = [Fact(part) for part in split_paragraphs(text)]
    if not facts:
        raise InvalidArgument(f"{path} holds no fact")
    return facts


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


def wants_color(choice: str, stream: TextIO) -> bool:
    """Return whether to colour: as chosen, else on a terminal without NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR")


class Paint:
    """ANSI colours, or none."""

    def __init__(self, enabled: bool) -> None:  # noqa: FBT001
        self._enabled = enabled

    def __call__(self, style: str, text: str) -> str:
        """Return `text` in `style` (an SGR code such as "1" or "31")."""
        return f"\x1b[{style}m{text}\x1b[0m" if self._enabled else text


def describe(
    report: GroundingReport, answer: str, facts: Sequence[Fact], paint: Paint
) -> Iterator[str]:
    """Yield the lines of the report for a person."""
    for claim in report.claims:
        yield from _describe_claim(claim, answer, facts, paint)
    if report.cited_chunks:
        yield ""
    for number, chunk in enumerate(report.cited_chunks, 1):
        text = " ".join(chunk.text.split())
        yield paint("2", f"[{number}] fact {chunk.fact_index}: {_shorten(text, 160)}")
    yield ""
    yield f"support       {_bar(report.support_score)} {report.support_score:.2f}"
    if report.contradiction_score is not None:
        yield f"contradiction {_bar(report.contradiction_score)} {report.contradiction_score:.2f}"
    if report.helpfulness_score is not None:
        yield f"helpfulness   {_bar(report.helpfulness_score)} {report.helpfulness_score:.2f}"


def _describe_claim(
    claim: CheckedClaim, answer: str, facts: Sequence[Fact], paint: Paint
) -> Iterator[str]:
    if not claim.needs_check:
        yield paint("2", f"  -        {_one_line(claim.text)}")
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
    yield f"{paint(style, f'  {mark} {claim.score:.2f}')}   {text}{paint('36', note)}"
    for span in claim.spans:
        if not span.supported and span.fact_index is not None:
            words = _one_line(answer[span.start : span.end])
            fact = facts[span.fact_index].text[span.fact_start : span.fact_end]
            yield paint("2", f'           "{words}" against "{_one_line(fact)}"')


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
    return text.replace("\n", " ").replace("\r", "")


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _bar(score: float) -> str:
    filled = round(score * 20)
    return "█" * filled + "░" * (20 - filled)
