"""What docs/ci.md shows works as it says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from toulmin.cli import main

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
LABELLED = """\
{"premise": "It opened in 1998.", "claim": "It opened in 1998.", "label": 1}
{"premise": "It opened in 1998.", "claim": "It opened in 1975.", "label": 0}
"""
pytestmark = pytest.mark.timeout(900)  # models are loaded anew, once in a process of its own
PLUGIN = ("-p", "toulmin.pytest_plugin")


def example(name):
    return re.search(rf"<!-- example:{name} -->\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)[1]


def run_pytest(folder, *options):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *options,
        str(folder),
    ]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.txt").write_text("It was opened in 1998.")
    (tmp_path / "facts.txt").write_text("The bridge opened in 1998.\n")
    (tmp_path / "labelled.jsonl").write_text(LABELLED)
    return tmp_path


def options_of_plugin():
    """Name the plugin where its entry point is not installed yet."""
    from importlib.metadata import entry_points

    found = [point.value for point in entry_points(group="pytest11")]
    return () if "toulmin.pytest_plugin" in found else PLUGIN


@pytest.mark.model
def test_the_pytest_example_passes_and_what_is_not_grounded_fails(folder):
    (folder / "test_page.py").write_text(
        example("pytest")
        + "\n\ndef test_wrong(assert_grounded):\n"
        + "    assert_grounded('The bridge opened in 1975.', FACTS)\n"
    )
    done = run_pytest(folder, *options_of_plugin())
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert "not grounded: 1 of 1 sentences below 0.6" in done.stdout
    assert "The bridge opened in 1975." in done.stdout


def test_the_plugin_imports_nothing_of_toulmin_until_it_is_used():
    code = (
        "import sys, toulmin.pytest_plugin\n"
        "print([m for m in sys.modules if m.startswith(('numpy', 'onnxruntime', 'toulmin.'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['toulmin.pytest_plugin']"


@pytest.mark.model
def test_evaluate_writes_what_the_page_says(folder, capsys):
    command = re.search(r"    (toulmin evaluate .*)", PAGE)[1]
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    suites = ElementTree.parse(folder / "toulmin.xml").getroot()
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("2", "0")]


@pytest.mark.model
def test_the_hooks_that_pre_commit_is_shown_run(folder):
    yaml = pytest.importorskip("yaml")
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    hooks = {hook["id"]: hook for hook in offered}
    (repo,) = yaml.safe_load(example("pre-commit"))["repos"]
    assert {hook["id"] for hook in repo["hooks"]} == hooks.keys()
    for used in repo["hooks"]:
        hook = hooks[used["id"]]
        files = [] if hook.get("pass_filenames") is False else ["labelled.jsonl"]
        _, *arguments = [*shlex.split(hook["entry"]), *used["args"], *files]
        assert main(arguments) == 0, used["id"]


@pytest.mark.model
def test_the_command_of_the_workflow_runs(folder):
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load(example("github"))["jobs"]["grounded"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("toulmin")]
    assert main(shlex.split(command)[1:]) == 0
