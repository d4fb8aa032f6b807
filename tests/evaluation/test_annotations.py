"""What was judged wrongly, in the forms of continuous integration."""

import json
from xml.etree import ElementTree as ET

import pytest

from toulmin.domain import Fact
from toulmin.evaluation.annotations import github, junit, sarif
from toulmin.evaluation.examples import Example
from toulmin.evaluation.runner import Aggregate, ScoredExample

OPTIONS = {"threshold": 0.6, "aggregate": Aggregate.MEAN}


def scored(line, label, *supports, claim="It <is> a & b.\x01", file="a,b/dev.jsonl"):
    example = Example(
        file=file,
        line=line,
        id=f"line {line}",
        facts=(Fact("fact"),),
        claim=claim,
        label=label,
        contradiction=None,
    )
    return ScoredExample(example, supports, supports, (), 500.0, None)


FILES = {
    "a,b/dev.jsonl": [
        scored(1, True, 0.9),
        scored(2, True, 0.1),
        scored(3, False, 0.6, claim="100%\nsure"),
        scored(4, False, 0.59),
    ],
    "empty.jsonl": [],
}


def test_junit_has_a_test_for_each_example_and_a_failure_for_each_that_is_wrong():
    root = ET.fromstring(junit(FILES, **OPTIONS))
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("a,b/dev.jsonl", "4", "2"),
        ("empty.jsonl", "0", "0"),
    ]
    cases = root[0].findall("testcase")
    assert [case.get("line") for case in cases] == ["1", "2", "3", "4"]
    assert root[0].get("time") == "2.000"
    failed = [case.find("failure") for case in cases if case.find("failure") is not None]
    assert [failure.get("type") for failure in failed] == ["false-strip", "false-pass"]
    assert failed[0].text == "It <is> a & b."
    assert failed[0].get("message") == ("line 2 is labelled supported; support 0.10, threshold 0.6")


def test_sarif_has_a_result_at_each_line_that_is_wrong():
    log = json.loads(sarif(FILES, **OPTIONS))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place["region"]["startLine"] for place in places] == [2, 3]
    assert places[0]["artifactLocation"]["uri"] == "a,b/dev.jsonl"
    assert {result["ruleId"] for result in run["results"]} == set(rules)


def test_github_has_a_command_for_each_line_that_is_wrong():
    lines = github(FILES, **OPTIONS).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::warning file=a%2Cb/dev.jsonl,line=2,title=false-strip::line 2 is")
    assert lines[1].endswith("%0A100%25%0Asure")


@pytest.mark.parametrize(("aggregate", "wrong"), [(Aggregate.MEAN, 0), (Aggregate.MIN, 1)])
def test_the_aggregate_decides_as_in_the_report(aggregate, wrong):
    files = {"f": [scored(1, True, 0.9, 0.5)]}
    assert len(github(files, threshold=0.6, aggregate=aggregate).splitlines()) == wrong
