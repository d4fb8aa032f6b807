import os
import subprocess
import sys

import pytest

from tests.models.hub_server import COMMIT, serve_hub
from tests.models.onnx_models import write_model
from toulmin.errors import FailedPrecondition, Unavailable
from toulmin.models.hub import find_model

CACHED = f"models--acme--judge/snapshots/{COMMIT}"


def files_in(folder):
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def repository(tmp_path):
    return files_in(write_model(tmp_path / "made")) | {
        "model.py": b"raise SystemExit('never run')",
        "pytorch_model.bin": b"never fetched",
        "onnx/model_int8.onnx": b"another network",
        "onnx/model_int8.onnx_data": b"its weights",
    }


@pytest.fixture
def hub(repository, tmp_path, monkeypatch):
    constants = pytest.importorskip("huggingface_hub.constants")  # read from HF_... once
    with serve_hub(repository) as (hub, url):
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", url)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        yield hub


def fetched(hub):
    """Return the paths in the repository that were downloaded."""
    marker = f"/resolve/{COMMIT}/"
    return {path.partition(marker)[2] for way, path in hub.requests if way == "GET"} - {""}


def test_a_folder_is_used_where_it_is(tmp_path):
    folder = write_model(tmp_path)
    files = find_model(str(folder))
    assert (files.folder, files.network) == (folder, folder / "onnx/model.onnx")


def test_the_network_may_lie_beside_the_configuration(tmp_path):
    folder = write_model(tmp_path, network="model.onnx")
    assert find_model(str(folder)).network == folder / "model.onnx"


def test_another_network_of_the_folder_is_named_after_a_hash(tmp_path):
    folder = write_model(tmp_path)
    write_model(tmp_path, network="onnx/model_quantized.onnx")
    files = find_model(f"{folder}#onnx/model_quantized.onnx")
    assert files.network == folder / "onnx/model_quantized.onnx"


def test_a_folder_without_the_usual_network_says_what_it_has(tmp_path):
    folder = write_model(tmp_path, network="onnx/model_q4.onnx")
    with pytest.raises(FailedPrecondition, match=r"it has onnx/model_q4\.onnx: name one after a #"):
        find_model(str(folder))


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("", "there is no folder ''"),
        ("missing-folder", "for a model of a hub write hub:owner/name"),
        ("hub:", "write hub:owner/name"),
        ("hub:name", "write hub:owner/name"),
        ("hub:../../etc/passwd", "write hub:owner/name"),
        ("hub:a/b@", "write hub:owner/name"),
        ("hub:a/b#../model.onnx", "inside the model's folder"),
        ("hub:a/b#/model.onnx", "inside the model's folder"),
        ("hub:a/b#pytorch_model.bin", "must be an .onnx file"),
    ],
)
def test_a_reference_that_cannot_be_meant_is_refused(reference, words):
    with pytest.raises(FailedPrecondition) as caught:
        find_model(reference)
    assert words in caught.value.message


def test_a_hubs_model_is_fetched_without_code_pickles_or_other_networks(hub, tmp_path, caplog):
    files = find_model("hub:acme/judge")
    assert files.folder == tmp_path / "cache" / CACHED
    assert files.network.is_file()
    assert files.source == f"hub:acme/judge@{COMMIT}"
    assert fetched(hub) == {
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "onnx/model.onnx",
    }
    assert f"write hub:acme/judge@{COMMIT}" in caplog.text, "how to pin what was loaded"


def test_a_named_network_is_fetched_with_the_weights_beside_it(hub):
    find_model("hub:acme/judge@v1#onnx/model_int8.onnx")
    assert {"onnx/model_int8.onnx", "onnx/model_int8.onnx_data"} <= fetched(hub)
    assert "onnx/model.onnx" not in fetched(hub)


def test_a_pinned_model_is_asked_for_once_and_then_needs_no_hub(hub, caplog):
    first = find_model(f"hub:acme/judge@{COMMIT}")
    hub.requests.clear()
    hub.failure = 501
    assert find_model(f"hub:acme/judge@{COMMIT}") == first
    assert fetched(hub) == set()
    assert not [path for _, path in hub.requests if "/judge" in path]
    assert "may change" not in caplog.text


def test_a_branch_that_was_fetched_before_is_used_when_the_hub_is_away(hub):
    first = find_model("hub:acme/judge@v1")
    hub.failure = 501
    assert find_model("hub:acme/judge@v1") == first


@pytest.mark.parametrize("reference", ["hub:acme/other", "hub:acme/judge@v2"])
def test_what_the_hub_does_not_have_is_said_so(hub, reference):
    with pytest.raises(FailedPrecondition, match="the hub has no model acme/"):
        find_model(reference)


def test_a_repository_without_onnx_says_how_to_make_some(hub, repository):
    for name in [name for name in repository if name.endswith(".onnx")]:
        del repository[name]
    with pytest.raises(FailedPrecondition, match=r"has no onnx/model\.onnx or model\.onnx"):
        find_model("hub:acme/judge")


def test_a_hub_that_is_down_is_unavailable(hub):
    hub.failure = 501
    with pytest.raises(Unavailable, match="could not be fetched and is not in the cache"):
        find_model("hub:acme/judge")


def test_without_the_extra_the_message_says_which_one_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", None)
    with pytest.raises(FailedPrecondition, match=r"pip install 'toulmin\[hub\]'"):
        find_model("hub:acme/judge")


@pytest.mark.slow
def test_mirror_cache_and_offline_are_the_environments(repository, tmp_path):
    def load(**variables):
        return subprocess.run(
            [
                sys.executable,
                "-c",
                "from toulmin.models.hub import find_model;"
                "print(find_model('hub:acme/judge@v1').network)",
            ],
            env=os.environ | {"HF_HOME": str(tmp_path / "home")} | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    with serve_hub(repository) as (_, url):
        online = load(HF_ENDPOINT=url)
    expected = tmp_path / "home" / "hub" / CACHED / "onnx/model.onnx"
    assert online.stdout.strip() == str(expected), online.stderr
    assert load(HF_HUB_OFFLINE="1").stdout.strip() == str(expected)
