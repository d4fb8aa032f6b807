"""Questions of a class that an operator describes, by likeness and by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from toulmin.answering.understanding.user_class import (
    MOST_LINES,
    UserClass,
    UserClassifier,
    lines_of,
)
from toulmin.errors import Cancelled, Unavailable

PAY = UserClass("Questions about salaries.\n- How much do managers earn?", "Query:")
WORDS = ("salaries", "managers", "earn", "tower")


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Texts are alike that share some of a few words."""
    rows = [[1e-3 + (word in text.lower()) for word in WORDS] for text in texts]
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Model:
    """A language model that says one thing."""

    def __init__(self, said: str | Exception) -> None:
        self.said = said
        self.asked: list[Any] = []

    def complete(self, messages: Sequence[Any], **_: Any) -> str:
        self.asked.append(messages)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def test_a_description_is_lines_without_their_marks() -> None:
    text = 'On pay. And bonuses.\n\n- "What do you earn?"\n2) How much?\n * How much?'
    assert lines_of(text) == ["On pay.", "And bonuses.", "What do you earn?", "How much?"]
    assert lines_of(" \n ") == []
    assert len(lines_of("\n".join(f"Line {n}" for n in range(MOST_LINES + 5)))) == MOST_LINES


def test_a_question_is_of_a_class_whose_lines_it_is_like() -> None:
    classifier = UserClassifier(embed)
    assert classifier.belongs("What do managers earn here?", PAY)
    assert not classifier.belongs("How tall is the tower?", PAY)
    assert classifier.likeness("anything", UserClass(" ")) == 0.0


@pytest.mark.parametrize(("said", "belongs"), [("true", True), ("false", False)])
def test_a_language_model_is_asked_first(said: str, *, belongs: bool) -> None:
    model = Model(f'Sure: {{"belongs": {said}}}')
    question = "How tall is the tower?" if belongs else "What do managers earn?"
    assert UserClassifier(embed, model).belongs(question, PAY) is belongs
    ((system, user),) = model.asked
    assert PAY.description in system.content
    assert user.content == f"Query: {question}"


@pytest.mark.parametrize(
    "said", ["I do not know.", '{"belongs": "maybe"}', "[true]", "", Unavailable("away")]
)
def test_likeness_decides_where_the_language_model_does_not(said: str | Exception) -> None:
    classifier = UserClassifier(embed, Model(said))
    assert classifier.belongs("What do managers earn?", PAY)
    assert not classifier.belongs("How tall is the tower?", PAY)


def test_a_caller_who_is_gone_is_not_worked_for() -> None:
    with pytest.raises(Cancelled):
        UserClassifier(embed, Model(Cancelled("gone"))).belongs("What?", PAY)
