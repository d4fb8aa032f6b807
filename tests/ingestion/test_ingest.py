import base64
import dataclasses

import numpy as np
import pytest

from tests.ingestion import files
from tests.ingestion.importing import Files, HashEmbedder, HereParsers, file_document
from toulmin.domain import DataStore, Document, DocumentContent
from toulmin.errors import (
    Cancelled,
    Internal,
    InvalidArgument,
    NotFound,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.chunk_vectors import ChunkText, embed_chunks
from toulmin.ingestion.derived import is_title
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.parsing.sandbox import ParserPool
from toulmin.ingestion.token_count import count_tokens
from toulmin.work import Work

STORE = DataStore(parent="p", id="s")
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SENTENCE = "The quick brown fox jumps over the lazy dog again and again. "


def store_with(**config):
    processing = {"chunkingConfig": {"layoutBasedChunkingConfig": config}}
    return dataclasses.replace(STORE, fields={"documentProcessingConfig": processing})


def raw(content, mime_type="text/plain", document_id="a", **more):
    if isinstance(content, str):
        content = content.encode()
    return Document(
        id=document_id, content=DocumentContent(mime_type=mime_type, raw_bytes=content), **more
    )


@pytest.fixture
def source():
    return Files()


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def ingestor(source, embedder):
    return Ingestor(HereParsers(), embedder, source.fetch, version_of=source.version)


def vector(chunk):
    return np.frombuffer(chunk.embedding, dtype="<f2").astype(np.float32)


def test_files_are_parsed_in_child_processes_side_by_side(embedder, source):
    body = (
        files.paragraph("Oil", '<w:pStyle w:val="Heading1"/>')
        + files.paragraph("Prices rose.")
        + '<w:p><w:r><x:blip xmlns:x="x" r:embed="rId1"/></w:r></w:p>'
    )
    with ParserPool(children=2) as pool:
        ingestor = Ingestor(pool, embedder, source.fetch)
        word, broken, text = ingestor.ingest_many(
            [raw(files.docx(body), DOCX), raw(b"%PDF-1.4 x", document_id="b"), raw("Hi.")],
            store=STORE,
        )
    assert isinstance(broken, InvalidArgument)
    assert broken.message.startswith("b: is a damaged PDF")
    assert text.text == "Hi."
    assert word.text == "Oil\n\nPrices rose."
    assert word.document.derived == {"title": "Oil", "mime_type": DOCX}
    (chunk,), (blob,) = word.chunks, word.blobs
    assert (chunk.id, chunk.blob_ids, chunk.page_start) == ("c1", ("b1",), None)
    assert word.text[chunk.start : chunk.end] == chunk.content
    assert (blob.id, blob.mime_type, blob.data, blob.page) == ("b1", "image/png", files.PNG, None)
    assert chunk.embedding_model == "embedder hash-1"
    assert len(chunk.embedding) == 2 * 384
    assert embedder.texts == ["Oil\n\nPrices rose.", "Hi."]  # the title is in the words already


def test_pages_metadata_and_the_link(ingestor, source):
    content = files.pdf(
        [files.text_at(50, 700, "First page."), files.text_at(50, 700, "Second page.")],
        info="/Title (Microsoft Word - x.doc) /Author (Ada)",
    )
    source.files["file:///d/Annual%20report.pdf"] = (content, "7")
    uri = "file:///d/Annual%20report.pdf"
    document = Document(id="a", content=DocumentContent(mime_type="application/pdf", uri=uri))
    found = ingestor.ingest(document, store=STORE)
    derived = found.document.derived
    assert (derived["title"], derived["link"]) == ("Annual report", uri)
    assert (derived["pages"], derived["author"]) == (2, "Ada")
    assert (found.chunks[0].page_start, found.chunks[-1].page_end) == (1, 2)
    assert found.document.content.raw_bytes is None
    assert found.document.index_time is not None


def test_a_document_of_data_alone(ingestor, embedder):
    data = {"title": "Blue chair", "uri": "https://shop.example/1", "text": SENTENCE * 5}
    found = ingestor.ingest(Document(id="a", struct_data=data), store=STORE)
    assert found.document.derived == {"title": "Blue chair", "link": "https://shop.example/1"}
    assert found.document.struct_data is data
    assert found.text == f"Blue chair\n\n{(SENTENCE * 5).strip()}"
    assert embedder.texts == [found.text]


def test_data_beside_content_give_title_and_link_but_no_text(ingestor):
    document = raw("# Heading\n\nWords.", "text/markdown", struct_data={"name": "N", "url": "u"})
    found = ingestor.ingest(document, store=STORE)
    assert found.text == "Heading\n\nWords."
    assert (found.document.derived["title"], found.document.derived["link"]) == ("N", "u")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Annual report 2024", True),
        ("Untitled", False),
        ("untitled document 3", False),
        ("Microsoft Word - x.doc", False),
        ("PowerPoint Presentation", False),
        ("Document1", False),
        ("paper.tex", False),
        ("report.pdf", False),
        ("12-34", False),
        ("  ", False),
        ("Node.js", True),
        ("«3E*» .. 1. /^ . ^", False),
        ("Documents of the war", True),
    ],
)
def test_what_is_a_title(text, expected):
    assert is_title(text) is expected


