"""Arguments that are true or false."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conversation.apps import APP, make_app
from toulmin.answering.reading.reader import Reading
from toulmin.conversation.arguments import ArgumentFiller, question_for
from toulmin.conversation.yes_or_no import opposites, truth_in


class Silent:
    """A reader that finds nothing."""

    def read(self, *_, **__):
        return Reading((), 0.0)


PLAIN = {"type": "BOOLEAN"}
ON_OFF = {"type": "BOOLEAN", "description": "True turns the light on, false turns it off"}


def read(name, said, schema=PLAIN, *, answer=False):
    found = truth_in(name, schema, said, answer=answer)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("name", "said", "value"),
    [
        ("breakfast", "two nights and breakfast please", True),
        ("breakfast", "two nights, no breakfast", False),
        ("breakfast", "two nights without breakfast", False),
        ("breakfast", "two nights, breakfast not needed", False),
        ("breakfast", "breakfast isn't necessary", False),
        ("breakfast", "two nights please", None),
        ("breakfast", "no, with breakfast", True),
        ("breakfast", "no with breakfast", True),
        ("breakfast", "not with breakfast", False),
        ("with_dog", "we have the dog with us", True),
        ("with_dog", "we haven't the dog with us", False),
        ("hasGarden", "there is a garden", True),
        ("hasGarden", "there is no garden", False),
        ("large_print", "in large print if you can", True),
        ("large_print", "a large one", None),
        ("is_gift", "it is a gift", True),
    ],
)
def test_what_is_named_is_so_unless_it_is_denied(name, said, value):
    assert read(name, said) is value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("lights off in the bedroom", False),
        ("bedroom light on please", True),
        ("the light is on, turn it off", None),
        ("the bedroom light", None),
        ("yes", None),
    ],
)
def test_two_opposites_of_a_description_are_the_two_values(said, value):
    assert read("on", said, ON_OFF, answer=True) is value


@pytest.mark.parametrize(
    ("description", "sides"),
    [
        ("True turns the light on, false turns it off", ("on", "off")),
        ("false opens nothing", None),
        ("Whether it is closed: true for closed and false for open", ("closed", "open")),
        ("true to enable it; false to disable it", None),  # another clause
        ("true to enable it, false to disable it", ("enable", "disable")),
        ("true turns it on or off, false does not", None),
    ],
)
def test_opposites(description, sides):
    assert opposites({"type": "BOOLEAN", "description": description}) == sides
    assert opposites({"type": "STRING", "description": description}) is None


def test_the_question_names_both():
    assert question_for("on", ON_OFF) == "On or off?"


PROPERTIES = {
    "nights": {"type": "INTEGER"},
    "breakfast": PLAIN,
    "with_dog": PLAIN,
    "guest": {"type": "STRING", "description": "Name of the guest"},
}


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("3 nights", {}),
        ("3 nights and breakfast please", {"breakfast": True}),
        ("3 nights with the dog, no breakfast", {"breakfast": False, "with_dog": True}),
        ("3 nights, the guest is Ann Lee", {"guest": "Ann Lee"}),
        ("3 nights, guest: Ann", {"guest": "Ann"}),
        ("I am Ann and want 3 nights", {}),
        ("3 nights for one guest, Today if possible", {}),
        ("3 nights, guest is coming late", {}),
    ],
)
def test_optional_ones_are_taken_where_they_are_named_and_nowhere_else(said, more):
    tool = make_app([{"name": "t", "description": "d", "parameters": PROPERTIES}]).tools[
        f"{APP}/tools/t"
    ]
    tool = replace(tool, parameters={**tool.parameters, "required": ["nights"]})
    filled = ArgumentFiller(Silent).fill(tool, said, known={}, variables={})
    assert filled.args == {"nights": 3, **more}
