"""Callback tests of an app folder: found, run by pytest, reported."""

from __future__ import annotations

import pytest

from toulmin.cli.agents import cases_of
from toulmin.cli.callback_tests import find_callback_tests, run_callback_tests
from toulmin.errors import InvalidArgument

CALLBACK = """\
def before_model_callback(callback_context: CallbackContext, llm_request: LlmRequest):
    for part in callback_context.get_last_user_input():
        if part.text == "<event>session start</event>":
            callback_context.state["greeted"] = "true"
            tools.note(json.dumps({"greeted": True}))
            return LlmResponse.from_parts(parts=[Part.from_text(text="Hello.")])
    return None
"""
TESTS = """\
from unittest.mock import MagicMock

import pytest
import python_code
from cxas_scrapi.utils.callback_libs import CallbackContext, Content, LlmRequest, Part
from python_code import before_model_callback

python_code.tools = MagicMock()


def said(text):
    return Content(role="user", parts=[Part(text=text)])


class TestGreeting:
    def test_it_greets(self):
        context = CallbackContext(state={}, user_content=said("<event>session start</event>"))
        response = before_model_callback(context, LlmRequest())
        assert response.content.parts[0].text_or_transcript() == "Hello."
        assert context.state["greeted"] == "true"
        python_code.tools.note.assert_called_once_with('{"greeted": true}')


def test_it_is_silent_else():
    context = CallbackContext(state={})
    context.user_content = said("hi")
    assert before_model_callback(context, llm_request=MagicMock()) is None


def test_it_is_wrong():
    assert before_model_callback(CallbackContext(state={}), LlmRequest()) == "Goodbye."


@pytest.mark.skip(reason="not yet")
def test_it_is_left_out():
    pass
"""
PLACE = "root/before_model_callbacks/hello"


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def app(tmp_path):
    """A project with an app whose callback has tests in a tree of their own."""
    evals = tmp_path / "project" / "evals" / "callback_tests"
    write(evals / "agents" / PLACE / "python_code.py", CALLBACK)
    write(evals / "tests" / PLACE / "test.py", TESTS)
    write(tmp_path / "project" / "cxas_app" / "Shop" / "app.json", "{}")
    return tmp_path / "project" / "cxas_app" / "Shop"


def test_each_test_is_a_case(app):
    (found,) = find_callback_tests(app)
    assert found.name == PLACE
    results = run_callback_tests([found], allowed=True)
    assert [(item.name, item.kind, bool(item.differences)) for item in results] == [
        (f"{PLACE}: TestGreeting.test_it_greets", "callback test", False),
        (f"{PLACE}: test_it_is_silent_else", "callback test", False),
        (f"{PLACE}: test_it_is_wrong", "callback test", True),
        (f"{PLACE}: test_it_is_left_out", "callback test", False),
    ]
    assert "assert None == 'Goodbye.'" in "\n".join(results[2].differences)
    assert results[3].report() == f"PASS {PLACE}: test_it_is_left_out (skipped: not yet)"


def test_a_link_and_its_file_are_one_and_the_apps_own_are_found(app):
    evals = app.parents[1] / "evals" / "callback_tests"
    (evals / "agents" / PLACE / "test.py").symlink_to(evals / "tests" / PLACE / "test.py")
    write(app / "agents" / PLACE / "python_code.py", CALLBACK)
    write(app / "agents" / PLACE / "test.py", "def test_nothing():\n    pass\n")
    found = find_callback_tests(app)
    assert [(item.name, item.code is not None) for item in found] == [(PLACE, True)] * 2
    assert {item.file.resolve() for item in found} == {
        evals / "tests" / PLACE / "test.py",
        app / "agents" / PLACE / "test.py",
    }


def test_what_cannot_be_read_or_has_no_tests_fails(app):
    tests = app.parents[1] / "evals" / "callback_tests" / "tests"
    write(tests / PLACE / "test.py", "import nothing_of_that_name\n")
    write(tests / "root" / "after_model_callbacks" / "none" / "test.py", "")
    empty, broken = run_callback_tests(find_callback_tests(app), allowed=True)
    assert "No module named 'nothing_of_that_name'" in "\n".join(broken.differences)
    assert "no tests ran" in "\n".join(empty.differences)


def test_without_the_setting_nothing_is_run_and_all_fail(app):
    tests = app.parents[1] / "evals" / "callback_tests" / "tests" / PLACE / "test.py"
    ran = app / "ran"
    write(tests, f"open({str(ran)!r}, 'w')\n\ndef test_it():\n    pass\n")
    (result,) = run_callback_tests(find_callback_tests(app), allowed=False)
    assert "agent_python" in result.differences[0]
    assert not ran.exists()


def test_an_app_with_callback_tests_alone_has_tests(app, tmp_path):
    goldens, tool_tests, callback_tests = cases_of(app, None)
    assert (goldens, tool_tests, len(callback_tests)) == ([], [], 1)
    with pytest.raises(InvalidArgument, match="evals/callback_tests"):
        cases_of(tmp_path / "elsewhere", None)
