import pytest

from toulmin.domain import Fact
from toulmin.evaluation.examples import Example
from toulmin.evaluation.runner import ScoredExample


def make_scored(
    label,
    supports,
    contradictions=None,
    *,
    contradiction=None,
    claim="It opened in 1998.",
    premise="The bridge opened in 1998.",
    file="a.jsonl",
    line=1,
    evidence=(),
    milliseconds=10.0,
):
    supports = tuple(supports) if isinstance(supports, list | tuple) else (supports,)
    example = Example(
        file=file,
        line=line,
        id=f"line {line}",
        facts=(Fact(premise),),
        claim=claim,
        label=bool(label),
        contradiction=False if label else contradiction,
    )
    against = tuple(contradictions) if contradictions else tuple(0.0 for _ in supports)
    return ScoredExample(example, supports, against, tuple(evidence), milliseconds)


@pytest.fixture
def scored():
    return make_scored
