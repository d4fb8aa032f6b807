"""A caller who has gone costs no core any more: every RPC that does work is walked.

Each gets a request that takes long, is cancelled once it has used some processor time, and must
then use hardly any more of it, in all threads and child processes together. What is hardly any is
measured on the machine at hand: one and a half checks of four sentences, where the requests would
take those of hundreds, or as long.
"""

from __future__ import annotations

import base64
import os
import random
import threading
import time
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict

from tests import remembered_runs
from tests.patience import PATIENCE_S
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.handlers import build_registry
from toulmin.callers import LOCAL
from toulmin.domain import Branch, DataStore, Document, DocumentContent, Engine, Fact
from toulmin.errors import Cancelled
from toulmin.grounding.check import CheckSpec
from toulmin.services import build_services
from toulmin.settings import load_settings

WORKED_S = (0.1, 0.03, 0.0)
"""Processor time after which the caller goes; less of it where a fast machine was done by then.
With none it goes when it is first asked whether it is still there, which no machine is too fast
for."""
TRIES = 3
"""How often a figure that is too high is taken again: what else runs here costs some, now and then;
work that goes on behind the caller's back does so each time."""
COLLECTION = "projects/p/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/s"
BRANCH = f"{STORE}/branches/0"
CONFIG = f"{STORE}/servingConfigs/default_search"
SEARCHES = {"solutionType": "SOLUTION_TYPE_SEARCH"}
CORPUS = "corpora/c-1"
APP = "projects/p/locations/us/apps/a"
DOCUMENTS = 8
"""Of 5,000 letters each: enough for a search, an answer and a summary that take long."""
LETTERS = "abcdefghijklmnoprstuvw"


def words_of(seed):
    draw = random.Random(seed)
    return ["".join(draw.choices(LETTERS, k=draw.randint(3, 9))) for _ in range(600)]


WORDS = words_of(1)


def prose(sentences, seed=0, *, length=14):
    draw = random.Random(seed)
    return " ".join(
        " ".join(draw.choices(WORDS, k=length)).capitalize() + "." for _ in range(sentences)
    )


QUESTION = f"When did {' '.join(WORDS[:12])} open?"
FACTS = [prose(80, seed)[:9_900] for seed in range(200)]
LONG_LINE = base64.b64encode(("a." * 5_000_000).encode()).decode()


def passages(count):
    return [
        {"id": f"p{n}", "content": {"parts": [{"text": FACTS[n % 200][:4000]}]}}
        for n in range(count)
    ]


def grounded_content():
    parts = [{"text": QUESTION}]
    facts = [{"factText": text} for text in FACTS]
    return {
        "location": "projects/p/locations/global",
        "contents": [{"role": "user", "parts": parts}],
        "groundingSpec": {"groundingSources": [{"inlineSource": {"groundingFacts": facts}}]},
    }


def document(method):
    content = {"mimeType": "text/plain", "rawBytes": LONG_LINE}
    if method == "UpdateDocument":
        return {"document": {"name": f"{BRANCH}/documents/d1", "content": content}}
    return {"parent": BRANCH, "documentId": "new", "document": {"content": content}}


def search():
    return {
        "servingConfig": CONFIG,
        "query": QUESTION,
        "pageSize": 50,
        "contentSearchSpec": {
            "snippetSpec": {"returnSnippet": True},
            "extractiveContentSpec": {
                "maxExtractiveAnswerCount": 5,
                "maxExtractiveSegmentCount": 10,
            },
            "summarySpec": {"summaryResultCount": 5, "includeCitations": True},
        },
    }


def chunks(method):
    parent = f"{CORPUS}/documents/d"
    texts = [prose(25, n)[:2400] for n in range(100)]
    if method == "BatchUpdateChunks":
        items = [
            {
                "chunk": {"name": f"{parent}/chunks/k{n}", "data": {"stringValue": text}},
                "updateMask": "data",
            }
            for n, text in enumerate(texts)
        ]
    else:
        items = [{"parent": parent, "chunk": {"data": {"stringValue": text}}} for text in texts]
    return {"parent": parent, "requests": items}


