"""How something is done: which section says so, and what of it is said."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.answering.compose.instructions import instructions
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.passages import Passage, SourceKind

GUIDE = """Snapshots

A snapshot is a copy of a volume.

Creating a snapshot

```
vault snap make tank/home     # while it is in use
```

Going back

Stop the writers first:

```
vault snap apply tank/home@monday
```

Rotating the keys

The old key stays valid for a day.

```
vault key new
```

Then retire it:

```
vault key retire --old
```

Moving to another server

1. Stop the service:

```
systemctl stop vault
```

2. Copy /var/vault.
3. Start the service there.
"""


def passage(text: str = GUIDE) -> Passage:
    return Passage(text=text, kind=SourceKind.INLINE, id="0", title="Vault, a file server")


def said(question: str, nearness=None) -> list[str]:
    found = instructions(question, asked_for(question), [passage()], nearness)
    return [] if found is None else [piece.text for piece in found.pieces]


@pytest.mark.parametrize(
    "question",
    [
        "How do I create a snapshot?",
        "How can I make a snapshot?",
        "What is the command to create a snapshot?",
        "create snapshot",
    ],
)
def test_code_under_a_heading_with_the_verb(question):
    assert said(question) == ["```\nvault snap make tank/home     # while it is in use\n```"]


def test_all_code_of_a_section_that_is_the_task():
    assert said("How do I rotate the keys?") == [
        "The old key stays valid for a day.",
        "```\nvault key new\n```",
        "Then retire it:",
        "```\nvault key retire --old\n```",
    ]


def test_steps_with_the_code_between_them():
    found = instructions(
        "How do I move the service to another server?",
        asked_for("How do I move the service to another server?"),
        [passage()],
    )
    assert found is not None
    assert [piece.text.split("\n")[0] for piece in found.pieces] == [
        "Stop the service:",
        "```",
        "Copy /var/vault.",
        "Start the service there.",
    ]
    assert found.points == {0: 1, 2: 2, 3: 3}


@pytest.mark.parametrize(
    "question",
    [
        "How do I delete a snapshot?",  # another verb
        "How do I create a user?",  # another thing
        "How do I revoke a key?",
        "Why do I create a snapshot?",
        "What is a snapshot?",
        "test results of the keys",
        "How do I use a volume of my own?",
    ],
)
def test_what_the_guide_does_not_say(question):
    assert said(question) == []


def test_what_is_nearest_in_meaning_needs_no_words_of_the_question():
    def near(_query: str, texts, _work) -> np.ndarray:
        return np.array([0.7 if "snap apply" in text else 0.2 for text in texts], np.float32)

    def far(_query: str, texts, _work) -> np.ndarray:
        return np.full(len(texts), 0.2, np.float32)

    question = "How do I restore what I had on Monday?"
    assert said(question, far) == []
    assert said(question.replace("restore", "apply"), near)[-1].startswith("```\nvault snap apply")
