import json

import grpc
import pytest
from google.ai import generativelanguage_v1beta as api

from tests.cli.answering_server import serving
from toulmin.cli import import_corpus, main
from toulmin.cli.access import LocalApi
from toulmin.cli.corpora import writer
from toulmin.cli.corpora.items import Item, Kind, Problem, read_export
from toulmin.errors import Unavailable

CORPUS = "corpora/old-notes-123"
TOWERS, BEES = f"{CORPUS}/documents/towers", f"{CORPUS}/documents/bees"
TEXTS = {
    f"{TOWERS}/chunks/eiffel": "The Eiffel Tower was finished on 31 March 1889.",
    f"{TOWERS}/chunks/tokyo": "The Tokyo Tower was finished in 1958.",
    f"{BEES}/chunks/queen": "A queen bee lays up to two thousand eggs a day.",
}
METADATA = [
    {"key": "country", "stringValue": "fr"},
    {"key": "height", "numericValue": 330},
    {"key": "tags", "stringListValue": {"values": ["iron", "high"]}},
]
TIMES = {"createTime": "2024-03-01T10:00:00Z", "updateTime": "2024-03-02T10:00:00.5Z"}


def rows():
    """The corpus as the REST API answers, one object for each thing."""
    yield {"name": CORPUS, "displayName": "Old notes", **TIMES}
    yield {"name": TOWERS, "displayName": "Towers", "customMetadata": METADATA, **TIMES}
    yield {"name": BEES, "displayName": "Bees", **TIMES}
    for name, text in TEXTS.items():
        metadata = METADATA if "eiffel" in name else []
        data = {"stringValue": text}
        state = {"state": "STATE_ACTIVE"}
        yield {"name": name, "data": data, "customMetadata": metadata, **state, **TIMES}


def lines_of(values):
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text(lines_of(rows()))
    return path


@pytest.fixture
def client():
    """Return a function: a server -> its RetrieverService by the official client."""
    channels = []

    def make(server):
        channels.append(grpc.insecure_channel(f"127.0.0.1:{server.port}"))
        transport = api.RetrieverServiceClient.get_transport_class("grpc")(channel=channels[-1])
        return api.RetrieverServiceClient(transport=transport)

    yield make
    for channel in channels:
        channel.close()


def items(path):
    return [item for item in read_export(path) if isinstance(item, Item)]


def problems(path):
    return [
        f"{item.where}: {item.message}" for item in read_export(path) if isinstance(item, Problem)
    ]