def embeds():
    model = "models/toulmin-embedder"
    item = {"model": model, "content": {"parts": [{"text": prose(30)}]}}
    return {"model": model, "requests": [item] * 100}


def session():
    return {"config": {"session": f"{APP}/sessions/s"}, "inputs": [{"text": QUESTION}]}


WORK = {
    "GroundedGenerationService.CheckGrounding": lambda _: {
        "groundingConfig": "projects/p/locations/global/groundingConfigs/default_grounding_config",
        "answerCandidate": prose(250, 500),
        "facts": [{"factText": text} for text in FACTS],
    },
    "GroundedGenerationService.GenerateGroundedContent": lambda _: grounded_content(),
    "GroundedGenerationService.StreamGenerateGroundedContent": lambda _: grounded_content(),
    "RankService.Rank": lambda _: {
        "rankingConfig": "projects/p/locations/global/rankingConfigs/default_ranking_config",
        "query": QUESTION,
        "records": [{"id": str(n), "content": text[:3000]} for n, text in enumerate(FACTS)],
    },
    "SearchService.Search": lambda _: search(),
    "SearchService.SearchLite": lambda _: search(),
    "ConversationalSearchService.AnswerQuery": lambda _: {
        "servingConfig": CONFIG,
        "query": {"text": QUESTION},
    },
    "ConversationalSearchService.StreamAnswerQuery": lambda _: {
        "servingConfig": CONFIG,
        "query": {"text": QUESTION},
    },
    "AssistantService.StreamAssist": lambda _: {
        "name": f"{COLLECTION}/engines/e/assistants/default_assistant",
        "query": {"text": QUESTION},
    },
    "ConversationalSearchService.ConverseConversation": lambda _: {
        "name": f"{STORE}/conversations/-",
        "query": {"input": QUESTION},
        "summarySpec": {"summaryResultCount": 5},
    },
    "DocumentService.CreateDocument": document,
    "DocumentService.UpdateDocument": document,
    "GenerativeService.BatchEmbedContents": lambda _: embeds(),
    "GenerativeService.CountTokens": lambda _: {
        "model": "models/toulmin-embedder",
        "contents": [{"parts": [{"text": "ab " * 1_300_000}]}],
    },
    "GenerativeService.GenerateAnswer": lambda _: {
        "model": "models/aqa",
        "contents": [{"role": "user", "parts": [{"text": QUESTION}]}],
        "answerStyle": "ABSTRACTIVE",
        "inlinePassages": {"passages": passages(200)},
    },
    "RetrieverService.BatchCreateChunks": chunks,
    "RetrieverService.BatchUpdateChunks": chunks,
    "SessionService.BidiRunSession": lambda _: [
        {"config": session()["config"]},
        *({"realtimeInput": given} for given in session()["inputs"]),
    ],
    "SessionService.RunSession": lambda _: session(),
    "SessionService.StreamRunSession": lambda _: session(),
    "ToolService.ExecuteTool": lambda _: {"parent": APP, "tool": f"{APP}/tools/spin"},
}
"""RPC -> a request that takes long, given the method's name; a list: one after the other."""

