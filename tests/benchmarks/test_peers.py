"""The comparison with peers counts what it says it counts."""

import base64
import json
import sys
import threading
import time

import numpy as np
import pytest

from tests.benchmarks.modules import load

main = load("peers.__main__")
material = load("peers.material")
rest = load("peers.rest")
statistics = load("peers.statistics")
tables = load("speed.tables")
worker = load("peers.worker")
Collection = load("retrieval_collections").Collection

THREE = Collection(
    "three",
    [f"document {number}" for number in range(3)],
    ["first of all", "second"],
    [{0: 4, 2: 1}, {1: 1}],
)


def test_a_collection_comes_back_from_its_file(tmp_path):
    file = material.write(THREE, tmp_path / "three.json")
    value = json.loads(file.read_text())
    assert value["documents"] == THREE.documents
    assert value["queries"] == THREE.queries


def test_a_sample_keeps_the_documents_that_its_queries_need():
    documents = [f"d{number}" for number in range(1000)]
    queries = [f"q{number}" for number in range(100)]
    relevant = [{999 - number: 1} for number in range(100)]
    part = material._part(Collection("many", documents, queries, relevant), 0.3)
    assert (len(part.documents), len(part.queries)) == (330, 30)
    for number, needed in enumerate(part.relevant):
        assert [part.documents[place] for place in needed] == [f"d{999 - number}"]


def test_quality_is_by_query():
    found = statistics.by_query([[0, 1, 2], [0, 2]], THREE)
    best = 4 + 1 / np.log2(3)
    assert found["ndcg@10"] == pytest.approx([(4 + 0.5) / best, 0])
    assert found["recall@5"].tolist() == [1, 0]


def test_a_difference_has_an_interval_around_its_mean():
    ours = np.array([1.0, 0.0] * 50)
    found = statistics.difference(ours, np.full(100, 0.25))
    assert found["mean"] == 0.25
    assert 0.1 < found["from"] < 0.25 < found["to"] < 0.4
    same = statistics.difference(ours, ours)
    assert same == {"mean": 0, "from": 0, "to": 0}


def test_every_query_is_asked_once_alone_and_once_by_threads_in_other_words():
    asked = []
    lock = threading.Lock()

    def search(query, limit):
        time.sleep(0.001)
        with lock:
            asked.append((query, threading.current_thread() is threading.main_thread()))
        return [len(query), limit]

    queries = [f"word {number}" for number in range(40)]
    found = worker.answers(search, queries, cpu_s=time.process_time)
    alone = [query for query, is_main in asked if is_main]
    assert alone == [*(f"{n} word" for n in range(worker.WARM_UP)), *queries]
    assert sorted(query for query, is_main in asked if not is_main) == sorted(
        f"{n} word ?" for n in range(40)
    )
    assert found["rankings"][3] == [6, worker.LIMIT]
    assert len(found["single_ms"]) == len(found["threads_ms"]) == 40


def test_a_library_that_fails_in_threads_has_no_figure():
    def search(_query, _limit):
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("one thread only")
        return []

    found = worker.answers(search, ["a b", "c"], cpu_s=time.process_time)
    assert found["threads_ms"] == []
    assert found["threads_queries_per_s"] is None
    assert statistics.ask_figures({**found, "cold_start_s": 1, "peak_mib": 1})["threads_ms"] is None


class Substrings:
    """A peer that finds the documents that contain the query's first word."""

    def __init__(self):
        self.steps = []
        self.documents = []

    def prepare(self):
        self.steps.append("prepare")

    def add(self, documents):
        self.documents = documents

    def keep(self):
        self.steps.append("keep")

    def open(self):
        self.steps.append("open")

    def search(self, query, limit):
        word = query.split()[0]
        return [n for n, text in enumerate(self.documents) if word in text][:limit]

    def close(self):
        self.steps.append("close")