class TestReading:
    def test_what_the_rest_api_answers(self, export):
        corpus, towers, bees, eiffel, *_ = items(export)
        assert (corpus.kind, corpus.name, corpus.display_name) == (
            Kind.CORPUS,
            CORPUS,
            "Old notes",
        )
        assert (towers.kind, towers.parent) == (Kind.DOCUMENT, CORPUS)
        assert towers.metadata == {"country": "fr", "height": 330.0, "tags": ["iron", "high"]}
        assert bees.metadata == {}
        assert (eiffel.kind, eiffel.parent, eiffel.text) == (
            Kind.CHUNK,
            TOWERS,
            TEXTS[eiffel.name],
        )
        assert eiffel.where.endswith("export.jsonl, line 4")
        assert problems(export) == []

    def test_what_the_official_client_writes(self, tmp_path, export):
        messages = [
            api.Corpus(name=CORPUS, display_name="Old notes"),
            *(
                api.Document(name=name, display_name=title, custom_metadata=metadata)
                for name, title, metadata in (
                    (
                        TOWERS,
                        "Towers",
                        [
                            api.CustomMetadata(key="country", string_value="fr"),
                            api.CustomMetadata(key="height", numeric_value=330),
                            api.CustomMetadata(
                                key="tags",
                                string_list_value=api.StringList(values=["iron", "high"]),
                            ),
                        ],
                    ),
                    (BEES, "Bees", []),
                )
            ),
            *(
                api.Chunk(name=name, data={"string_value": text}, state=2)
                for name, text in TEXTS.items()
            ),
        ]
        wanted = [(item.name, item.display_name, item.text) for item in items(export)]
        for number, dump in enumerate(
            (
                lambda message: json.loads(type(message).to_json(message)),
                lambda message: type(message).to_dict(message),
                lambda message: json.loads(
                    type(message).to_json(message, use_integers_for_enums=False)
                ),
            )
        ):
            path = tmp_path / f"{number}.json"
            path.write_text(json.dumps([dump(message) for message in messages]))
            found = items(path)
            assert [(item.name, item.display_name, item.text) for item in found] == wanted
            assert found[1].metadata == {"country": "fr", "height": 330, "tags": ["iron", "high"]}
            assert problems(path) == []

    def test_one_inside_the_other_with_plain_values(self, tmp_path):
        document = {
            "name": TOWERS,
            "display_name": "Towers",
            "custom_metadata": [
                {"key": "country", "value": "fr"},
                {"key": "tags", "value": ["iron"]},
                {"key": "height", "value": 330},
            ],
            "chunks": [{"name": f"{TOWERS}/chunks/a", "data": "Words.", "state": 2}],
        }
        path = tmp_path / "tree.json"
        corpus = {"name": CORPUS, "documents": [document]}
        path.write_text(json.dumps({"corpora": [corpus]}, indent=2))
        found = items(path)
        assert [item.kind for item in found] == [Kind.CORPUS, Kind.DOCUMENT, Kind.CHUNK]
        assert found[1].metadata == {"country": "fr", "tags": ["iron"], "height": 330}
        assert found[2].text == "Words."

    def test_lines_in_a_file_of_another_name(self, tmp_path, export):
        path = tmp_path / "dump.txt"
        path.write_text(export.read_text())
        assert [item.name for item in items(path)] == [item.name for item in items(export)]

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("{", ["line 1", "not JSON"]),
            ("7", ["line 1", "no object"]),
            ("{}", ["no name"]),
            ('{"name": "models/aqa"}', ["models/aqa", "no corpus"]),
            (json.dumps({"name": f"{TOWERS}/chunks/a"}), ["chunks/a", "no text"]),
            (json.dumps({"name": f"{TOWERS}/chunks/a", "data": {"stringValue": " "}}), ["no text"]),
            (
                json.dumps({"name": TOWERS, "customMetadata": [{"stringValue": "x"}]}),
                ["[0]", "key"],
            ),
            (json.dumps({"name": TOWERS, "customMetadata": [{"key": "k"}]}), ['"k"', "no text"]),
            (json.dumps({"name": TOWERS, "customMetadata": {"k": True}}), ['"k"']),
            (json.dumps({"documents": [], "nextPageToken": "x"}), ["another page"]),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path, line, words):
        path = tmp_path / "bad.jsonl"
        path.write_text(line + "\n" + json.dumps({"name": CORPUS}))
        (problem,) = problems(path)
        for word in words:
            assert word in problem
        assert [item.name for item in items(path)] == [CORPUS]

    def test_permissions_are_passed_over(self, tmp_path):
        path = tmp_path / "p.json"
        path.write_text(json.dumps({"name": f"{CORPUS}/permissions/1", "role": "READER"}))
        assert list(read_export(path)) == []


def stored(retriever):
    """Everything in a server but times, by name."""
    found = {}
    for corpus in retriever.list_corpora(request={}):
        found[corpus.name] = corpus.display_name
        for document in retriever.list_documents(request={"parent": corpus.name}):
            found[document.name] = (document.display_name, list(document.custom_metadata))
            for chunk in retriever.list_chunks(request={"parent": document.name}):
                found[chunk.name] = (chunk.data.string_value, list(chunk.custom_metadata))
    return found


def answers(retriever):
    """What a corpus answers to a few queries, with scores."""
    return [
        [
            (item.chunk.name, round(item.chunk_relevance_score, 6))
            for item in retriever.query_corpus(
                request={"name": CORPUS, "query": query, "metadata_filters": filters}
            ).relevant_chunks
        ]
        for query, filters in (
            ("When was the Eiffel Tower finished?", []),
            ("eggs of a queen", []),
            (
                "tower",
                [
                    {
                        "key": "chunk.custom_metadata.height",
                        "conditions": [{"operation": "GREATER", "numeric_value": 300}],
                    }
                ],
            ),
        )
    ]


