"""Claims of an answer: acceptance candidates, contexts, and properties for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from toulmin.grounding.claims import MAX_CONTEXT_WORDS, leans, split_claims

DIRECTED = "Titanic was directed by James Cameron."
ACCEPTANCE = {
    "A1": ("Here is what I found. " + DIRECTED, [(0, 21, False), (22, 60, True)]),
    "A2": (DIRECTED + " It was released in 1997.", [(0, 38, True), (39, 63, True)]),
    "A3": (
        DIRECTED
        + " It was based on the sinking of the RMS Titanic that led to the death of 1500 people.",
        [(0, 38, True), (39, 123, True)],
    ),
    "A4": (DIRECTED + " It starred Brad Pitt and Kate Winslet", [(0, 38, True), (39, 76, True)]),
    "D1": (
        f"Here is what I found. {DIRECTED} It starred Kate Winslet and Leonardo DiCaprio.",
        [(0, 21, False), (22, 60, True), (61, 107, True)],
    ),
}
# The same in other languages; offsets are UTF-8 bytes.
TRANSLATED = {
    "es-A1": ("Esto es lo que encontré. Titanic fue dirigida por James Cameron.", [(0, 25, False), (26, 65, True)]),
    "es-A2": ("Titanic fue dirigida por James Cameron. Se estrenó en 1997.", [(0, 39, True), (40, 60, True)]),
    "es-A4": (
        "Titanic fue dirigida por James Cameron. Sus protagonistas fueron Brad Pitt y Kate Winslet",
        [(0, 39, True), (40, 89, True)],
    ),
    "it-A1": ("Ecco cosa ho trovato. Titanic è stato diretto da James Cameron.", [(0, 21, False), (22, 64, True)]),
    "it-A2": ("Titanic è stato diretto da James Cameron. È uscito nel 1997.", [(0, 42, True), (43, 62, True)]),
    "it-D1": (
        "Ecco cosa ho trovato. Titanic è stato diretto da James Cameron. È interpretato da Kate Winslet e Leonardo DiCaprio.",
        [(0, 21, False), (22, 64, True), (65, 117, True)],
    ),
    "ja-A1": (
        "見つかった情報は次のとおりです。『タイタニック』はジェームズ・キャメロンが監督した。",
        [(0, 48, False), (48, 126, True)],
    ),
    "ja-A2": (
        "『タイタニック』はジェームズ・キャメロンが監督した。1997年に公開された。",
        [(0, 78, True), (78, 106, True)],
    ),
    "ja-A4": (
        "『タイタニック』はジェームズ・キャメロンが監督した。ブラッド・ピットとケイト・ウィンスレットが出演した",
        [(0, 78, True), (78, 153, True)],
    ),
}  # fmt: skip


def flags(answer):
    return [(claim.start, claim.end, claim.needs_check) for claim in split_claims(answer)]


def contexts(answer):
    return {claim.text: claim.context for claim in split_claims(answer)}


@pytest.mark.parametrize("name", ACCEPTANCE)
def test_acceptance(name):
    answer, expected = ACCEPTANCE[name]
    assert flags(answer) == expected


@pytest.mark.parametrize("name", TRANSLATED)
def test_acceptance_translated(name):
    answer, expected = TRANSLATED[name]
    size = [len(answer[:end].encode()) for end in range(len(answer) + 1)]
    assert [(size[start], size[end], flag) for start, end, flag in flags(answer)] == expected


@pytest.mark.parametrize(
    ("answer", "text", "context"),
    [
        (DIRECTED + " It was released in 1997.", "It was released in 1997.", DIRECTED),
        (DIRECTED + " It won. It was long.", "It was long.", DIRECTED + " It won."),
        (DIRECTED + " However, it was long.", "However, it was long.", DIRECTED),
        (DIRECTED + " The film was released in 1997.", "The film was released in 1997.", DIRECTED),
        (DIRECTED + " Released in 1997.", "Released in 1997.", DIRECTED),
        (DIRECTED + " Avatar was released in 2009.", "Avatar was released in 2009.", ""),
        (DIRECTED + " Cameron said that he was proud of it.", "Cameron said that he was proud of it.", ""),
        (DIRECTED + " The capital of France is Paris.", "The capital of France is Paris.", ""),
        ("It was released in 1997.", "It was released in 1997.", ""),
        ("Who directed Titanic? James Cameron.", "James Cameron.", "Who directed Titanic?"),
        ("Is Paris in France? Yes.", "Yes.", "Is Paris in France?"),
        ("Here is what I found. It was released in 1997.", "It was released in 1997.", ""),
        ("The film starred:\n- Kate Winslet\n- Billy Zane", "- Billy Zane", "The film starred:"),
        ("Awards of 1998\n\nCameron won:\n1. Best Director\n2. Best Picture", "2. Best Picture", "Awards of 1998 Cameron won:"),
        ("# Titanic\n\nIt was released in 1997.", "It was released in 1997.", "Titanic:"),
        ("# Titanic\nIt sank.\n# Avatar\nIt won.", "It won.", "Avatar:"),
        ("## Cast\n- Kate Winslet", "- Kate Winslet", "Cast:"),
        ("| Film | Year |\n|---|---|\n| Titanic | 1997 |", "| Titanic | 1997 |", "| Film | Year |"),
        ("Titanic fue dirigida por Cameron. Ganó once premios.", "Ganó once premios.", "Titanic fue dirigida por Cameron."),
        ("Titanic fue dirigida por Cameron. Avatar se estrenó en 2009.", "Avatar se estrenó en 2009.", ""),
        ("Titanic è di Cameron. È uscito nel 1997.", "È uscito nel 1997.", "Titanic è di Cameron."),
        ("Titanic wurde von Cameron gedreht. Er erschien 1997.", "Er erschien 1997.", "Titanic wurde von Cameron gedreht."),
        ("Titanic a été réalisé par Cameron. Il est sorti en 1997.", "Il est sorti en 1997.", "Titanic a été réalisé par Cameron."),
        ("『タイタニック』は映画だ。1997年に公開された。", "1997年に公開された。", "『タイタニック』は映画だ。"),
        ("泰坦尼克号由卡梅隆执导。它于1997年上映。", "它于1997年上映。", "泰坦尼克号由卡梅隆执导。"),
    ],
)  # fmt: skip
def test_context(answer, text, context):
    assert contexts(answer)[text] == context


def test_separators_and_labels_need_no_check():
    answer = "## Cast\n\n| Name |\n|---|\n| Kate Winslet |\n\n---\n\nSummary:\n\nThe ship sank."
    assert [claim.text for claim in split_claims(answer) if claim.needs_check] == [
        "| Kate Winslet |",
        "The ship sank.",
    ]


def test_context_is_short_and_keeps_the_subject():
    answer = "Titanic is a film. " + "It was long and it was dear and it was loud. " * 20
    last = split_claims(answer)[-1]
    assert last.context.startswith("Titanic is a film.")
    assert len(last.context.split()) <= MAX_CONTEXT_WORDS


def test_a_claim_without_need_has_no_context():
    claims = split_claims(DIRECTED + " Does it matter? Thanks!")
    assert [(claim.needs_check, claim.context) for claim in claims[1:]] == [(False, "")] * 2


@pytest.mark.parametrize(
    "text", ["It sank.", "He was born in 1954 in Canada.", "In 1998, they won."]
)
def test_leans(text):
    assert leans(text)


def test_self_contained_sentence_does_not_lean():
    assert not leans("James Cameron was born in Canada in 1954.")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\u2029"])
@pytest.mark.parametrize("word", ["naïve", "nai\u0308ve", "😀👍🏽", "漢字", "a\x00b", "tab\there"])
def test_offsets_are_exact(newline, word):
    first = f"The {word} ship sank."
    answer = f"{first}{newline}{newline}It was {word} in 1912."
    second_start = len(first) + 2 * len(newline)
    assert [(claim.start, claim.end) for claim in split_claims(answer)] == [
        (0, len(first)),
        (second_start, len(answer)),
    ]


@given(st.text() | st.lists(st.sampled_from(["It ", "# ", "\n", "- ", "a. ", "| x |", "\r\n", "Who? ", "。", "それ", "X: ", "**b**", "😀", "\ud800", "1) ", "\n\n", "|-|", "``` "]), max_size=50).map("".join))  # fmt: skip
def test_claims_tile_any_text(answer):
    position = 0
    for claim in split_claims(answer):
        assert answer[claim.start : claim.end] == claim.text
        assert not answer[position : claim.start].strip()
        assert position <= claim.start < claim.end
        position = claim.end
    assert not answer[position:].strip()
    assert split_claims(answer) == split_claims(answer)


@pytest.mark.parametrize(
    "answer",
    ["It was so. " * 10_000, "- a\n" * 10_000, "# a\n" * 10_000, "| a |\n" * 10_000, "((((" * 50_000, "a." * 100_000,
     "Here is what I found " * 10_000, "\"?" * 100_000, "それ。" * 10_000],
    ids=lambda text: text[:4],
)  # fmt: skip
def test_time_is_linear_on_adversarial_answers(answer):
    assert_linear(split_claims, lambda size: answer[:size], len(answer))
