"""With a language model, generateAnswer goes by its name, too, and the models list it."""

from __future__ import annotations

import pytest
from google.api_core import exceptions

from tests.apis.discoveryengine.answer_backend import AnswerBackend
from tests.apis.generativelanguage.backend import Clients
from tests.apis.generativelanguage.test_generate_answer import answer, text_of
from tests.models.chat_server import Reply

pytestmark = pytest.mark.client
SAID = "The Eiffel Tower was completed in 1889 [1]."


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("writer"), replies=[Reply(content=SAID)])
    yield made
    made.close()


@pytest.mark.parametrize("transport", ["rest", "grpc"])
def test_by_its_name(writer, transport):
    clients = Clients("v1beta", transport, writer.server.port)
    listed = {model.name: model for model in clients.model.list_models(request={})}
    assert list(listed["models/m"].supported_generation_methods) == ["generateAnswer"]
    assert listed["models/m"].display_name == "m"
    assert clients.model.get_model(name="models/m") == listed["models/m"]
    for model in ("models/m", "models/aqa"):
        assert text_of(answer(clients, model=model)) == text_of(answer(clients))
    with pytest.raises(exceptions.NotFound, match="use models/aqa or models/m"):
        answer(clients, model="models/gemini-pro")
    clients.close()
