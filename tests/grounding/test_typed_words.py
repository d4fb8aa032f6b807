import pytest

from toulmin.grounding.typed_words import Kind, mentions_of, words_of, written_small


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("It opened in 1998.", Kind.YEAR, ["1998"]),
        ("It is 312 metres long.", Kind.NUMBER, ["312"]),
        ("It has four rooms.", Kind.NUMBER, ["four"]),
        ("It costs $1,200.50 or 3.5 %.", Kind.NUMBER, ["1,200.50", "3.5"]),
        ("It was the first of 12 and the 3rd.", Kind.ORDINAL, ["first", "3rd"]),
        ("It was the first of 12 and the 3rd.", Kind.NUMBER, ["12"]),
        ("He said It's ① there.", Kind.NAME, []),
        ("It opened on 4 May 1998.", Kind.MONTH, ["May"]),
        ("Le pont a ouvert le jeudi.", Kind.WEEKDAY, ["jeudi"]),
        ("It stars Leonardo DiCaprio and Kate Winslet.", Kind.NAME, ["Leonardo DiCaprio", "Kate Winslet"]),
        ("The Halo 2 is lighter.", Kind.NAME, ["Halo 2"]),
        ("監督はジェームズ・キャメロンで、1997年に公開された。", Kind.YEAR, ["1997"]),
    ],
)  # fmt: skip
def test_mentions(text, kind, said):
    words = words_of(text)
    found = [
        text[words[m.first].start : words[m.last - 1].end]
        for m in mentions_of(text, words)
        if m.kind is kind
    ]
    assert found == said


@pytest.mark.parametrize("text", ["is not open", "isn't open", "can never open", "ist nicht auf"])
def test_words_that_negate(text):
    assert [word.kind for word in words_of(text)].count(Kind.NEGATION) == 1


def test_numbers_are_equal_in_words_and_digits():
    assert [word.term for word in words_of("four")] == [word.term for word in words_of("4")]


def test_a_word_that_is_written_small_elsewhere_is_no_name_at_the_start():
    lower = written_small(["Parking costs money; no parking at night."])
    assert words_of("Parking is free.", lower=lower)[0].kind is Kind.OTHER
    assert words_of("Parkson is free.", lower=lower)[0].kind is Kind.NAME
