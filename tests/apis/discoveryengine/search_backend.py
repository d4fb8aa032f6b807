"""A server that searches: real records, index and parsers; vectors that know a few words."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from google.protobuf.json_format import MessageToDict

from tests.apis.discoveryengine.clients import OFTEN
from tests.apis.discoveryengine.document_backend import APIS, PARENT, Backend
from tests.ingestion.files import pdf, text_at
from toulmin.apis.discoveryengine.completion import register_completion
from toulmin.apis.discoveryengine.control import register_controls
from toulmin.apis.discoveryengine.data_store import register_data_stores
from toulmin.apis.discoveryengine.engine import register_engines
from toulmin.apis.discoveryengine.rank import register_rank
from toulmin.apis.discoveryengine.recommendation import register_recommendation
from toulmin.apis.discoveryengine.search import register_search
from toulmin.apis.discoveryengine.serving_config import register_serving_configs
from toulmin.apis.discoveryengine.user_event import register_user_events
from toulmin.retrieval.recommend import Recommender
from toulmin.retrieval.relevance import Calibration, RelevanceModel
from toulmin.retrieval.search import Searcher
from toulmin.work import UNLIMITED

WAIT_S = 60
SAME = {"bike": "bicycle", "torch": "lamp", "pitch": "tent", "heats": "boils", "warms": "boils"}
SEARCH = "SOLUTION_TYPE_SEARCH"


class WordEmbedder:
    """Texts are near each other that share words, or words that mean the same (`SAME`)."""

    version = "words-1"
    has_parts = False

    def embed(self, texts, *, work=UNLIMITED):
        rows = []
        for text in texts:
            work.check()
            row = np.full(384, 1e-3)
            for word in re.findall(r"\w+", text.lower()):
                row += self._vector(SAME.get(word, word))
            rows.append(row / np.linalg.norm(row))
        return np.array(rows, dtype=np.float32).reshape(len(texts), 384)

    def embed_queries(self, texts, *, work=UNLIMITED):
        return self.embed(texts, work=work)

    @staticmethod
    def _vector(word):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(384)


RELEVANCE = RelevanceModel(
    dense=4.0,
    coverage=3.0,
    lexical=0.0,
    calibration=Calibration(bias=-3.0, slope=1.0, lead=0.5),
)


def text(id_, words, mime_type="text/plain", **data):
    """A document of text with data."""
    content = {"mime_type": mime_type, "raw_bytes": words.encode()}
    return {"id": id_, "struct_data": data, "content": content}


TENT_PAGES = [
    [
        "The tent sleeps four people and weighs nine kilograms.",
        "Its poles are made of aluminium and have elastic cords inside.",
        "Before the first journey, put it up once at home and count the parts.",
        "There are four poles, sixteen pegs, eight ropes and one ground sheet.",
        "The bag is wide enough to take a wet canvas without much folding.",
    ],
    [
        "Spread the ground sheet on a level spot and pull the four corners tight.",
        "Push each pole through its sleeve and set its foot into the eyelet.",
        "Peg the guy lines at an angle of forty degrees, away from the door.",
        "In strong wind use two pegs for each rope, driven in crosswise.",
        "Never light a stove inside, and keep both vents open at night.",
    ],
    [
        "Brush off the mud and shake out the sand before packing.",
        "Dry the canvas before storage, since mould destroys it within a month.",
        "Holes are mended with the patches and the glue from the small pouch.",
        "A broken pole can be splinted with the sleeve that came with it.",
        "Spare parts are sent to every country for ten years.",
    ],
]


def tent():
    """A PDF of three pages, each about as long as a chunk."""
    return pdf(
        [
            "".join(text_at(60, 700 - 14 * number, line) for number, line in enumerate(lines))
            for lines in TENT_PAGES
        ]
    )


GOODS = [
    text(
        "kettle",
        "# Kettle manual\n\nThe kettle boils one litre of water in three minutes. It switches itself"
        " off.\n\n## Descaling\n\nDescale the kettle with vinegar every two months. Rinse it"
        " twice.\n\n## Guarantee\n\nThe guarantee covers the heating element for five years.",
        "text/markdown",
        kind="kitchen",
        price=30,
        colours=["steel", "red"],
        sold="2026-03-01",
    ),
    text(
        "toaster",
        "# Toaster manual\n\nThe toaster browns two slices of bread. Clean the crumb tray every"
        " week.",
        "text/markdown",
        kind="kitchen",
        price=45.5,
        colours=["red"],
        sold="2026-02-01",
    ),
    text(
        "lamp",
        "The lamp gives 800 lumens for nine hours. Charge its battery before the first night.",
        kind="light",
        price=80,
        colours=["black"],
        sold="2005-12-24",
    ),
    text(
        "bicycle",
        "The bicycle has eight gears. Oil its chain after every ride in the rain.",
        kind="outdoor",
        price=900,
        colours=["Red", "black"],
        sold="2026-04-01",
    ),
    {
        "id": "tent",
        "struct_data": {"kind": "outdoor", "price": 250},
        "content": {
            "mime_type": "application/pdf",
            "raw_bytes": tent(),
        },
    },
]
QUESTIONS = [
    {
        "id": "returns",
        "struct_data": {
            "title": "Returning goods",
            "body": "Goods can be returned within thirty days. Keep the receipt.",
            "kind": "policy",
            "link": "https://shop.example/returns",
        },
    },
    {
        "id": "kettle-colours",
        "struct_data": {
            "title": "Kettle colours",
            "body": "The kettle is sold in steel and in red.",
            "kind": "kitchen",
        },
    },
]


class SearchBackend(Backend):
    """A `Backend` that searches, ranks and completes, over two data stores and an engine.

    Attributes:
        goods: Canonical name of a data store of texts.
        questions: That of one of data.
        engine: That of an engine over both.
    """

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        super().__init__(folder, folder, WordEmbedder())
        chunks = {"chunk_size": 100}
        self.goods = self.make_store(
            "goods",
            content_config="CONTENT_REQUIRED",
            document_processing_config={
                "chunking_config": {"layout_based_chunking_config": chunks}
            },
        )
        self.questions = self.make_store("questions", content_config="NO_CONTENT")
        self.add(self.goods, GOODS)
        self.add(self.questions, QUESTIONS)
        engine = {
            "display_name": "Shop",
            "solution_type": SEARCH,
            "data_store_ids": ["goods", "questions"],
        }
        made = self._setup("Engine").create_engine(parent=PARENT, engine=engine, engine_id="shop")
        self.engine = made.result(timeout=WAIT_S).name

    def add(self, data_store, documents):
        """Import documents; they are searchable when it returns."""
        operation = self._setup("Document").import_documents(
            {"parent": f"{data_store}/branches/0", "inline_source": {"documents": documents}}
        )
        operation.result(timeout=WAIT_S, polling=OFTEN)
        assert operation.metadata.success_count == len(documents), operation.metadata

    def make_store(self, id_, **fields):
        """Create a data store and return its name."""
        operation = self._setup("DataStore").create_data_store(
            parent=PARENT, data_store={"display_name": id_, **fields}, data_store_id=id_
        )
        return operation.result(timeout=WAIT_S).name

    def _setup(self, service):
        return self.make_client(getattr(APIS["v1beta"], f"{service}ServiceClient"), "grpc")

    def _registry(self):
        registry = super()._registry()
        searcher = Searcher(
            records=self.records,
            indexer=self.indexer,
            embed=self.embedder.embed,
            relevance=RELEVANCE,
            reranker=lambda: not_asked_for("reranker"),
        )

        def records():
            return self.records

        for register in (
            register_data_stores,
            register_engines,
            register_serving_configs,
            register_controls,
            register_user_events,
        ):
            register(registry, records=records)
        register_search(
            registry,
            records=records,
            searcher=lambda: searcher,
            embed=self.embedder.embed,
            answerer=lambda: not_asked_for("answerer"),
        )
        recommender = Recommender(
            records=self.records,
            indexer=self.indexer,
            embed=lambda document, chunks: not_asked_for("embedder"),
        )
        register_recommendation(registry, records=records, recommender=lambda: recommender)
        register_rank(registry, embedder=lambda: self.embedder)
        register_completion(registry, records=records, indexer=lambda: self.indexer)
        return registry


def not_asked_for(what):
    raise AssertionError(f"{what} is not asked for here")


def page(clients, name, query="", **fields):
    """Return the first page of a search as JSON, and its results by document id."""
    config = name if "/servingConfigs/" in name else f"{name}/servingConfigs/default_search"
    request = {"serving_config": config, "query": query, **fields}
    response = next(iter(clients.search.search(request).pages))
    raw = type(response).pb(response) if hasattr(type(response), "pb") else response
    return MessageToDict(raw)


def ids(found):
    return [result["id"] for result in found.get("results", [])]
