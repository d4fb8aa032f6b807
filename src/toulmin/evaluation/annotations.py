"""What the check got wrong, for the pages of continuous integration: JUnit, SARIF, GitHub.

Each example that is judged wrongly at the threshold is a failed test (JUnit), a result (SARIF) or
a warning (GitHub) at its line of the file.

Sources: https://github.com/testmoapp/junitxml,
https://docs.oasis-open.org/sarif/sarif/v2.1.0/,
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from toulmin import __version__
from toulmin.evaluation.runner import Aggregate, ScoredExample

_MILLISECONDS: Final = 1000
_LONGEST_CLAIM: Final = 300
_RULES: Final = {
    "false-pass": "The facts do not support the claim, and the check lets it pass.",
    "false-strip": "The facts support the claim, and the check does not let it pass.",
}

Scored = Mapping[str, Sequence[ScoredExample]]
"""Scored examples by file."""


def junit(scored: Scored, *, threshold: float, aggregate: Aggregate) -> str:
    """Return JUnit's XML: a suite for each file, a test for each example."""
    root = ET.Element("testsuites", name="toulmin evaluate")
    for path, items in scored.items():
        seconds = sum(item.milliseconds for item in items) / _MILLISECONDS
        suite = ET.SubElement(root, "testsuite", name=path, tests=str(len(items)))
        suite.set("time", f"{seconds:.3f}")
        failures = 0
        for item in items:
            case = ET.SubElement(suite, "testcase", classname=path, name=item.example.id)
            case.set("file", path)
            case.set("line", str(item.example.line))
            case.set("time", f"{item.milliseconds / _MILLISECONDS:.3f}")
            if rule := _rule(item, threshold, aggregate):
                failures += 1
                said = _message(item, threshold, aggregate)
                failure = ET.SubElement(case, "failure", type=rule, message=_plain(said))
                failure.text = _plain(item.example.claim)
        suite.set("failures", str(failures))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def sarif(scored: Scored, *, threshold: float, aggregate: Aggregate) -> str:
    """Return a SARIF 2.1.0 log with a result for each example that is judged wrongly."""
    results = [
        {
            "ruleId": rule,
            "level": "warning",
            "message": {"text": f"{_message(item, threshold, aggregate)}: {_claim(item)}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": item.example.file},
                        "region": {"startLine": item.example.line},
                    }
                }
            ],
        }
        for item, rule in _wrong(scored, threshold, aggregate)
    ]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "toulmin", "version": __version__, "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def github(scored: Scored, *, threshold: float, aggregate: Aggregate) -> str:
    """Return GitHub's workflow commands, a warning for each example that is judged wrongly."""
    lines = [
        f"::warning file={_escaped(item.example.file, inside=True)},line={item.example.line},"
        f"title={rule}::{_escaped(_message(item, threshold, aggregate))}"
        f"%0A{_escaped(_claim(item))}\n"
        for item, rule in _wrong(scored, threshold, aggregate)
    ]
    return "".join(lines)


def _wrong(
    scored: Scored, threshold: float, aggregate: Aggregate
) -> Iterator[tuple[ScoredExample, str]]:
    for items in scored.values():
        for item in items:
            if rule := _rule(item, threshold, aggregate):
                yield item, rule


def _rule(item: ScoredExample, threshold: float, aggregate: Aggregate) -> str:
    """Return in which way an example is judged wrongly; empty: it is judged rightly."""
    passes = item.support(aggregate) >= threshold
    if passes == item.example.label:
        return ""
    return "false-pass" if passes else "false-strip"


def _message(item: ScoredExample, threshold: float, aggregate: Aggregate) -> str:
    wanted = "supported" if item.example.label else "not supported"
    support = item.support(aggregate)
    return f"{item.example.id} is labelled {wanted}; support {support:.2f}, threshold {threshold:g}"


def _claim(item: ScoredExample) -> str:
    claim = item.example.claim
    return claim if len(claim) <= _LONGEST_CLAIM else f"{claim[:_LONGEST_CLAIM]}…"


def _plain(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "".join(
        char for char in text if char in "\t\n\r" or (char >= " " and char not in "\ufffe\uffff")
    )


def _escaped(text: str, *, inside: bool = False) -> str:
    """Return text as a workflow command holds it; `inside` its properties it needs more."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if inside else text
