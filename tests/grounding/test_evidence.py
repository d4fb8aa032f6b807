import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toulmin.domain import Claim, Fact
from toulmin.grounding.chunking import plan_chunks
from toulmin.grounding.evidence import Evidence, EvidenceBudget, select_evidence
from toulmin.grounding.ranking import rank_windows
from toulmin.models.static_embedder import StaticEmbedder, unit_rows
from toulmin.text.words import WordStream, scan_words

TOPICS = ["tax", "rain", "corn", "bone", "jazz", "moon", "salt", "wool", "ruby", "fern"]
FILLER = "The weekly report on {} and {} was read by nobody in town {}. "


class HashEmbedder:
    """Stands in for the real one: each word has a fixed random vector."""

    dim = 32

    def embed(self, texts: list[str]) -> np.ndarray:
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            stream = scan_words(text)
            rows[row] = self.sum_spans(stream, np.array([0, len(stream)]))[0]
        return unit_rows(rows)

    def sum_spans(self, stream: WordStream, bounds: np.ndarray) -> np.ndarray:
        vectors = [
            np.random.default_rng(int(h)).standard_normal(self.dim) for h in stream.hashes.tolist()
        ]
        sums = np.zeros((len(bounds) - 1, self.dim), dtype=np.float32)
        for span in range(len(sums)):
            for vector in vectors[bounds[span] : bounds[span + 1]]:
                sums[span] += vector
        return sums


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def claim(text: str, context: str = "", *, needs_check: bool = True) -> Claim:
    return Claim(text, 0, len(text), needs_check, context)


def filler(sentences: int, seed: int = 0) -> str:
    return "".join(
        FILLER.format(TOPICS[(i + seed) % 10], TOPICS[(3 * i + seed) % 10], 100 + i)
        for i in range(sentences)
    )


def select(claims: list[Claim], facts: list[Fact], **options: object) -> list[list[Evidence]]:
    return select_evidence(claims, facts, embedder=HashEmbedder(), **options)


def texts(evidence: list[Evidence]) -> list[str]:
    return [" ".join(chunk.text for chunk in piece.chunks) for piece in evidence]


def test_claims_that_need_no_check_get_no_evidence() -> None:
    found = select([claim("Here it is.", needs_check=False), claim("One ship sank.")], [Fact("x")])
    assert found[0] == []
    assert len(found[1]) == 1


def test_no_claims_or_no_text_is_no_evidence() -> None:
    assert select([], [Fact("One ship sank.")]) == []
    assert select([claim("One ship sank.")], []) == [[]]
    assert select([claim("One ship sank.")], [Fact(""), Fact("  \n")]) == [[]]


def test_a_few_short_facts_are_all_read_best_first() -> None:
    facts = [Fact("Corn is yellow."), Fact("The ferry Estrella sank in 1912."), Fact("It rained.")]
    found = select([claim("The Estrella sank in 1912.")], facts)[0]
    assert texts(found)[0] == "The ferry Estrella sank in 1912."
    assert {piece.chunks[0].fact_index for piece in found} == {0, 1, 2}


def test_the_sentence_is_found_deep_in_a_long_fact() -> None:
    gold = "The ferry Estrella sank off Vigo in 1912. "
    facts = [Fact(filler(60)), Fact(filler(30, 1) + gold + filler(30, 2)), Fact(filler(60, 3))]
    best = select([claim("In 1912 the Estrella sank.")], facts)[0][0]
    assert gold.strip() in best.chunks[0].text
    assert best.chunks[0].fact_index == 1
    assert len(best.chunks[0].text.split()) <= 120


def test_every_fact_that_says_it_is_offered() -> None:
    said = "The ferry Estrella sank off Vigo in 1912. "
    facts = [Fact(filler(20, i) + (said if i % 3 == 0 else "")) for i in range(9)]
    found = select([claim("The Estrella sank off Vigo in 1912.")], facts)[0]
    assert {0, 3, 6} <= {
        c.fact_index for piece in found for c in piece.chunks if said[:20] in c.text
    }


def test_what_two_facts_say_together_is_joined() -> None:
    facts = [
        Fact(filler(25) + "The ferry Estrella belonged to Baltasar Otero. " + filler(25, 4)),
        Fact(filler(25, 2) + "Baltasar Otero was born in Pontevedra. " + filler(25, 5)),
    ]
    text = "The ferry Estrella belonged to Baltasar Otero, who was born in Pontevedra."
    joined = [piece for piece in select([claim(text)], facts)[0] if len(piece.chunks) > 1]
    assert len(joined) == 1
    assert [c.fact_index for c in joined[0].chunks] == [0, 1]
    assert "Estrella" in joined[0].chunks[0].text
    assert "Pontevedra" in joined[0].chunks[1].text
    assert len(texts(joined)[0].split()) <= 130


def test_nothing_is_joined_when_one_window_says_it_all() -> None:
    facts = [Fact(filler(25) + "The ferry Estrella sank in 1912. "), Fact(filler(25, 2))]
    found = select([claim("The ferry Estrella sank in 1912.")], facts)[0]
    assert all(len(piece.chunks) == 1 for piece in found)


def test_a_joined_sentence_that_leans_back_brings_the_one_before() -> None:
    facts = [
        Fact(filler(25) + "Baltasar Otero was a painter. He was born in Pontevedra. " + filler(25)),
        Fact(filler(25, 2) + "The ferry Estrella sank near Cangas. " + filler(25, 3)),
    ]
    text = "The man born in Pontevedra drowned when the ferry Estrella sank near Cangas."
    joined = next(p for p in select([claim(text)], facts)[0] if len(p.chunks) > 1)
    assert joined.chunks[0].text.startswith("Baltasar Otero was a painter.")


