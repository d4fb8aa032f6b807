"""A whole server with a small library: real models, real search, answers of the built-in composer.

With `replies` it also has a language model: a server on this machine that says what it is told.
"""

from __future__ import annotations

from contextlib import ExitStack

from google.protobuf.json_format import MessageToDict

from tests.apis.discoveryengine.clients import COLLECTION, OFTEN, SEARCH, Clients
from tests.apis.discoveryengine.search_backend import text
from tests.ingestion.files import docx, paragraph
from tests.models.chat_server import serve_chat
from toulmin.apis.handlers import build_registry
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services
from toulmin.settings import load_settings

WAIT_S = 60
FALLBACK = "A summary could not be generated for your search query. Here are some search results."
PICTURE = '<w:p><w:r><x:blip xmlns:x="x" r:embed="rId1"/></w:r></w:p>'

GUIDES = [
    text(
        "tower",
        "# The Varn Tower\n\nThe Varn Tower was opened by Queen Ingrid on 3 May 1932. The tower is"
        " 214 metres tall and stands on the bank of the river Ems. It is made of steel. About"
        " 300,000 people visit the tower every year. The Ems Museum was founded by"
        " Karl Brandt in 1954.",
        "text/markdown",
        kind="sight",
    ),
    text(
        "kettle",
        "# Kettle manual\n\nThe kettle boils one litre of water in three minutes. Descale the kettle"
        " with vinegar every two months.\n\n## Guarantee\n\nThe guarantee covers the heating element"
        " for five years.",
        "text/markdown",
        kind="kitchen",
    ),
    text(
        "cafe",
        "# Café Zür Linde 🍵\n\nThe café “Zür Linde” 🍵 was founded by Jürgen Müller in 1911. It"
        " serves crème brûlée 🍮 and Käsekuchen until midnight.",
        "text/markdown",
        kind="sight",
    ),
    text(
        "hashi",
        "# 富士見橋\n\n富士見橋は1987年に開通した。橋の全長は420メートルである。設計者は田中一郎である。",
        "text/markdown",
        kind="sight",
    ),
    {
        "id": "pump",
        "struct_data": {"kind": "outdoor"},
        "content": {
            "mime_type": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "raw_bytes": docx(
                paragraph("The garden pump lifts forty litres of water a minute.")
                + PICTURE
                + paragraph("Empty the pump before the first frost.")
            ),
        },
    },
]
RECORDS = [
    {
        "id": "returns",
        "struct_data": {
            "title": "Returning goods",
            "body": "Goods can be returned within thirty days. Keep the receipt.",
            "link": "https://shop.example/returns",
        },
    }
]


class AnswerBackend:
    """A server with two data stores, `guides` of texts and `records` of data, and an engine.

    Attributes:
        guides: Canonical name of a data store.
        records: That of the other.
        engine: That of an engine over both.
        chat: The language model's server; None: there is none.
    """

    def __init__(self, folder, replies=None, **flags):
        self._closing = ExitStack()
        self.chat = None
        if replies is not None:
            self.chat = self._closing.enter_context(serve_chat(*replies))
            flags |= {"answer_model": "llm", "llm_base_url": self.chat.url, "llm_model": "m"}
        settings = load_settings(
            flags={"port": 0, "data_dir": str(folder), **flags}, environment={}
        )
        self.services = build_services(settings)
        self._closing.callback(self.services.close)
        self.server = create_server(build_registry(self.services), settings, lambda: True)
        self.server.start()
        self._closing.callback(lambda: self.server.stop(timeout_s=0.2))
        self.clients = self.connect("v1beta", "grpc")
        self.guides = self.clients.make_data_store("guides", content_config="CONTENT_REQUIRED").name
        self.records = self.clients.make_data_store("records", content_config="NO_CONTENT").name
        self.add(self.guides, GUIDES)
        self.add(self.records, RECORDS)
        made = self.clients.engine.create_engine(
            parent=COLLECTION,
            engine={
                "display_name": "All",
                "solution_type": SEARCH,
                "data_store_ids": ["guides", "records"],
            },
            engine_id="all",
        )
        self.engine = made.result(timeout=WAIT_S).name

    def connect(self, version, transport):
        """Return the official clients of a version."""
        made = Clients(version, transport, self.server.port)
        self._closing.callback(made.close)
        return made

    def add(self, data_store, documents):
        """Import documents; they are searchable when it returns."""
        operation = self.clients.document.import_documents(
            {"parent": f"{data_store}/branches/0", "inline_source": {"documents": documents}}
        )
        operation.result(timeout=WAIT_S, polling=OFTEN)
        assert operation.metadata.success_count == len(documents), operation.metadata

    def close(self):
        self._closing.close()


def request_of(name, question, **fields):
    """Return an AnswerQueryRequest for the default serving config of a data store or engine."""
    config = name if "/servingConfigs/" in name else f"{name}/servingConfigs/default_search"
    return {"serving_config": config, "query": {"text": question}, **fields}


def ask(clients, name, question, **fields):
    """Return the answer to a question as JSON, and the whole response."""
    response = clients.conversational_search.answer_query(request_of(name, question, **fields))
    return as_json(response)["answer"], response


def as_json(message):
    """Return a client's message as proto JSON."""
    raw = type(message).pb(message) if hasattr(type(message), "pb") else message
    return MessageToDict(raw)


def cited(answer):
    """Return the stretches of the answer that are cited, cut out of its UTF-8 bytes."""
    text_bytes = answer["answerText"].encode()
    return [
        text_bytes[int(item.get("startIndex", 0)) : int(item["endIndex"])].decode()
        for item in answer.get("citations", [])
    ]


def skipped(answer):
    return answer.get("answerSkippedReasons", [])


def violations(error):
    """Return the faults of an error that a client raised, as (field, description)."""
    found = []
    for detail in error.details:
        if isinstance(detail, dict):  # over REST
            faults = detail.get("fieldViolations", [])
            found += [(fault["field"], fault["description"]) for fault in faults]
        elif hasattr(detail, "field_violations"):
            found += [(fault.field, fault.description) for fault in detail.field_violations]
    return found