def test_a_worker_imports_and_then_opens_and_answers():
    peer = Substrings()
    began = time.time()
    found = worker.imported(peer, THREE.documents, began)
    assert peer.steps == ["prepare", "keep", "close"]
    assert found["documents"] == 3
    assert 0 <= found["import_s"] <= found["load_s"] + time.time() - began
    assert found["peak_mib"] > 1
    found = worker.asked(peer, ["document 1", "2 or 3"], began)
    assert peer.steps[3:] == ["open", "close"]
    assert found["rankings"] == [[0, 1, 2], [2]]
    assert found["cold_start_s"] > 0


def test_a_peer_that_cannot_be_loaded_is_named(tmp_path):
    python = tmp_path / "absent" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    place = main.Run(tmp_path, tmp_path, timed=None)
    system = main.System("no such peer", "absent", "words")
    with main._folder(THREE) as folder, pytest.raises(RuntimeError, match="no such peer import"):
        main._worked(system, "import", folder, place, [])


def test_an_import_file_holds_the_documents_by_place(tmp_path):
    rest.write_documents(["née", "two"], tmp_path)
    rows = [json.loads(line) for line in (tmp_path / rest.FILE).read_text().splitlines()]
    assert [row["id"] for row in rows] == ["d0", "d1"]
    assert base64.b64decode(rows[0]["content"]["rawBytes"]).decode() == "née"


def test_results_of_both_modes_are_places_once_each():
    branch = f"{rest.STORE}/branches/0/documents"
    answers = [
        {"chunk": {"name": f"{branch}/d7/chunks/c1"}},
        {"chunk": {"name": f"{branch}/d7/chunks/c2"}},
        {"document": {"name": f"{branch}/d3"}},
    ]
    calls = []

    def call(method, path, body):
        calls.append((method, path, body))
        return {"results": answers}

    assert rest.search(call, "words", 10, mode="CHUNKS") == [7, 3]
    assert calls[0][2]["contentSearchSpec"] == {"searchResultMode": "CHUNKS"}


def test_ratios_above_one_say_that_ours_is_ahead():
    assert tables._times({"rate": 30.0}, {"rate": 10.0}, "rate") == "**3.00 x**"
    assert tables._times({"rate": 1.0}, {"rate": 500.0}, "rate") == "1/500 x"
    assert tables._times({"rate": None}, {"rate": 10.0}, "rate") == "-"


def answered(rankings):
    """What a worker says, with these rankings."""
    return {
        "rankings": rankings,
        "single_ms": [1.0, 2.0],
        "single_cpu_ms": 1.0,
        "threads_ms": [3.0],
        "threads_queries_per_s": 9.0,
        "cold_start_s": 0.5,
        "peak_mib": 70,
        "others_busy": 0.0,
    }


def test_a_system_that_fails_has_a_row_that_says_why_and_the_others_go_on(monkeypatch, tmp_path):
    made = {"import_s": 2.0, "import_cpu_s": 1.0, "keep_s": 0.0, "load_s": 1.0}
    made |= {"documents": 10, "peak_mib": 100, "others_busy": 0.1}

    def measured(system, _collection, _place):
        if system.peer == "broken":
            raise RuntimeError("Traceback\nImportError: no such module")
        if system.peer == "toulmin":
            return {"import": made, "ask": {"CHUNKS": answered([[0, 2], [1]])}}
        return {"import": made, "ask": {"": answered([[1], [2]])}}

    monkeypatch.setattr(main, "measured", measured)
    ours = main.OURS.removesuffix(", chunks")
    systems = [
        main.System(ours, "toulmin", "server", ("CHUNKS",)),
        main.System("broken", "broken", "x"),
        main.System("other", "other", "x"),
    ]
    rows, saved = {}, []
    place = main.Run(tmp_path, tmp_path, None)
    main.compare(THREE, systems, place, rows, lambda: saved.append(list(rows)))
    assert list(rows) == [main.OURS, "broken", "other"]
    assert rows["broken"] == {"failed": "ImportError: no such module"}
    assert rows["other"]["import"]["documents_per_s"] == 5
    assert (rows[main.OURS]["ndcg@10"], rows["other"]["ndcg@10"]) == (1, 0)
    assert rows["other"]["ours_more_by"]["recall@5"] == {"mean": 1, "from": 1, "to": 1}
    assert len(saved) == 2
