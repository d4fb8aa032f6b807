from pathlib import Path

import pytest

from toulmin.errors import InvalidArgument
from toulmin.settings import SETTINGS, load_settings, settings_page, shown

ROOT = Path(__file__).parents[2]


def write(tmp_path, text):
    file = tmp_path / "toulmin.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_page_is_made_from_the_table():
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_page(), "run: python -m toulmin config --page > docs/settings.md"
    for row in SETTINGS:
        assert f"`{row.name}`" in page


def test_every_row_says_what_it_does():
    for row in SETTINGS:
        assert row.help.endswith("."), row.name
        assert row.help[0].isupper(), row.name


def test_defaults():
    settings = load_settings(environment={})
    assert (settings.host, settings.port) == ("127.0.0.1", 8080)
    assert settings.origins["port"] == "default"
    assert not settings.allow_unauthenticated


def test_flag_over_environment_over_file_over_default(tmp_path):
    file = write(tmp_path, "port = 1\nmax_queue = 2\nworker_threads = 3\n")
    settings = load_settings(
        flags={"port": "100", "host": None},
        environment={"TOULMIN_PORT": "10", "TOULMIN_MAX_QUEUE": "20"},
        file=file,
    )
    assert (settings.port, settings.max_queue, settings.worker_threads) == (100, 20, 3)
    assert settings.origins["port"] == "flag --port"
    assert settings.origins["max_queue"] == "environment TOULMIN_MAX_QUEUE"
    assert settings.origins["worker_threads"] == f"file {file}"
    assert settings.origins["host"] == "default"


def test_the_file_may_be_named_in_the_environment(tmp_path):
    file = write(tmp_path, 'api_keys = ["first-key", "second-key"]\ntls = true\n')
    settings = load_settings(environment={"TOULMIN_CONFIG": str(file)})
    assert settings.api_keys == ("first-key", "second-key")
    assert settings.tls


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("YES", True), ("1", True), ("on", True), ("false", False), ("0", False)],
)
def test_booleans_in_the_environment(text, value):
    assert load_settings(environment={"TOULMIN_TLS": text}).tls is value


def test_lists_in_the_environment():
    settings = load_settings(environment={"TOULMIN_API_KEYS": " first-key ,second-key,, "})
    assert settings.api_keys == ("first-key", "second-key")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("port", "http", "a whole number from 0 to 65535"),
        ("port", "65536", "a whole number from 0 to 65535"),
        ("port", "-1", "a whole number from 0 to 65535"),
        ("port", "80.5", "a whole number from 0 to 65535"),
        ("worker_threads", "0", "a whole number from 1 to 1024"),
        ("request_timeout_s", "soon", "a number of at least 0.001"),
        ("request_timeout_s", "nan", "a number of at least 0.001"),
        ("request_timeout_s", "inf", "a number of at least 0.001"),
        ("request_timeout_s", "0", "a number of at least 0.001"),
        ("tls", "maybe", "true or false"),
        ("log_format", "xml", "one of json, text"),
        ("data_dir", "", "the path of a folder"),
    ],
)
def test_a_wrong_value_says_name_origin_value_and_what_is_allowed(name, value, allowed):
    variable = f"TOULMIN_{name.upper()}"
    with pytest.raises(InvalidArgument) as caught:
        load_settings(environment={variable: value})
    for part in (name, f"environment {variable}", repr(value), allowed):
        assert part in caught.value.message
    assert caught.value.violations[0].field == name


@pytest.mark.parametrize(
    "line", ['port = "8080x"', "port = true", "port = [1]", "host = 5", "tls = 1", "api_keys = [1]"]
)
def test_a_wrong_type_in_the_file_is_refused(tmp_path, line):
    with pytest.raises(InvalidArgument, match=r"toulmin\.toml"):
        load_settings(environment={}, file=write(tmp_path, line))


def test_a_secret_is_never_shown():
    with pytest.raises(InvalidArgument) as caught:
        load_settings(environment={"TOULMIN_API_KEYS": "short,long-enough"})
    assert "short," not in caught.value.message
    assert "long-enough" not in caught.value.message
    row = next(row for row in SETTINGS if row.name == "api_keys")
    assert shown(row, ("long-enough",)) == "(1 set)"


def test_an_unknown_name_in_the_file_suggests_the_right_one(tmp_path):
    with pytest.raises(InvalidArgument, match="max_queue"):
        load_settings(environment={}, file=write(tmp_path, "max_que = 3"))


def test_an_unknown_variable_is_warned_of(caplog):
    load_settings(environment={"TOULMIN_PROT": "1"})
    assert "TOULMIN_PORT" in caplog.text


@pytest.mark.parametrize("content", ["port = ", "\x00", "[port"])
def test_a_broken_file_is_said_so(tmp_path, content):
    with pytest.raises(InvalidArgument, match="not valid TOML"):
        load_settings(environment={}, file=write(tmp_path, content))


def test_a_missing_file_is_said_so(tmp_path):
    with pytest.raises(InvalidArgument, match="cannot be read"):
        load_settings(environment={}, file=tmp_path / "none.toml")


def test_languages_of_ocr_are_names():
    assert load_settings(environment={"TOULMIN_OCR": "eng+chi_sim"}).ocr == "eng+chi_sim"
    with pytest.raises(InvalidArgument, match=r"eng\+deu"):
        load_settings(environment={"TOULMIN_OCR": "eng; rm"})


def test_roots_of_imports():
    settings = load_settings(environment={"TOULMIN_IMPORT_ROOTS": "/data, gs://bucket/docs"})
    assert settings.import_roots == ("/data", "gs://bucket/docs")
    assert load_settings(environment={}).import_roots == ()


def test_keys_are_read_from_a_file(tmp_path):
    file = tmp_path / "keys"
    file.write_text("# for the search page\nfirst-key-of-two\n\n  second-key-of-two \n")
    flags = {"api_keys_file": str(file)}
    settings = load_settings(flags=flags, environment={"TOULMIN_API_KEYS": "another-key"})
    assert settings.api_keys == ("another-key", "first-key-of-two", "second-key-of-two")
    assert settings.origins["api_keys"] == "environment TOULMIN_API_KEYS"
    assert load_settings(flags=flags, environment={}).origins["api_keys"].endswith("api_keys_file")


@pytest.mark.parametrize("content", ["", "# only a remark\n", "short\n", None])
def test_a_file_that_would_lock_nothing_is_refused(tmp_path, content):
    file = tmp_path / "keys"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InvalidArgument, match="api_keys_file"):
        load_settings(flags={"api_keys_file": str(file)}, environment={})


def test_secrets_are_not_in_the_repr():
    secret = "not-to-be-shown"
    for row in SETTINGS:
        if row.secret:
            settings = load_settings(flags={row.name: secret}, environment={})
            assert secret not in repr(settings), row.name


def test_a_wrong_value_of_a_settings_own_rule_says_what_it_must_be():
    with pytest.raises(InvalidArgument, match="keys of at least 8 characters") as caught:
        load_settings(environment={"TOULMIN_API_KEYS": "short"})
    assert caught.value.violations[0].field == "api_keys"