class TestImport:
    def test_from_one_server_into_another(self, export, tmp_path, client, capsys, monkeypatch):
        """A file into a folder; that served and listed into a second one; both answer the same."""
        first, second = tmp_path / "first", tmp_path / "second"
        assert main(["import-corpus", str(export), "--data-dir", str(first)]) == 0
        out = capsys.readouterr().out
        assert "corpora    1 created, 0 changed, 0 already there\n" in out
        assert "documents  2 created" in out
        assert "chunks     3 created" in out
        monkeypatch.setenv("GEMINI_API_KEY", "any")
        with serving(first) as source, serving(second) as target:
            from_source = ["--from-api", "--api-url", source.url, "--server", target.url]
            assert main(["import-corpus", *from_source]) == 0
            assert "chunks     3 created" in capsys.readouterr().out
            old, new = client(source), client(target)
            assert stored(new) == stored(old)
            assert stored(old)[CORPUS] == "Old notes"
            assert answers(new) == answers(old)
            assert answers(new)[0][0][0] == f"{TOWERS}/chunks/eiffel"
            assert [name for name, _ in answers(new)[2]] == [f"{TOWERS}/chunks/eiffel"]
            assert main(["import-corpus", *from_source]) == 0
            again = capsys.readouterr().out
            assert "chunks     0 created, 0 changed, 3 already there" in again


@pytest.fixture
def local(fake_embedder, tmp_path):
    """Return a function that runs the verb on a folder, and one that lists what is in it."""
    flags = ["--data-dir", str(tmp_path / "data"), "--quiet"]

    def run(*arguments):
        return main(["import-corpus", *map(str, arguments), *flags])

    return run


class TestAgain:
    def test_what_differs_is_changed(self, local, export, capsys):
        assert local(export) == 0
        changed = []
        for row in rows():
            if row["name"] == CORPUS:
                row["displayName"] = "New notes"
            if row["name"] == BEES:
                row["customMetadata"] = [{"key": "lang", "stringValue": "en"}]
            if row["name"].endswith("tokyo"):
                row["data"] = {"stringValue": "It was finished in 1958."}
            changed.append(row)
        export.write_text(lines_of(changed))
        capsys.readouterr()
        assert local(export) == 0
        assert capsys.readouterr().out.splitlines() == [
            "corpora    0 created, 1 changed, 0 already there",
            "documents  0 created, 1 changed, 1 already there",
            "chunks     0 created, 1 changed, 2 already there",
        ]
        assert local(export) == 0
        assert "0 changed, 3 already there" in capsys.readouterr().out

    def test_a_dry_run_says_what_would_be_and_writes_nothing(self, local, export, capsys):
        for _ in range(2):
            assert local(export, "--dry-run") == 0
            assert capsys.readouterr().out.splitlines() == [
                "corpora    1 would be created, 0 would be changed, 0 already there",
                "documents  2 would be created, 0 would be changed, 0 already there",
                "chunks     3 would be created, 0 would be changed, 0 already there",
            ]

    def test_the_outcome_as_json(self, local, export, capsys):
        assert local(export, "--dry-run", "--json") == 0
        outcome = json.loads(capsys.readouterr().out)
        assert outcome["dry_run"]
        assert [outcome[kind]["created"] for kind in Kind] == [1, 2, 3]
        assert outcome["problems"] == []

    def test_after_a_stop_it_goes_on(self, local, export, capsys, monkeypatch):
        real = LocalApi.call
        seen = []

        def call(self, method, path, *arguments, **more):
            seen.append(path)
            if path == f"{BEES}/chunks:batchCreate":
                raise Unavailable("the disk is away")
            return real(self, method, path, *arguments, **more)

        monkeypatch.setattr(LocalApi, "call", call)
        assert local(export) == 2
        said = capsys.readouterr()
        assert "the disk is away" in said.err
        assert "chunks     2 created" in said.out
        monkeypatch.setattr(LocalApi, "call", real)
        assert local(export) == 0
        assert "chunks     1 created, 0 changed, 2 already there" in capsys.readouterr().out

    def test_chunks_alone_bring_their_document_and_corpus(self, local, export, capsys):
        export.write_text(lines_of(row for row in rows() if "/chunks/" in row["name"]))
        assert local(export) == 0
        assert capsys.readouterr().out.splitlines() == [
            "corpora    1 created, 0 changed, 0 already there",
            "documents  2 created, 0 changed, 0 already there",
            "chunks     3 created, 0 changed, 0 already there",
        ]
        export.write_text(lines_of(rows()))
        assert local(export) == 0
        assert "documents  0 created, 2 changed" in capsys.readouterr().out

    def test_order_and_number_do_not_matter(self, local, export, capsys):
        many = [
            {"name": f"{TOWERS}/chunks/n{number}", "data": {"stringValue": f"Room {number}."}}
            for number in range(230)
        ]
        export.write_text(lines_of([*reversed(many), *reversed(list(rows())), many[0]]))
        assert local(export) == 0
        out = capsys.readouterr().out
        assert "chunks     233 created, 0 changed, 1 already there" in out
        assert local(export) == 0
        assert "chunks     0 created, 0 changed, 234 already there" in capsys.readouterr().out


