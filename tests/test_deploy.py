"""The files of deploy/ fit the program."""

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from toulmin.cli import VERBS
from toulmin.settings import load_settings

UNIT = Path(__file__).parent.parent / "deploy" / "toulmin.service"


def unit():
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string(UNIT.read_text("utf-8"))
    return parser


def test_the_unit_starts_a_verb_with_settings_that_there_are(caplog):
    service = unit()["Service"]
    program, verb, *flags = shlex.split(service["ExecStart"])
    assert Path(program).name == "toulmin"
    assert verb in VERBS
    assert flags[0] == "--config"
    name, _, folder = service["Environment"].partition("=")
    assert folder == f"/var/lib/{service['StateDirectory']}"
    settings = load_settings(environment={name: folder})
    assert str(settings.data_dir) == folder
    assert not caplog.records, "a variable that is no setting"
    assert int(service["TimeoutStopSec"]) > settings.shutdown_timeout_s


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_reads_the_unit(tmp_path):
    text = UNIT.read_text("utf-8").replace("/opt/toulmin/bin/toulmin", "/bin/sh")
    copy = tmp_path / UNIT.name
    copy.write_text(text)
    said = subprocess.run(
        ["systemd-analyze", "verify", str(copy)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert UNIT.name not in said.stderr, said.stderr
