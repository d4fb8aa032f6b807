from collections.abc import Sequence

import pytest

from toulmin.answering.passages import Passage
from toulmin.answering.pictures.attachments import MOST_ATTACHMENTS, MOST_BYTES, attach
from toulmin.answering.question import ImageSource
from toulmin.domain import BlobAttachment

TABLE = "| Region | Sold |\n| North | 12 |\n| South | 45 |"


def blob(name: str, data: bytes, mime_type: str = "image/png") -> BlobAttachment:
    return BlobAttachment(id=name, mime_type=mime_type, data=data)


BLOBS = [
    blob("b1", b"one"),
    blob("b2", b"two", "image/jpeg"),
    blob("b3", b"one"),
    blob("b4", b"vector", "image/svg+xml"),
    blob("b5", b""),
    blob("b6", b"x" * (MOST_BYTES + 1)),
    blob("b7", b"x" * MOST_BYTES, "image/webp"),
]


def of_document(passage: Passage) -> Sequence[BlobAttachment]:
    return BLOBS


def passage(*blob_ids: str, text: str = "Words.") -> Passage:
    return Passage(text=text, blob_ids=blob_ids)


def test_each_image_comes_once_and_passages_point_to_it() -> None:
    cited = [passage("b2", "b1"), passage(), passage("b3")]
    found = attach("", cited, ImageSource.CORPUS, blobs=of_document)
    assert [a.data for a in found.attachments] == [b"one", b"two"]
    assert [a.mime_type for a in found.attachments] == ["image/png", "image/jpeg"]
    assert found.of_passages == ((0, 1), (), (0,))
    assert not any(a.generated for a in found.attachments)


def test_only_bitmaps_of_a_fair_size() -> None:
    found = attach("", [passage("b4", "b5", "b6", "b7")], ImageSource.ALL, blobs=of_document)
    assert [len(a.data) for a in found.attachments] == [MOST_BYTES]


def test_not_more_than_eight() -> None:
    many = [blob(f"b{i}", bytes([i])) for i in range(1, 13)]
    cited = [passage(*(b.id for b in many)), passage("b1", "b12")]
    found = attach("", cited, ImageSource.CORPUS, blobs=lambda _: many)
    assert len(found.attachments) == MOST_ATTACHMENTS
    assert found.of_passages == (tuple(range(8)), (0,))


def test_charts_leave_room_and_are_marked() -> None:
    many = [blob(f"b{i}", bytes([i])) for i in range(1, 13)]
    cited = [passage(*(b.id for b in many)), passage(text=TABLE)]
    found = attach("How many were sold?", cited, ImageSource.ALL, blobs=lambda _: many)
    assert len(found.attachments) == MOST_ATTACHMENTS
    assert [a.generated for a in found.attachments] == [False] * 7 + [True]
    assert found.attachments[-1].mime_type == "image/svg+xml"
    assert found.of_passages[1] == (7,)


@pytest.mark.parametrize(
    ("images", "query", "charts"),
    [
        (ImageSource.NONE, "How many were sold?", 0),
        (ImageSource.CORPUS, "How many were sold?", 0),
        (ImageSource.ALL, "Who is the director?", 0),
        (ImageSource.ALL, "Show me a chart", 1),
        (ImageSource.ALL, "¿Cuántos se vendieron?", 1),
        (ImageSource.GENERATED, "Who is the director?", 1),
    ],
)
def test_when_a_chart_is_made(images: ImageSource, query: str, charts: int) -> None:
    found = attach(query, [passage(text=TABLE), passage(text=TABLE)], images, blobs=of_document)
    assert sum(a.generated for a in found.attachments) == charts
    assert len(found.of_passages) == 2


def test_generated_alone_brings_no_images_of_the_corpus() -> None:
    found = attach("", [passage("b1", text=TABLE)], ImageSource.GENERATED, blobs=of_document)
    assert [a.generated for a in found.attachments] == [True]


def test_blobs_are_not_read_when_they_are_not_wanted() -> None:
    def refuse(_: Passage) -> Sequence[BlobAttachment]:
        raise AssertionError("read")

    assert attach("", [passage("b1")], ImageSource.NONE, blobs=refuse).of_passages == ((),)
    assert attach("", [passage()], ImageSource.CORPUS, blobs=refuse).attachments == ()
