"""The setting `support_model`: another model behind the same check."""

import dataclasses

import pytest

from tests.models.chat_server import Reply, serve_chat
from tests.models.onnx_models import write_model
from toulmin.domain import Fact
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.grounding.check import CheckSpec
from toulmin.services import build_services, model_versions
from toulmin.settings import SETTINGS, load_settings, shown

FACTS = [Fact("The pump runs at three bar.")]
ANSWER = "The pump runs."
JUDGED = (
    '{"judgements": [{"number": 0, "support": 0.8, "contradiction": 0.1, "verdict": "supported"}]}'
)
KEY = "sk-a-very-secret-key"


def settings_of(**values):
    return dataclasses.replace(load_settings(environment={}), **values)


def check(settings):
    services = build_services(settings)
    try:
        return services.checker().check(ANSWER, FACTS, CheckSpec())
    finally:
        services.close()


@pytest.mark.model
def test_a_folder_is_the_support_model(tmp_path):
    folder = write_model(tmp_path)
    (claim,) = check(settings_of(support_model=str(folder))).claims
    assert claim.score == pytest.approx(0.9526, abs=5e-4), "softmax of 3, 0, -8"


@pytest.mark.model
def test_the_labels_of_a_folder_may_be_named(tmp_path):
    folder = write_model(tmp_path, labels=(), heads=("neither", "support"))
    with pytest.raises(FailedPrecondition, match="set support_model_labels to 2 of"):
        check(settings_of(support_model=str(folder)))
    settings = settings_of(support_model=str(folder), support_model_labels=("neither", "support"))
    (claim,) = check(settings).claims
    assert claim.score == pytest.approx(0.9526, abs=5e-4)


@pytest.mark.model
def test_a_language_model_is_the_support_model_and_is_not_called_before_a_check():
    with serve_chat(Reply(JUDGED)) as chat:
        settings = settings_of(
            support_model="llm", llm_base_url=chat.url, llm_model="m", llm_api_key=KEY, llm_seed=5
        )
        services = build_services(settings)
        checker = services.checker()
        assert chat.requests == []
        (claim,) = checker.check(ANSWER, FACTS, CheckSpec()).claims
        services.close()
        assert claim.score == 0.8
        assert chat.requests[0]["seed"] == 5
        assert chat.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"support_model": "llm"}, "llm_base_url"),
        ({"support_model": "llm", "llm_base_url": "http://h/v1"}, "llm_model"),
        ({"support_model_labels": ("support",)}, "support_model_labels"),
        ({"support_model": "small", "support_model_labels": ("support",)}, "support_model_labels"),
    ],
)
def test_settings_that_cannot_work_together_are_refused_before_anything_is_loaded(values, field):
    with pytest.raises(InvalidArgument) as caught:
        build_services(settings_of(**values))
    assert caught.value.violations[0].field == field


def test_versions_tell_models_apart(tmp_path):
    first = settings_of(support_model=str(write_model(tmp_path / "a")))
    second = settings_of(support_model=str(write_model(tmp_path / "b", heads=("neither",) * 3)))
    judge = settings_of(support_model="llm", llm_base_url="http://h/v1", llm_model="m")
    assert "toulmin-support-minilm" in " ".join(model_versions(settings_of(support_model="small")))
    versions = [model_versions(), *map(model_versions, (first, second, judge))]
    assert versions[0] == model_versions(settings_of())
    assert all(a != b for i, a in enumerate(versions) for b in versions[:i])


def test_the_key_is_never_shown():
    settings = load_settings(environment={"TOULMIN_LLM_API_KEY": KEY})
    row = next(row for row in SETTINGS if row.name == "llm_api_key")
    assert settings.llm_api_key == KEY
    assert shown(row, settings.llm_api_key) == "(1 set)"
    assert KEY not in repr(settings)