def test_chunks_follow_the_data_store(ingestor):
    text = "# Top\n\n" + SENTENCE * 40
    store = store_with(chunkSize=100, includeAncestorHeadings=True)
    chunks = ingestor.ingest(raw(text, "text/markdown"), store=store).chunks
    assert [chunk.id for chunk in chunks] == [f"c{n}" for n in range(1, len(chunks) + 1)]
    assert all(count_tokens(chunk.content) <= 100 for chunk in chunks)
    assert chunks[1].headings == ("Top",)
    assert chunks[1].content.startswith("Top\n\nThe quick")
    assert len(ingestor.ingest(raw(text, "text/markdown"), store=STORE).chunks) < len(chunks)


@pytest.mark.parametrize("size", [99, 501, -1, "many", 200.5])
def test_a_wrong_chunk_size_names_its_field(ingestor, size):
    with pytest.raises(InvalidArgument, match="from 100 to 500") as caught:
        ingestor.ingest_many([raw("x")], store=store_with(chunkSize=size))
    assert caught.value.violations[0].field.endswith("layout_based_chunking_config.chunk_size")
    ingestor.ingest(raw("x"), store=store_with(chunkSize=0))  # protobuf's "not set"


def test_headings_and_title_go_into_the_vector_but_not_twice(ingestor, embedder):
    text = f"# Top\n\n{SENTENCE * 20}\n\n## Sub\n\n{SENTENCE * 20}"
    found = ingestor.ingest(
        raw(text, "text/markdown", struct_data={"title": "Report"}),
        store=store_with(chunkSize=400, includeAncestorHeadings=True),
    )
    assert [text[:22] for text in embedder.texts] == [
        "Report\nTop\n\nThe quick ",
        "Report\nTop\nSub\n\nThe qu",
    ]
    for chunk, embedded in zip(found.chunks, embedder.texts, strict=True):
        expected = HashEmbedder.vector(embedded)
        assert np.allclose(vector(chunk), expected, atol=1e-3)


def test_stored_chunks_are_embedded_again_as_they_were(ingestor, embedder):
    text = f"# Top\n\n## Sub\n\n{SENTENCE * 90}"
    found = ingestor.ingest(
        raw(text, "text/markdown", struct_data={"title": "Report"}),
        store=store_with(chunkSize=400, includeAncestorHeadings=True),
    )
    assert len(found.chunks) > 2
    again = embed_chunks(
        embedder, [ChunkText("Report", chunk.headings, chunk.content) for chunk in found.chunks]
    )
    assert [row.astype("<f2").tobytes() for row in again] == [
        chunk.embedding for chunk in found.chunks
    ]
    assert embedder.texts[-1].startswith("Report\nTop\nSub\nThe quick")


def test_a_long_chunk_is_the_mean_of_its_halves(ingestor, embedder):
    found = ingestor.ingest(raw(SENTENCE * 33, struct_data={"title": "Fox"}), store=STORE)
    (chunk,) = found.chunks
    first, second = embedder.texts
    assert first.startswith("Fox\nThe quick")
    assert second.startswith("Fox\nThe quick")  # cut between sentences
    assert abs(len(first) - len(second)) < 2 * len(SENTENCE)
    mean = HashEmbedder.vector(first) + HashEmbedder.vector(second)
    assert np.allclose(vector(chunk), mean / np.linalg.norm(mean), atol=1e-3)
    assert abs(np.linalg.norm(vector(chunk)) - 1) < 1e-2


def test_a_script_without_spaces_is_halved_too(ingestor, embedder):
    ingestor.ingest(raw("東" * 400), store=STORE)
    assert embedder.texts == ["東" * 200] * 2


def test_captions_go_with_their_images(ingestor):
    def picture(number):
        name = f"i{number}.png"
        return f'<img src="data:image/png;base64,{_png(number)}" alt="{name}">'

    html = (
        "<html><body><p>Start of the text.</p>"
        f"<figure>{picture(1)}<figcaption>Figure 1</figcaption></figure>"
        f"<figure>{picture(2)}</figure><p>End of the text.</p></body></html>"
    )
    found = ingestor.ingest(raw(html, "text/html"), store=STORE)
    assert [blob.caption for blob in found.blobs] == ["Figure 1", ""]


def _png(number):
    return base64.b64encode(files.PNG + bytes([number])).decode()