LITTLE = {
    "WidgetService.GenerateChatToken",
    "AgentService.BatchDeleteConversations",
    "AgentService.RestoreAppVersion",
    "ToolService.RetrieveToolSchema",
    "ToolService.RetrieveTools",  # they wait for another server, most of all
    # One transaction of what fits into a request.
    "AgentService.ExportApp",
    "AgentService.ImportApp",
    # At most a few runs of the embedder, and reads of an index.
    "CompletionService.AdvancedCompleteQuery",
    "CompletionService.CompleteQuery",
    "GenerativeService.EmbedContent",
    "RetrieverService.CreateChunk",
    "RetrieverService.UpdateChunk",
    "RecommendationService.Recommend",
    "RetrieverService.QueryCorpus",
    "RetrieverService.QueryDocument",
    # They read and write a few rows, or many in one statement.
    "UserEventService.CollectUserEvent",
    "UserEventService.ImportUserEvents",
    "UserEventService.PurgeUserEvents",
    "UserEventService.WriteUserEvent",
    "EvaluationService.ExportEvaluationResults",
    "EvaluationService.ExportEvaluationRuns",
    "EvaluationService.ExportEvaluations",
    "EvaluationService.ImportEvaluations",
    # They start an operation, which has its own way to be cancelled.
    "DocumentService.ImportDocuments",
    "DocumentService.PurgeDocuments",
    "EvaluationService.RunEvaluation",
    "DocumentService.BatchGetDocumentsMetadata",
    "PermissionService.TransferOwnership",
    "RetrieverService.BatchDeleteChunks",
    "Operations.CancelOperation",
    "DataStoreService.GetDocumentProcessingConfig",
    "DataStoreService.UpdateDocumentProcessingConfig",
}
_ROWS = ("Get", "List", "Create", "Update", "Delete")
"""What begins like this reads or writes a few rows, unless it is in one of the tables."""


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    flags = {"data_dir": folder, "agent_python": True}
    services = build_services(load_settings(flags=flags, environment={}))
    with remembered_runs.remembered():
        fill(services)
    for load in (services.checker, services.reranker, services.reader, services.safety_rater):
        load()
    services.best_span("When?", "It opened in 1998.")
    yield services
    services.close()


@pytest.fixture(scope="module")
def registry(services):
    registry = build_registry(services)
    with remembered_runs.remembered():
        fill_corpus(registry)
    fill_app(registry)
    return registry


def fill_app(registry):
    """Create an app whose agent answers from the documents, and a tool that never ends."""
    source = {"dataStore": {"name": STORE}}
    guide = {"name": "guide", "description": "When did it open?", "dataStoreSource": source}
    code = "def spin():\n    while True:\n        pass\n"
    agent = {"displayName": "Root", "tools": [f"{APP}/tools/guide"]}
    create_all(
        registry,
        "AgentService",
        (
            "CreateApp",
            {"parent": APP[: -len("/apps/a")], "appId": "a", "app": {"displayName": "A"}},
        ),
        ("CreateTool", {"parent": APP, "toolId": "guide", "tool": {"dataStoreTool": guide}}),
        (
            "CreateTool",
            {
                "parent": APP,
                "toolId": "spin",
                "tool": {"pythonFunction": {"name": "spin", "pythonCode": code}},
            },
        ),
        ("CreateAgent", {"parent": APP, "agentId": "root", "agent": agent}),
        (
            "UpdateApp",
            {"app": {"name": APP, "rootAgent": f"{APP}/agents/root"}, "updateMask": "rootAgent"},
        ),
    )


def fill_corpus(registry):
    """Create a corpus with a document, and chunks that can be changed."""
    texts = [{"chunk": {"name": f"{CORPUS}/documents/d/chunks/k{n}"}} for n in range(100)]
    for item in texts:
        item["parent"] = f"{CORPUS}/documents/d"
        item["chunk"]["data"] = {"stringValue": "It opened."}
    create_all(
        registry,
        "RetrieverService",
        ("CreateCorpus", {"corpus": {"name": CORPUS}}),
        ("CreateDocument", {"parent": CORPUS, "document": {"name": f"{CORPUS}/documents/d"}}),
        ("BatchCreateChunks", {"parent": f"{CORPUS}/documents/d", "requests": texts}),
    )


def create_all(registry, service, *requests):
    rpcs = implemented(registry)
    for method, request in requests:
        rpc = rpcs[f"{service}.{method}"]
        caller = Caller(registry, rpc, request)
        caller.thread.join()
        assert not isinstance(caller.outcome, Exception), caller.outcome


def fill(services):
    store = DataStore(parent=COLLECTION, id="s", content_config="CONTENT_REQUIRED")
    with services.records().write() as transaction:
        transaction.resources.create(store)
        transaction.resources.create(
            Engine(parent=COLLECTION, id="e", data_store_ids=("s",), fields=SEARCHES)
        )
    items = [
        services.ingestor().ingest(
            Document(
                id=f"d{n}",
                content=DocumentContent(
                    mime_type="text/plain",
                    raw_bytes=f"{' '.join(WORDS[:9])} opened. {FACTS[n][:5000]}".encode(),
                ),
            ),
            store=store,
        )
        for n in range(DOCUMENTS)
    ]
    with services.records().write() as transaction:
        transaction.documents.upsert(Branch(STORE, "0"), items)
    services.indexer().wait_for(transaction.sequence, timeout_s=PATIENCE_S)


