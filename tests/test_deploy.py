"""The files of deploy/ fit the program."""

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from toulmin.cli import VERBS
from toulmin.settings import load_settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "toulmin.service"


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


def dockerfile():
    return re.sub(r"\\\n\s*", "", (DEPLOY / "Dockerfile").read_text("utf-8"))


def test_the_image_serves_with_settings_that_there_are(caplog):
    text = dockerfile()
    variables = dict(re.findall(r"(TOULMIN_\w+)=(\S+)", text))
    settings = load_settings(environment=variables)
    assert not caplog.records, "a variable that is no setting"
    assert f"VOLUME {settings.data_dir}" in text
    assert f"EXPOSE {settings.port}" in text
    assert f"http://127.0.0.1:{settings.port}/readyz" in text
    assert settings.host == "0.0.0.0", "or nobody outside the container reaches it"
    assert re.search(r'CMD \["(\w+)"\]', text)[1] in VERBS


def test_the_image_runs_as_nobody_in_particular():
    text = dockerfile()
    (user,) = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert f"--uid {user}" in text
    assert int(user) > 1000


def test_what_the_image_copies_is_there_and_is_sent_to_the_builder():
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").split()
    names = {line[1:] for line in sent if line.startswith("!")}
    assert {name for name in names if not (ROOT / name).exists()} == set()
    needed = {
        "src",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "NOTICE",
        "packaging",
        "requirements",
    }
    assert needed <= names
    assert (ROOT / "requirements" / "container.txt").is_file()


def test_compose_sets_what_there_is_and_lets_the_server_write_only_its_data(caplog):
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
    server = services["toulmin"]
    environment = {
        name: re.sub(r"\$\{\w+:\?[^}]*\}", "long-enough", value)
        for name, value in server["environment"].items()
    }
    settings = load_settings(environment=environment)
    assert not caplog.records, "a variable that is no setting"
    assert settings.database_url.startswith("postgresql://toulmin:long-enough@records:5432/")
    assert server["read_only"] is True
    assert server["volumes"] == ["toulmin:/data"]
    assert int(server["stop_grace_period"].rstrip("s")) > settings.shutdown_timeout_s
    build = server["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"


def hadolint():
    made = ROOT / ".venv-image" / "bin" / "hadolint"  # by `make test-image`
    return str(made) if made.exists() else shutil.which("hadolint")


@pytest.mark.skipif(hadolint() is None, reason="hadolint is not here; make test-image gets it")
def test_hadolint_finds_nothing_in_the_dockerfile():
    said = subprocess.run(
        [hadolint(), str(DEPLOY / "Dockerfile")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert said.stdout == ""
    assert said.returncode == 0
