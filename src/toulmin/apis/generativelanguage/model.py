"""ModelService: the models of this server, and what each of them does.

https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/model_service.proto
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.errors import InvalidArgument, NotFound
from toulmin.stores.records.paging import make_token, read_token

DEFAULT_PAGE: Final = 50
MOST_IN_PAGE: Final = 1_000
AQA: Final = "aqa"
EMBEDDER: Final = "toulmin-embedder"
EMBEDDER_ALIASES: Final = ("embedding-001", "gemini-embedding-001", "text-embedding-004")
"""Names by which clients ask for an embedding unless they are told another; all mean ours."""
MOST_EMBEDDED_TOKENS: Final = 2_048
_NO_ID: Final = re.compile(r"[^A-Za-z0-9._-]+")
_SCOPE: Final = ("models",)


class Versioned(Protocol):
    """A model that knows its version."""

    @property
    def version(self) -> str:
        """Version of the weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model as the API lists it.

    Attributes:
        id: Last part of its name.
        version: Changes whenever an answer may change.
        display_name: What people call it.
        description: What it does.
        input_tokens: Longest input, in tokens.
        output_tokens: Longest output, in tokens.
        methods: RPCs that take it, in camelCase.
        temperature: Default temperature; None: it has none.
        base: Id of the model that an alias stands for; empty: it is no alias.
    """

    id: str
    version: str
    display_name: str
    description: str
    input_tokens: int
    output_tokens: int
    methods: tuple[str, ...]
    temperature: float | None = None
    base: str = ""


def models(embedder_version: str, language_model: str = "") -> tuple[Model, ...]:
    """Return the models of this server, by name.

    Args:
        embedder_version: Version of the embedding model.
        language_model: Name of the language model that writes answers; empty: there is none.
    """
    aqa = Model(
        id=AQA,
        version="001",
        display_name="Attributed question answering",
        description="Answers questions from passages or a corpus, and says from which.",
        input_tokens=7_168,
        output_tokens=1_024,
        methods=("generateAnswer", "countTokens"),
        temperature=0.2,
    )
    embedder = Model(
        id=EMBEDDER,
        version=embedder_version,
        display_name="Toulmin embedder",
        description="Texts to vectors of 384 numbers; the corpora are searched by them.",
        input_tokens=MOST_EMBEDDED_TOKENS,
        output_tokens=1,
        methods=("embedContent", "batchEmbedContents", "countTokens"),
    )
    description = f"Another name of models/{EMBEDDER}, with its vectors of 384 numbers."
    aliases = [
        replace(embedder, id=alias, base=EMBEDDER, description=description)
        for alias in EMBEDDER_ALIASES
    ]
    found = [aqa, embedder, *aliases]
    if language_model:
        description = f"The language model that writes the answers of models/{AQA} here."
        writer = replace(
            aqa,
            id=_NO_ID.sub("-", language_model),
            version="",
            display_name=language_model,
            description=description,
            methods=("generateAnswer",),
        )
        found = [model for model in found if model.id != writer.id] + [writer]
    return tuple(sorted(found, key=lambda model: model.id))


def check_model(name: str, method: str, *, field: str = "model", language_model: str = "") -> str:
    """Return the id of a model that `method` (camelCase) takes.

    Args:
        name: Name of the model, `models/{id}`.
        method: What it is to do.
        field: What the name stands in, for errors.
        language_model: Name of the language model that writes answers; empty: there is none.

    Raises:
        InvalidArgument: It is no model's name.
        NotFound: There is no such model, or the method does not take it.
    """
    id_ = _parse(name, field)
    fitting = [model.id for model in models("", language_model) if method in model.methods]
    if id_ not in fitting:
        known = " or ".join(f"models/{model_id}" for model_id in fitting)
        raise NotFound(f"models/{id_} is not there or not for {method}; use {known}.")
    return id_


def register_models(
    registry: Registry, *, embedder: Callable[[], Versioned], language_model: str = ""
) -> None:
    """Bind GetModel and ListModels, in v1, v1beta and v1alpha.

    Args:
        registry: Where the handlers go.
        embedder: Returns the embedding model.
        language_model: Name of the language model that writes answers; empty: there is none.
    """

    def get_model(request: pb.GetModelRequest, context: CallContext) -> pb.Model:
        id_ = _parse(request.name, "name")
        known = models(embedder().version, language_model)
        found = [model for model in known if model.id == id_]
        if not found:
            raise NotFound(f"models/{id_} does not exist; ListModels says which there are.")
        response: pb.Model = context.new_message()
        _fill(response, found[0])
        return response

    def list_models(request: pb.ListModelsRequest, context: CallContext) -> pb.ListModelsResponse:
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        known = models(embedder().version, language_model)
        if request.page_token:
            last = read_token(request.page_token, scope=_SCOPE, types=(str,))[0]
            known = tuple(model for model in known if model.id > str(last))
        response: pb.ListModelsResponse = context.new_message()
        for model in known[:size]:
            _fill(response.models.add(), model)
        if len(known) > size:
            response.next_page_token = make_token([known[size - 1].id], scope=_SCOPE)
        return response

    registry.register("generativelanguage", "ModelService", "GetModel", get_model)
    registry.register("generativelanguage", "ModelService", "ListModels", list_models)


def _parse(name: str, field: str) -> str:
    if not name:
        raise InvalidArgument.of_field(field, "is required")
    return parse_name(name, "models/{model}", field=field)["model"]


def _fill(message: pb.Model, model: Model) -> None:
    message.name = f"models/{model.id}"
    message.base_model_id = model.base or model.id
    message.version = model.version
    message.display_name = model.display_name
    message.description = model.description
    message.input_token_limit = model.input_tokens
    message.output_token_limit = model.output_tokens
    message.supported_generation_methods.extend(model.methods)
    if model.temperature is not None:
        message.temperature = model.temperature
