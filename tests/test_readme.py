"""What the README shows is what the server answers."""

import json
import re
from pathlib import Path

import orjson
import pytest

from toulmin.apis.aip.registry import CallContext
from toulmin.apis.aip.transcoding import Router, dump_json, parse_request
from toulmin.apis.handlers import build_registry
from toulmin.apis.schema import load_schema
from toulmin.callers import LOCAL
from toulmin.services import build_services
from toulmin.settings import load_settings

ROOT = Path(__file__).parent.parent
# int8 arithmetic differs between processors in the last digits.
SCORE_TOLERANCE = 0.05


def example():
    """Return (path, request body, answer) of the README's curl example."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    asked = text.split("<!-- example:curl -->")[1].split("<!-- answer:curl -->")[0]
    answered = text.split("<!-- answer:curl -->")[1]
    path = re.search(r"http://127\.0\.0\.1:8080(\S+)", asked).group(1)
    body = re.search(r"-d '(.*)'", asked, re.DOTALL).group(1)
    block = re.search(r"\n\n((?:    .*\n)+)", answered).group(1)
    return path, body, json.loads(block)


def assert_alike(actual, shown, where=""):
    if isinstance(shown, float):
        assert actual == pytest.approx(shown, abs=SCORE_TOLERANCE), where
    elif isinstance(shown, dict):
        assert actual.keys() == shown.keys(), where
        for key in shown:
            assert_alike(actual[key], shown[key], f"{where}.{key}")
    elif isinstance(shown, list):
        assert len(actual) == len(shown), where
        for index, (a, b) in enumerate(zip(actual, shown, strict=True)):
            assert_alike(a, b, f"{where}[{index}]")
    else:
        assert actual == shown, where


@pytest.mark.model
def test_the_readmes_request_gets_the_readmes_answer():
    path, body, shown = example()
    schema = load_schema()
    registry = build_registry(build_services(load_settings(environment={})))
    match = Router(schema).match("POST", path)
    request = parse_request(match, "", body.encode(), schema)
    context = CallContext(
        rpc=match.rpc,
        deadline=None,
        is_cancelled=lambda: False,
        request_id="readme",
        timings={},
        new_message=schema.message_class(match.rpc.output_type),
        caller=LOCAL,
    )
    response = registry.handler(match.rpc)(request, context)
    assert_alike(orjson.loads(dump_json(response, enums_as_ints=False)), shown)


def test_the_answer_that_the_readme_shows_stands_in_the_samples():
    text = (ROOT / "README.md").read_text("utf-8")
    asked, _, shown = text.partition("<!-- example:ask -->")[2].partition("`answer.answerText` is ")
    body = json.loads(re.search(r"-d '(.*)'", asked, re.DOTALL).group(1))
    assert body["query"]["text"] == "When was the Eiffel Tower opened?"
    page = (ROOT / "examples" / "library" / "eiffel-tower.md").read_text("utf-8")
    assert re.match(r'"([^"]+)"', shown).group(1) in " ".join(page.split())


def test_every_page_that_the_docs_link_to_exists():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("**/*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_file_that_the_guides_through_the_code_name_exists():
    package = ROOT / "src" / "toulmin"
    folders = [ROOT, *(path for path in package.rglob("*") if path.is_dir())]
    for name in ("CONTRIBUTING.md", "docs/architecture.md"):
        for path in re.findall(
            r"`([\w/.]+(?:\.py|\.toml|\.json|\.js|/))`", (ROOT / name).read_text("utf-8")
        ):
            assert any((folder / path).exists() for folder in (package, *folders)), (name, path)


def test_every_verb_is_documented():
    from toulmin.cli import VERBS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    docs = readme + "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").glob("*.md"))
    for verb in VERBS:
        assert f"toulmin {verb}" in docs, verb