def implemented(registry):
    """Return the RPCs by their short names, one version of each."""
    rpcs = sorted(registry.schema.rpcs.values(), key=lambda rpc: rpc.version)
    return {f"{r.service_name}.{r.method}": r for r in rpcs if registry.is_implemented(r)}


def test_every_rpc_is_known_as_work_or_as_little(tmp_path):
    services = build_services(
        load_settings(flags={"data_dir": tmp_path}, environment={}), run_operations=False
    )
    names = set(implemented(build_registry(services)))
    services.close()
    assert set(WORK) <= names
    assert names >= LITTLE
    unknown = {
        name for name in names - set(WORK) - LITTLE if not name.partition(".")[2].startswith(_ROWS)
    }
    assert not unknown


def as_list(request):
    return request if isinstance(request, list) else [request]


class Caller:
    """Calls a handler in a thread of its own, and goes away."""

    def __init__(self, registry, rpc, request, *, goes_at_once=False):
        self._gone = threading.Event()
        self._goes_at_once = goes_at_once
        self.used_when_gone = 0.0
        self.outcome = None
        self._handler = registry.handler(rpc)
        self._streams = rpc.kind in ("server_stream", "bidi")
        type_ = registry.schema.message_class(rpc.input_type)
        messages = [ParseDict(item, type_()) for item in as_list(request)]
        self._request = iter(messages) if rpc.kind == "bidi" else messages[0]
        self._context = CallContext(
            rpc=rpc,
            deadline=None,
            is_cancelled=self._is_gone,
            request_id="r",
            timings={},
            new_message=registry.schema.message_class(rpc.output_type),
            caller=LOCAL,
        )
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def go(self):
        if not self._gone.is_set():
            self.used_when_gone = used()
            self._gone.set()

    def _is_gone(self):
        if self._goes_at_once:
            self.go()
        return self._gone.is_set()

    def _run(self):
        try:
            answer = self._handler(self._request, self._context)
            self.outcome = list(answer) if self._streams else answer
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.outcome = error


def used():
    """Return the processor time of this process and its children, ended or alive."""
    times = os.times()
    ended = times.user + times.system + times.children_user + times.children_system
    return ended + sum(map(child_used, Path("/proc").glob("[0-9]*/stat")))


def child_used(stat):
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") if int(fields[1]) == os.getpid() else 0.0


@pytest.fixture(scope="module")
def allowed_s(services):
    """The processor time that a caller who has gone may cost, in seconds."""
    claims = "It opened. It closed. It burnt. It sank."
    runs = []
    for _ in range(3):
        before = used()
        services.checker().check(claims, [Fact(text=FACTS[0])], CheckSpec())
        runs.append(used() - before)
    return max(1.0, 1.5 * min(runs))


@pytest.mark.model
@pytest.mark.real_runs
@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(WORK))
def test_a_cancelled_request_stops_working_at_once(registry, name, allowed_s):
    rpc = implemented(registry)[name]
    request = WORK[name](rpc.method)
    costs = []
    while len(costs) < TRIES and min(costs, default=allowed_s) >= allowed_s:
        costs.append(cost_after_the_caller_has_gone(registry, rpc, request))
    assert min(costs) < allowed_s


def cost_after_the_caller_has_gone(registry, rpc, request):
    """Return the processor time in seconds, of this process and its children."""
    for worked in WORKED_S:
        before = used()
        caller = Caller(registry, rpc, request, goes_at_once=not worked)
        while used() - before < worked and caller.thread.is_alive():
            caller.thread.join(0.01)
        if worked:
            caller.go()
        caller.thread.join(PATIENCE_S)
        assert not caller.thread.is_alive()
        if isinstance(caller.outcome, Exception):
            break  # else it was done before it could be told; the next caller goes earlier
    assert isinstance(caller.outcome, Cancelled), repr(caller.outcome)[:300]
    time.sleep(0.3)  # what goes on behind the caller's back would use it
    return used() - caller.used_when_gone
