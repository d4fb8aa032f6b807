"""Which reader reads."""

import pytest

from toulmin.answering.reading.by_language import ReaderByLanguage
from toulmin.answering.reading.reader import Reading

ENGLISH = "The museum is open from Tuesday to Sunday, and the fee is seven euros."
SPANISH = "El museo abre de martes a domingo, y la entrada cuesta siete euros."
JAPANESE = "博物館は火曜日から日曜日まで開いています。"


class Named:
    """A reader that says who it is by `answerable`."""

    def __init__(self, answerable):
        self.reading = Reading((), answerable)

    def read(self, question, passages, *, most_answers=3, work=None):
        return self.reading


@pytest.mark.parametrize(
    ("question", "passages", "is_english"),
    [
        ("When is the museum open?", [ENGLISH], True),
        ("When is the museum open?", [ENGLISH, SPANISH], True),
        ("When is the museum open?", [ENGLISH, SPANISH, JAPANESE], False),
        ("When is the museum open?", [SPANISH], False),
        ("When is the museum open?", [SPANISH, "", "", ""], False),
        ("When is the museum open?", ["", ENGLISH, "", ""], True),
        ("¿Cuándo abre el museo?", [ENGLISH], False),
        ("いつ開いていますか。", [JAPANESE], False),
        ("museum fee", [ENGLISH], True),
        ("museo", [SPANISH], False),
        ("When is the museum open?", [], True),
        ("", [ENGLISH], True),
    ],
)
def test_the_languages_of_question_and_passages_choose(question, passages, is_english):
    reader = ReaderByLanguage(Named(0.25), Named(0.75))
    assert reader.read(question, passages).answerable == (0.25 if is_english else 0.75)