def test_fingerprints_say_when_nothing_would_change(ingestor, source, embedder):
    given = raw("Words.", struct_data={"a": 1, "b": {"c": 2}})
    first = ingestor.ingest(given, store=STORE).document.fingerprint
    assert len(first) == 64
    reordered = dataclasses.replace(given, struct_data={"b": {"c": 2}, "a": 1}, id="other")
    assert ingestor.fingerprint(reordered, store=STORE) == first
    changed = [
        dataclasses.replace(given, struct_data={"a": 1}),
        dataclasses.replace(given, schema_id="s"),
        dataclasses.replace(given, parent_document_id="p"),
        raw("Words!", struct_data=given.struct_data),
        raw("Words.", "text/markdown", struct_data=given.struct_data),
    ]
    marks = {ingestor.fingerprint(document, store=STORE) for document in changed}
    marks.add(ingestor.fingerprint(given, store=store_with(chunkSize=200)))
    embedder.version = "hash-2"
    marks.add(ingestor.fingerprint(given, store=STORE))
    assert len(marks | {first}) == 8


def test_unchanged_files_are_not_read(ingestor, source):
    source.put("a", "One.", "1")
    document = file_document("a")
    mark = ingestor.ingest(document, store=STORE).document.fingerprint
    assert mark == ingestor.fingerprint(document, store=STORE, version="1")
    source.read.clear()
    assert ingestor.ingest_changed([document], store=STORE, known={"a": mark}) == [None]
    assert source.read == []
    source.put("a", "Two.", "2")
    (found,) = ingestor.ingest_changed([document], store=STORE, known={"a": mark})
    assert found.text == "Two."


def test_without_versions_the_bytes_decide(embedder, source):
    source.put("a", "One.", "")
    parsers = HereParsers()
    ingestor = Ingestor(parsers, embedder, source.fetch)
    mark = ingestor.ingest(file_document("a"), store=STORE).document.fingerprint
    assert ingestor.ingest_changed([file_document("a")], store=STORE, known={"a": mark}) == [None]
    assert parsers.parsed == ["a.txt"]  # read again, but not parsed
    source.put("a", "Two.", "")
    (found,) = ingestor.ingest_changed([file_document("a")], store=STORE, known={"a": mark})
    assert found.text == "Two."


def test_each_failure_is_in_its_place(ingestor, source):
    source.put("good", "Words.", "1")
    found = ingestor.ingest_many(
        [
            file_document("missing"),
            file_document("good"),
            Document(id="n", content=DocumentContent(mime_type="text/plain")),
            Document(id="s", struct_data={"a": "\ud800"}),
            Document(id="i", struct_data={"a": 2**70}),
            Document(id="u", json_data="\0"),
        ],
        store=STORE,
    )
    assert [type(item) for item in found if isinstance(item, ToulminError)] == [
        NotFound,
        *[InvalidArgument] * 4,
    ]
    assert found[1].text == "Words."
    with pytest.raises(NotFound):
        ingestor.ingest(file_document("missing"), store=STORE)


def test_where_names_what_has_no_file(ingestor):
    with pytest.raises(InvalidArgument, match=r"^document 3: is a damaged PDF"):
        ingestor.ingest(raw(b"%PDF-1.4 x"), store=STORE, where="document 3")


def test_a_document_without_words_has_no_chunks(ingestor):
    found = ingestor.ingest(raw(""), store=STORE)
    assert (found.chunks, found.text) == ((), "")
    assert found.document.derived["notes"] == ["The file has no text"]
    assert ingestor.ingest(Document(id="a"), store=STORE).chunks == ()
    assert ingestor.ingest_many([], store=STORE) == []


def test_stopping_and_shutting_down_are_nobodys_failure(embedder, source, ingestor):
    with pytest.raises(Cancelled):
        ingestor.ingest_changed([raw("x")], store=STORE, work=Work(is_gone=lambda: True))
    pool = ParserPool()
    pool.close()
    with pytest.raises(Unavailable):
        Ingestor(pool, embedder, source.fetch).ingest_many([raw("x")], store=STORE)


def test_a_defect_is_an_error_of_its_document_alone(ingestor, monkeypatch, caplog):
    def render(data, **_):
        raise ZeroDivisionError if data["a"] == 1 else NotFound("as usual")

    monkeypatch.setattr("toulmin.ingestion.ingest.render_data", render)
    found = ingestor.ingest_many(
        [Document(id=f"d{n}", struct_data={"a": n}) for n in (1, 2)] + [raw("x")], store=STORE
    )
    assert [type(item) for item in found[:2]] == [Internal, NotFound]
    assert found[2].text == "x"
    assert "'d1'" in caplog.text


def test_the_same_document_gives_the_same_bytes(ingestor):
    first, second = (
        ingestor.ingest(raw(SENTENCE * 100, "text/plain"), store=STORE) for _ in range(2)
    )
    assert first.chunks == second.chunks
    assert first.document.fingerprint == second.document.fingerprint
