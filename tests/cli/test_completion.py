"""`toulmin completion`, in the shells that are there."""

import os
import shutil
import subprocess
import sys

import pytest

from toulmin.cli import VERBS, main
from toulmin.cli.completion import SHELLS, actions_of, takes, whole_parser
from toulmin.settings import SETTINGS

# What bash offers for the words of a line, the last of which is being written.
_ASK_BASH = """\
eval "$(cat {script})"
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_toulmin toulmin "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}" 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    pytest.importorskip("shtab")
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    folder = tmp_path_factory.mktemp("completion")
    (folder / "papers").mkdir()
    (folder / "paper.txt").write_text("")
    script = folder / "script"
    command = [sys.executable, "-m", "toulmin", "completion", "bash"]
    script.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def offered(*words):
        quoted = " ".join(f"'{word}'" for word in ("toulmin", *words))
        ask = _ASK_BASH.format(script=script, words=quoted)
        done = subprocess.run(
            ["bash", "--norc", "-c", ask], cwd=folder, capture_output=True, text=True, check=False
        )
        return set(done.stdout.split())

    return offered


def test_verbs(bash):
    assert bash("") >= set(VERBS)
    assert bash("ca") == {"calibrate"}


def test_flags_of_a_verb(bash):
    assert bash("check", "--anti") == {"--anti-citation-threshold"}
    assert bash("serve", "--max-q") >= {"--max-queue"}
    assert bash("check", "--max-q") == set()


def test_words_of_a_flag(bash):
    assert bash("keys", "create", "--role", "e") == {"editor"}
    assert bash("serve", "--log-format", "") >= {"json", "text"}


def test_files_and_folders(bash):
    assert bash("check", "pap") == {"paper.txt", "papers"}
    assert bash("serve", "--data-dir", "pap") == {"papers"}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(shell, capsys):
    if shell != "fish":
        pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(verb in script for verb in VERBS)


def test_zsh_reads_its_script(capsys, tmp_path):
    pytest.importorskip("shtab")
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh")
    main(["completion", "zsh"])
    (tmp_path / "_toulmin").write_text(capsys.readouterr().out)
    subprocess.run(["zsh", "-n", str(tmp_path / "_toulmin")], check=True)


@pytest.fixture(scope="module")
def fish(tmp_path_factory):
    """Return what fish offers at the end of a line; it is asked as its own completion asks."""
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    folder = tmp_path_factory.mktemp("fish")
    (folder / "papers").mkdir()
    (folder / "paper.txt").write_text("")
    command = [sys.executable, "-m", "toulmin", "completion", "fish"]
    script = folder / "toulmin.fish"
    script.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # Its own folders, so that nobody's settings count.
    homes = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    environment = os.environ | dict.fromkeys(homes, str(folder / "papers"))

    def offered(line):
        ask = f"source toulmin.fish; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", ask],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return {one.partition("\t")[0] for one in done.stdout.splitlines()}

    return offered


def test_fish_completes_verbs_flags_words_and_files(fish):
    assert fish("toulmin ") == set(VERBS)
    assert fish("toulmin ca") == {"calibrate"}
    assert fish("toulmin check --anti") == {"--anti-citation-threshold"}
    assert fish("toulmin check --max-q") == set()
    assert fish("toulmin serve --max-q") >= {"--max-queue"}
    assert fish("toulmin keys create --role e") == {"editor"}
    assert "editor" not in fish("toulmin check --role ")
    assert fish("toulmin check pap") == {"paper.txt", "papers/"}
    assert fish("toulmin serve --data-dir pap") == {"papers/"}
    assert fish("toulmin serve pap") == set()


def test_what_a_flag_is_given_is_no_verb(fish):
    assert fish("toulmin keys create --name serve --ro") == {"--role"}


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install 'toulmin[completion]'" in capsys.readouterr().err


def test_every_setting_with_fixed_words_offers_them():
    serve = {action.dest: action for action in actions_of(whole_parser())}
    for row in SETTINGS:
        if row.choices:
            assert list(serve[row.name].choices) == list(row.choices)


def test_every_setting_that_is_a_path_is_a_folder():
    """So that `takes` may say so; a setting that names a file needs a line there."""
    assert all(row.name.endswith("_dir") for row in SETTINGS if row.type == "path")
    assert {takes(a) for a in actions_of(whole_parser()) if a.dest == "data_dir"} == {"folder"}