class TestProblems:
    def test_one_bad_chunk_does_not_hold_up_the_others(self, local, export, capsys):
        bad = [
            {"name": f"{TOWERS}/chunks/Bad_Id", "data": {"stringValue": "Words."}},
            {"name": f"{TOWERS}/chunks/long", "data": {"stringValue": "word " * 3000}},
        ]
        export.write_text(lines_of([*rows(), *bad]) + "{broken\n")
        assert local(export) == 1
        out = capsys.readouterr().out
        assert "chunks     3 created, 0 changed, 0 already there, 2 failed" in out
        assert "1 could not be read" in out
        assert "line 7: " in out
        assert "Bad_Id" in out
        assert "2,043" in out
        assert "line 9: is not JSON" in out

    def test_what_is_below_something_that_failed_fails_with_it(self, local, export, capsys):
        wrong = [
            {**row, "name": row["name"].replace("old-notes-123", "Old_Notes")} for row in rows()
        ]
        export.write_text(lines_of(wrong))
        assert local(export) == 1
        out = capsys.readouterr().out
        assert "corpora    0 created, 0 changed, 0 already there, 1 failed" in out
        assert "documents  0 created, 0 changed, 0 already there, 2 failed" in out
        assert "chunks     0 created, 0 changed, 0 already there, 3 failed" in out
        assert out.count("Old_Notes") == 2  # said once, with the name and in the message

    def test_only_so_many_are_shown(self, local, export, capsys):
        export.write_text("x\n" * 250)
        assert local(export) == 1
        out = capsys.readouterr().out
        assert "250 could not be read" in out
        assert out.count("is not JSON") == writer.MOST_PROBLEMS

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            ([], "--from-api"),
            (["x.json", "--from-api"], "--from-api"),
            (["missing.json"], "missing.json"),
            (["--from-api", "--api-url", "ftp://x"], "--api-url"),
            (["--from-api", "--api-url", "http://127.0.0.1:1"], "cannot be reached"),
        ],
    )
    def test_wrong_usage(self, local, arguments, word, capsys):
        assert local(*arguments) == 2
        assert word in capsys.readouterr().err

    def test_a_file_that_is_no_json(self, local, tmp_path, capsys):
        path = tmp_path / "notes.txt"
        path.write_text("These are my notes.")
        assert local(path) == 2
        assert "is not JSON" in capsys.readouterr().err


def test_a_document_that_cannot_be_listed_does_not_hold_up_the_others():
    class Source:
        def call(self, _method, path, _body=None, _query=None, *, version):
            assert version == "v1beta"
            if path == "corpora":
                return {"corpora": [{"name": CORPUS}]}
            if path == f"{CORPUS}/documents":
                return {"documents": [{"name": TOWERS}, {"name": BEES}]}
            if path == f"{TOWERS}/chunks":
                raise Unavailable("busy")
            return {"chunks": [{"name": f"{BEES}/chunks/a", "data": {"stringValue": "Words."}}]}

    found = list(import_corpus.list_api(Source()))
    assert [item.name for item in found if isinstance(item, Item)] == [
        CORPUS,
        TOWERS,
        BEES,
        f"{BEES}/chunks/a",
    ]
    assert [item for item in found if isinstance(item, Problem)] == [
        Problem(f"chunks of {TOWERS}", "busy")
    ]
