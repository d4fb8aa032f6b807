"""What callbacks see."""

from __future__ import annotations

import pytest

from toulmin.conversation.python_types import Tools

SOURCE = """
def look_up(order, loud=False):
    return {"order": order, "loud": loud}


def keep(value):
    return value
"""


@pytest.fixture
def tools():
    return Tools({"look_up": SOURCE, "keep": SOURCE}, {})


def test_a_tool_is_called_by_name_by_place_and_with_an_object(tools):
    wanted = {"order": 7, "loud": True}
    assert tools.look_up(order=7, loud=True) == wanted
    assert tools.look_up(7, True) == wanted
    assert tools.look_up({"order": 7, "loud": True}) == wanted


def test_an_object_that_is_no_set_of_arguments_is_one_argument(tools):
    assert tools.keep({"a": 1}) == {"a": 1}
    assert tools.keep({"value": 1}) == 1
    with pytest.raises(TypeError, match="order"):
        tools.look_up()


def test_what_is_no_function_of_the_app_is_said(tools):
    with pytest.raises(AttributeError, match="gone is no Python function"):
        tools.gone({})
