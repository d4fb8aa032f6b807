"""Functions of an app, each in a process of its own."""

from __future__ import annotations

import pytest

from tests.patience import PATIENCE_S
from toulmin.conversation.python_runner import PythonCall, PythonRunner
from toulmin.errors import Cancelled, FailedPrecondition
from toulmin.work import UNLIMITED, Work

RUNNER = PythonRunner(allowed=True, memory_bytes=256 * 1024 * 1024)


def run(code, args=None, *, variables=None, timeout_s=PATIENCE_S, work=UNLIMITED, **more):
    call = PythonCall(
        code=code,
        file="tools/t",
        functions=("t",),
        args=args or {},
        variables=variables or {},
        timeout_s=timeout_s,
        **more,
    )
    return RUNNER.run(call, work=work)


def test_a_function_gets_arguments_and_state_and_gives_both_back():
    code = (
        "import re, datetime\n"
        "def t(a, b=2):\n"
        "    print('heard')\n"
        "    context.state['seen'] = a\n"
        "    return {'sum': a + b, 'plan': context.state.get('plan')}\n"
    )
    found = run(code, {"a": 1}, variables={"plan": "gold"})
    assert (found.value, found.error) == ({"sum": 3, "plan": "gold"}, "")
    assert found.variables == {"plan": "gold", "seen": 1}


def test_a_fake_gets_the_tool_the_arguments_and_the_context():
    code = (
        "def t(tool, input, callback_context):\n    return {'tool': tool.name, 'got': input['a']}\n"
    )
    told = {"kind": "fake", "input": {"a": 1}}
    assert run(code, callback=told, tool="look_up").value == {"tool": "look_up", "got": 1}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def t():\n    raise ValueError('no such order')\n", "ValueError: no such order (line 2)"),
        ("def t(:\n", "SyntaxError"),
        ("def other():\n    pass\n", "there is no function t"),
        ("import sys\ndef t():\n    sys.exit(3)\n", "SystemExit"),
        ("def t():\n    return 'x' * 2_000_000\n", "at most 1,048,576"),
        ("def t():\n    x = bytearray(600 * 1024 * 1024)\n", "MemoryError"),
        ("import os\ndef t():\n    os._exit(0)\n", "without an answer"),
    ],
)
def test_what_goes_wrong_in_it_is_said(code, words):
    found = run(code)
    assert found.value is None
    assert words in found.error


@pytest.mark.parametrize(
    "body",
    [
        "open('/etc/passwd').read()",
        "open('x', 'w')",
        "__import__('socket').create_connection(('127.0.0.1', 1))",
        "__import__('urllib.request').request.urlopen('http://127.0.0.1:1')",
        "__import__('subprocess').run(['id'])",
        "__import__('os').system('id')",
        "__import__('os').fork()",
        "__import__('ctypes').CDLL(None)",
        "__import__('os').remove('x')",
    ],
)
def test_it_has_no_files_no_network_and_no_programs(body):
    error = run(f"def t():\n    {body}\n").error
    assert "PermissionError" in error or "URLError" in error, error


def test_it_has_nothing_of_the_servers_environment(monkeypatch):
    monkeypatch.setenv("TOULMIN_API_KEYS", "secret")
    code = "import os\ndef t():\n    return dict(os.environ)\n"
    assert "secret" not in str(run(code).value)


def test_one_that_hangs_is_ended():
    assert (
        run("def t():\n    while True: pass\n", timeout_s=0.5).error == "did not end within 0.5 s"
    )
    with pytest.raises(Cancelled):
        run("def t():\n    while True: pass\n", work=Work(is_gone=lambda: True))


def test_it_runs_only_where_the_operator_allows_it():
    call = PythonCall(code="", file="tools/t", functions=("t",), args={}, variables={})
    with pytest.raises(FailedPrecondition) as caught:
        PythonRunner(allowed=False).run(call)
    assert caught.value.reason == "PYTHON_NOT_ALLOWED"
    assert "agent_python" in caught.value.message
