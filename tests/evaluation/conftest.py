import pytest

from toulmin.domain import Fact
from toulmin.evaluation.examples import Example
from toulmin.evaluation.overlap import count_words
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
    kind="",
    language="",
):
    supports = tuple(supports) if isinstance(supports, list | tuple) else (supports,)
    facts = premise if isinstance(premise, list) else [premise]
    example = Example(
        file=file,
        line=line,
        id=f"line {line}",
        facts=tuple(Fact(text) for text in facts),
        claim=claim,
        label=bool(label),
        contradiction=False if label else contradiction,
        kind=kind,
        language=language,
    )
    against = tuple(contradictions) if contradictions else tuple(0.0 for _ in supports)
    return ScoredExample(
        example, supports, against, tuple(evidence), milliseconds, count_words(claim, facts)
    )


@pytest.fixture
def scored():
    return make_scored
