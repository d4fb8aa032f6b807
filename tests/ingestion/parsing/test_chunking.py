import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from tests.ingestion import files
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.parse import parse
from toulmin.ingestion.token_count import count_tokens, end_of_tokens

SENTENCE = "The quick brown fox jumps over the lazy dog again and again."


def markdown(text: str):
    return parse(text.encode(), name="a.md")


def check_invariants(document, chunks, max_tokens):
    end = 0
    for chunk in chunks:
        assert chunk.content == chunk.prefix + document.text[chunk.start : chunk.end]
        assert document.text[end : chunk.start].strip() == ""
        assert chunk.tokens == count_tokens(chunk.content) <= max_tokens
        assert chunk.page_start <= chunk.page_end
        end = chunk.end
    assert document.text[end:].strip() == ""


def test_a_short_document_is_one_chunk():
    document = markdown("# Oil\n\nPrices rose.\n\n- one\n- two\n")
    (chunk,) = chunk_document(document)
    assert chunk.content == document.text == "Oil\n\nPrices rose.\n\n- one\n- two"
    assert chunk.headings == ()


def test_sections_begin_chunks_and_know_the_headings_above():
    body = (SENTENCE + " ") * 6
    document = markdown(f"# A\n\n{body}\n\n## B\n\n{body}\n\n### C\n\n{body}\n\n# D\n\n{body}\n")
    chunks = chunk_document(document, max_tokens=150)
    check_invariants(document, chunks, 150)
    assert [(c.headings, c.content.split("\n")[0]) for c in chunks] == [
        ((), "A"),
        (("A",), "B"),
        (("A", "B"), "C"),
        ((), "D"),
    ]
    with_headings = chunk_document(document, max_tokens=150, include_ancestor_headings=True)
    assert with_headings[2].prefix == "A\nB\n\n"
    assert with_headings[2].content.startswith("A\nB\n\nC\n\nThe quick")
    check_invariants(document, with_headings, 150)


def test_a_short_section_is_joined_to_its_sibling_and_not_to_its_child():
    text = "# T\n\nIntro.\n\n## A\n\n{}\n\n### A1\n\nOne.\n\n### A2\n\nTwo.\n\n## B\n\nThree.\n"
    chunks = chunk_document(markdown(text.format("It is so.")))
    assert [(c.headings, c.content.split("\n")[0]) for c in chunks] == [
        ((), "T"),
        (("T", "A"), "A1"),
        (("T",), "B"),
    ]
    assert chunks[1].content == "A1\n\nOne.\n\nA2\n\nTwo."


def test_a_heading_stays_with_what_it_heads():
    body = (SENTENCE + " ") * 6
    chunks = chunk_document(markdown(f"{body}\n\n## B\n\n{body}"), max_tokens=100)
    assert [chunk.content.startswith("B\n\n") for chunk in chunks] == [False, True]


def test_a_long_paragraph_is_cut_between_sentences():
    document = markdown((SENTENCE + " ") * 60)
    chunks = chunk_document(document, max_tokens=100)
    check_invariants(document, chunks, 100)
    assert len(chunks) > 5
    assert all(
        chunk.content.startswith("The") and chunk.content.endswith("again.") for chunk in chunks
    )


def test_a_long_table_is_cut_between_rows_with_its_header_repeated():
    rows = "\n".join(f"| name {i} | {SENTENCE} |" for i in range(40))
    document = markdown(f"| key | value |\n|---|---|\n{rows}\n")
    chunks = chunk_document(document, max_tokens=120)
    check_invariants(document, chunks, 120)
    assert len(chunks) > 5
    for chunk in chunks:
        lines = chunk.content.split("\n")
        assert lines[:2] == ["| key | value |", "|---|---|"]
        assert all(line.startswith("| name") and line.endswith("|") for line in lines[2:])
    assert chunks[0].prefix == ""


def test_code_is_cut_between_lines():
    lines = "\n".join(f"    value_{i} = compute({i})" for i in range(100))
    chunks = chunk_document(markdown(f"```\n{lines}\n```\n"), max_tokens=100)
    assert all(chunk.content.startswith("```\n    value_") for chunk in chunks)
    assert all(chunk.content.endswith(")") for chunk in chunks[:-1])
    assert chunks[-1].content.endswith(")\n```")


def test_text_without_spaces_is_cut_between_tokens():
    document = parse(("汉" * 1000).encode(), name="a.txt")
    chunks = chunk_document(document, max_tokens=100)
    check_invariants(document, chunks, 100)
    assert [chunk.tokens for chunk in chunks] == [100] * 10


def test_page_spans_and_images():
    body = (
        files.paragraph(SENTENCE * 2)
        + '<w:p><w:r><x:blip xmlns:x="x" r:embed="rId1"/><w:br w:type="page"/></w:r></w:p>'
        + files.paragraph(SENTENCE)
        + "".join(files.paragraph(SENTENCE) for _ in range(10))
    )
    chunks = chunk_document(parse(files.docx(body), name="a.docx"), max_tokens=100)
    assert (chunks[0].page_start, chunks[0].page_end) == (1, 2)
    assert (chunks[-1].page_start, chunks[-1].page_end) == (2, 2)
    assert [chunk.blobs for chunk in chunks] == [(0,)] + [()] * (len(chunks) - 1)


@pytest.mark.parametrize("max_tokens", [99, 501])
def test_budgets_outside_the_bounds_are_refused(max_tokens):
    with pytest.raises(ValueError, match="must be in \\[100, 500\\]"):
        chunk_document(markdown("x"), max_tokens=max_tokens)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=400),
            st.sampled_from(["# A\n", "### B\n", "- item\n", SENTENCE * 20, "x" * 900, "\n\n"]),
        ),
        max_size=20,
    ),
    st.sampled_from([100, 300, 500]),
    st.booleans(),
)
def test_any_document_is_covered_within_the_budget(parts, max_tokens, with_headings):
    document = markdown("\n\n".join(parts))
    chunks = chunk_document(
        document, max_tokens=max_tokens, include_ancestor_headings=with_headings
    )
    check_invariants(document, chunks, max_tokens)


@pytest.mark.parametrize("piece", ["a.", "x" * 97 + "/", "漢字。", "log id=12 "])
def test_one_long_line_costs_its_length_and_not_its_square(piece):
    def document(size):
        return parse((piece * (size // len(piece))).encode(), name="a.txt")

    assert_linear(chunk_document, document, 400_000)


def test_headings_alone_cost_no_more_than_paragraphs():
    """Whether what is open is nothing but headings was found out by looking at all of it."""

    def cost(text):
        document = markdown(text)
        began = time.thread_time()
        chunk_document(document)
        return time.thread_time() - began

    ratios = (cost("# -\n\n" * 8000) / cost("-x\n\n" * 8000) for _ in range(5))
    assert any(ratio < 3 for ratio in ratios)


def test_what_is_far_too_long_for_a_heading_is_none():
    document = markdown(f"# {'word ' * 300}\n\nText.\n")
    assert {chunk.headings for chunk in chunk_document(document)} == {()}
    assert markdown(f"# {'word ' * 100}\n").blocks[0].kind == "heading"


def test_tokens_of_known_texts():
    assert count_tokens("") == 0
    assert count_tokens("The cat, sat.") == 5
    assert count_tokens("extraordinary") == 3
    assert count_tokens("2024") == 2
    assert count_tokens("東京です") == 4
    assert [end_of_tokens("a bc", count) for count in (1, 2, 3)] == [1, 4, 4]
    for left, right in itertools.pairwise(["one two", " three", "四"]):
        assert count_tokens(left + right) == count_tokens(left) + count_tokens(right)
