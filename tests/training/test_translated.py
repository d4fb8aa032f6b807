"""Questions asked in another language than their passage keep their answers."""

from packs import NONE, SPAN, SUPPORT, Pack, Query
from translated import TRANSLATED, read_translations, translated
from written import read_folder

TEXT = "Die Übergabe ist am 1. Oktober."
PACK = Pack(
    TEXT,
    [
        Query("Wann ist die Übergabe?", "terse", answer=SPAN, spans=[(20, 30)]),
        Query("Wie hoch ist die Miete?", "un_attribute", answer=NONE),
        Query("Was kostet der Umzug?", "un_attribute", answer=NONE),
        Query("Die Übergabe ist im Oktober.", "near_verbatim", label=SUPPORT),
    ],
    "written_de",
)
KNOWN = {
    "Wann ist die Übergabe?": ["When is the handover?", "À quand la remise des clés ?"],
    "Wie hoch ist die Miete?": ["How high is the rent?"],
}


def test_questions_are_translated_and_nothing_else_is_kept() -> None:
    (pack,) = translated([PACK, PACK], KNOWN, seed=1)
    assert pack.evidence == TEXT
    first, second = pack.queries
    assert first.text in KNOWN["Wann ist die Übergabe?"]
    assert (first.answer, first.spans) == (SPAN, [(20, 30)])
    assert (second.text, second.answer) == ("How high is the rent?", NONE)


def test_the_translations_are_of_written_questions_and_in_another_language() -> None:
    own = {q.text for passage in read_folder() for q in passage.queries if q.answer is not None}
    translations = read_translations()
    # The rest is of the passages that the ledger's file has.
    assert len(own & translations.keys()) > 1_500
    for path in TRANSLATED.glob("*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert all(line.count("|") == 2 and line[2] == "|" for line in lines)
        assert len(set(lines)) == len(lines)
