"""A folder that is imported into one data folder without a server and through one."""

import json
import re

import pytest

from tests.cli.answering_server import serving
from tests.cli.conftest import FakeEmbedder
from toulmin.cli import main
from toulmin.domain import Branch
from toulmin.stores.records import RecordStore

BRANCH = Branch("projects/default/locations/global/collections/default_collection/dataStores/d")


@pytest.fixture
def embedded(fake_embedder, monkeypatch):
    """The texts that were embedded, in a list that a test may clear."""
    found, embed = [], FakeEmbedder.embed

    def told(self, texts, **more):
        given = list(texts)
        found.extend(given)
        return embed(self, given, **more)

    monkeypatch.setattr(FakeEmbedder, "embed", told)
    return found


@pytest.fixture
def imported(files, tmp_path, capsys):
    """Return the two ways of importing `files`; each returns how many were unchanged."""

    def here():
        flags = ["--data-dir", str(tmp_path / "data"), "--parser-processes", "1"]
        return done([str(files), "--store", "d", "--json", "--quiet", *flags])

    def there():
        with serving(tmp_path / "data") as server:
            return done([str(files), "--store", "d", "--server", server.url])

    def done(arguments):
        assert main(["ingest", *arguments]) == 0
        out = capsys.readouterr().out
        if out.startswith("{"):
            outcome = json.loads(out)
            assert outcome["documents"] == 3
            return outcome["unchanged"]
        assert out.startswith("d: 3 documents, ")
        found = re.search(r"(\d+) of them unchanged", out)
        return int(found[1]) if found else 0

    return {"here": here, "there": there}


def kept(tmp_path):
    """Return by id what is stored of each document, without what differs by the way it came."""
    records = RecordStore(tmp_path / "data")
    try:
        with records.read() as transaction:
            documents = transaction.documents.list(BRANCH, page_size=100).items
            return {
                document.id: (
                    document.generation,
                    document.derived["title"],
                    [
                        (chunk.content, chunk.headings, chunk.embedding, chunk.part_embeddings)
                        for chunk in transaction.documents.chunks(
                            BRANCH, document.id, page_size=100
                        ).items
                    ],
                )
                for document in documents
            }
    finally:
        records.close()


ORDERS = pytest.mark.parametrize(("first", "second"), [("here", "there"), ("there", "here")])


@ORDERS
def test_the_other_way_embeds_nothing_again(first, second, imported, embedded, tmp_path):
    imported[first]()
    assert len(embedded) == 3
    before = kept(tmp_path)
    embedded.clear()
    assert imported[second]() == 0
    assert embedded == []
    after = kept(tmp_path)
    assert after.keys() == before.keys()
    for id_, (generation, *same) in after.items():
        assert generation == 2
        assert tuple(same) == before[id_][1:]
    imported[second]()
    assert embedded == []
    assert kept(tmp_path) == after  # now nothing is read, either


@ORDERS
def test_a_file_that_changed_meanwhile_is_embedded_and_no_other(
    first, second, imported, embedded, files, tmp_path
):
    imported[first]()
    embedded.clear()
    (files / "otters.md").write_text("# Otters\n\nOtters sleep in dens.\n")
    imported[second]()
    (text,) = embedded
    assert "Otters sleep in dens." in text
    (now,) = [rest for id_, rest in kept(tmp_path).items() if id_.startswith("otters-md-")]
    assert "Otters sleep in dens." in now[2][0][0]
