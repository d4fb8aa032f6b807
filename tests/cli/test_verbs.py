import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from toulmin import __version__
from toulmin.cli import VERBS, main
from toulmin.settings import SETTINGS, load_settings, settings_page


def test_help_lists_every_verb(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for verb, about in VERBS.items():
        assert verb in text
        assert about in text


def test_no_verb_prints_help_and_fails(capsys):
    assert main([]) == 2
    assert "serve" in capsys.readouterr().out


def test_an_unknown_verb_says_which_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["sevre"])
    assert ended.value.code == 2
    assert "serve" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"toulmin {__version__}\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['toulmin', '--help']\n"
        "from toulmin.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'grpc', 'uvicorn', 'numpy', 'onnxruntime', 'google.protobuf', 'asyncio'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, timeout=PATIENCE_S
    )


def test_the_package_can_be_run():
    done = subprocess.run(
        [sys.executable, "-m", "toulmin", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, f"toulmin {__version__}\n")


def test_config_prints_value_and_origin(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TOULMIN_PORT", "9")
    monkeypatch.setenv("TOULMIN_API_KEYS", "long-enough")
    assert main(["config", "--max-queue", "7"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert set(lines) == {row.name for row in SETTINGS}
    assert lines["port"].split()[1:] == ["9", "environment", "TOULMIN_PORT"]
    assert lines["max_queue"].split()[1:] == ["7", "flag", "--max-queue"]
    assert lines["host"].split()[1:] == ["127.0.0.1", "default"]
    assert "long-enough" not in lines["api_keys"]


# `mcp` serves, `agents` writes JUnit, `completion` a script.
@pytest.mark.parametrize(
    "verb", sorted(set(VERBS) - {"serve", "demo", "mcp", "agents", "completion"})
)
def test_every_verb_that_ends_has_json(verb, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert "--json" in capsys.readouterr().out


def test_config_as_json(capsys):
    assert main(["config", "--json", "--port", "9"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["port"] == {"value": "9", "origin": "flag --port"}
    assert shown.keys() == {row.name for row in SETTINGS}


def test_config_prints_the_page(capsys):
    assert main(["config", "--page"]) == 0
    assert capsys.readouterr().out == settings_page()


def test_the_example_file_sets_nothing(capsys, tmp_path):
    assert main(["config", "--example"]) == 0
    file = tmp_path / "toulmin.toml"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    loaded = load_settings(environment={}, file=file)
    assert set(loaded.origins.values()) == {"default"}


def test_the_example_file_has_every_setting_with_its_default(capsys, tmp_path):
    main(["config", "--example"])
    text = capsys.readouterr().out
    file = tmp_path / "toulmin.toml"
    file.write_text(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
    loaded = load_settings(environment={}, file=file)
    assert loaded.origins == {row.name: f"file {file}" for row in SETTINGS}
    assert all(getattr(loaded, row.name) == row.default for row in SETTINGS)
    words = " ".join(text.replace("## ", "").split())
    assert all(" ".join(row.help.split()) in words for row in SETTINGS)


def test_a_wrong_setting_is_a_usage_error(capsys):
    assert main(["config", "--port", "http"]) == 2
    assert "flag --port" in capsys.readouterr().err


def test_serve_offers_every_setting(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    text = capsys.readouterr().out
    for row in SETTINGS:
        assert row.flag in text


def test_serve_refuses_an_unsafe_address(capsys, tmp_path):
    flags = ["--port", "0", "--data-dir", str(tmp_path)]
    assert main(["serve", "--host", "0.0.0.0", *flags]) == 2
    message = capsys.readouterr().err
    assert "--allow-unauthenticated" in message
    assert "TOULMIN_API_KEYS" in message


def test_the_banner_has_a_request_to_try_and_the_three_exports(tmp_path):
    from toulmin.cli.serve import banner
    from toulmin.settings import load_settings

    class Started:
        url, port, asks_for_keys = "https://127.0.0.1:8443", 8443, True

    flags = {"tls": True, "data_dir": tmp_path, "api_keys": "long-enough"}
    text = banner(load_settings(flags=flags, environment={}), Started())
    assert text.startswith("Toulmin serves REST and gRPC on https://127.0.0.1:8443\n")
    assert "curl -s" in text
    assert str(Path(tmp_path) / "tls" / "authority.pem") in text
    assert "x-goog-api-key: YOUR_KEY" in text
    assert "long-enough" not in text
    assert "export GOOGLE_CLOUD_UNIVERSE_DOMAIN=localhost:8443" in text
    assert text.count("export ") == 3