def test_attributes_make_a_fact_relevant() -> None:
    bodies = [Fact(filler(10, i) + "It sank at dawn.", {"title": f"Ship {i}"}) for i in range(8)]
    bodies[5] = Fact(bodies[5].text, {"title": "The ferry Estrella"})
    best = select([claim("The Estrella sank at dawn.")], bodies)[0][0]
    assert best.chunks[0].fact_index == 5


def test_the_context_of_a_claim_helps_less_than_the_claim() -> None:
    facts = [
        Fact("The ferry Estrella was built of oak. " + filler(12)),
        Fact("The ferry Estrella was released from the yard in 1997. " + filler(12, 1)),
        Fact("The tug Marisol was released from the yard in 1997. " + filler(12, 2)),
        *[Fact(filler(12, i)) for i in range(3, 8)],
    ]
    asked = claim("It was released in 1997.", "Estrella is a ferry.")
    order = [piece.chunks[0].fact_index for piece in select([asked], facts)[0]]
    assert order[:2] == [1, 2]


def test_without_a_common_word_the_nearest_windows_are_read(embedder: StaticEmbedder) -> None:
    facts = [Fact(filler(15, i)) for i in range(6)]
    facts[4] = Fact("A physician cured several sick patients at the clinic. " * 2)
    found = select_evidence([claim("Doctors heal ill people.")], facts, embedder=embedder)[0]
    assert found[0].chunks[0].fact_index == 4


def test_a_japanese_claim_finds_its_fact() -> None:
    facts = [
        Fact("東京タワーは東京都港区にある電波塔である。" * 3),
        Fact("手塚治虫は兵庫県宝塚市出身の漫画家である。医師免許も取得した。"),
        *[Fact(filler(12, i)) for i in range(4)],
    ]
    assert select([claim("手塚治虫は漫画家だった。")], facts)[0][0].chunks[0].fact_index == 1


def test_a_claim_in_another_language_is_read_against_more() -> None:
    facts = [
        Fact(f"La entrada del museo {name} cuesta {price} euros, y no abre los lunes.")
        for price, name in enumerate(TOPICS, start=5)
    ]
    claims = [
        claim("The fern gallery is closed on the first day of the week."),
        claim("El museo fern no abre los lunes."),
    ]
    budget = EvidenceBudget(strange=len(facts))
    strange, same = select_evidence(claims, facts, embedder=HashEmbedder(), budget=budget)
    assert {chunk.fact_index for item in strange for chunk in item.chunks} == set(range(len(facts)))
    assert len(same) < len(facts)
    as_any = select_evidence(claims, facts, embedder=HashEmbedder(), budget=EvidenceBudget())
    assert as_any[1] == same
    assert len(as_any[0]) < len(strange)


def test_many_claims_have_less_evidence_each_than_few() -> None:
    budget = EvidenceBudget()
    shares = [budget.share(n) for n in (1, 3, 5, 20, 100, 200, 1000)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 2 * budget.pairs_per_claim
    assert shares[3] == budget.pairs_per_claim
    assert shares[-1] == 2


def test_windows_of_the_same_words_are_not_read_twice() -> None:
    facts = [Fact("The ferry Estrella sank. " * 60), Fact(filler(40))]
    found = select([claim("The ferry Estrella sank.")], facts)[0]
    starts = [(p.chunks[0].fact_index, p.chunks[0].start, p.chunks[0].end) for p in found]
    for index, (fact, start, end) in enumerate(starts):
        for other, low, high in starts[:index]:
            overlap = min(end, high) - max(start, low)
            assert fact != other or overlap <= 0.6 * min(end - start, high - low)


def test_the_same_request_gives_the_same_evidence(embedder: StaticEmbedder) -> None:
    facts = [Fact(filler(30, i), {"title": TOPICS[i]}) for i in range(10)]
    claims = [claim(FILLER.format(TOPICS[i], TOPICS[-i], 100 + i)) for i in range(10)]
    first = select_evidence(claims, facts, embedder=embedder)
    assert first == select_evidence(claims, facts, embedder=embedder)


def test_scores_fall_apart_into_terms_and_embedding(embedder: StaticEmbedder) -> None:
    plan = plan_chunks([Fact(filler(30)), Fact("The ferry Estrella sank.")])
    asked = [claim("The Estrella sank.")]
    lexical = rank_windows(asked, plan, embedder=embedder, embedding_share=0.0)
    fused = rank_windows(asked, plan, embedder=embedder, embedding_share=1.0)
    cosines = fused.scores - lexical.scores
    assert (np.abs(cosines) <= 1 + 1e-5).all()
    best = int(lexical.coverage[0].argmax())
    assert plan.window_facts[best] == 1
    assert lexical.coverage[0, best] >= 0.99


WORDS = st.sampled_from(
    [
        "Estrella",
        "sank",
        "1912",
        "the",
        "ferry",
        "It",
        ".",
        ",",
        "!",
        "東京",
        "ship's",
        "1,500",
        "\n",
        "not",
    ]
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join)


@settings(deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4),
)
def test_evidence_is_always_verbatim_and_in_reading_order(
    claims: list[str], facts: list[tuple[str, str]]
) -> None:
    given_facts = [Fact(text, {"title": title}) for text, title in facts]
    found = select([claim(text) for text in claims], given_facts)
    assert len(found) == len(claims)
    has_text = any(fact.text.strip() for fact in given_facts)
    for pieces in found:
        assert bool(pieces) == has_text
        assert len(set(pieces)) == len(pieces)
        for piece in pieces:
            places = [(c.fact_index, c.start, c.end) for c in piece.chunks]
            assert places == sorted(places)
            for chunk in piece.chunks:
                text = given_facts[chunk.fact_index].text
                assert text[chunk.start : chunk.end] == chunk.text != ""
