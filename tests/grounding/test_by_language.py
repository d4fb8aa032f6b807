"""Which model reads a claim."""

import pytest

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.errors import Cancelled
from toulmin.grounding.by_language import ScorerByLanguage
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore
from toulmin.work import UNLIMITED, Work

BRIDGE = {
    "en": "The bridge was opened by the mayor in 1932 and closed to cars last year.",
    "es": "El puente fue inaugurado por la alcaldesa en 1932 y cerrado a los coches el año pasado.",
    "it": "Il ponte fu inaugurato dalla sindaca nel 1932 e chiuso alle auto l'anno scorso.",
    "de": "Die Brücke wurde 1932 von der Bürgermeisterin eröffnet und im letzten Jahr gesperrt.",
    "fr": "Le pont a été inauguré par la maire en 1932 et fermé aux voitures l'an dernier.",
    "ja": "この橋は1932年に市長が開通させ、昨年から車は通れません。",
    "ko": "이 다리는 1932년에 시장이 개통했으며 작년부터 자동차는 다닐 수 없다.",
    "ru": "Мост был открыт мэром в 1932 году и закрыт для машин в прошлом году.",
}


class Named:
    """A scorer that says who it is by its support."""

    def __init__(self, support):
        self.support = support

    def score(self, claims, evidence, facts, *, work=UNLIMITED):
        work.check()
        return [
            [PairScore(item, self.support, 0.0, 0.0, None) for item in items] for items in evidence
        ]


ENGLISH, MULTILINGUAL, OTHER = 0.1, 0.2, 0.3
ALL = ScorerByLanguage(Named(ENGLISH), Named(MULTILINGUAL), Named(OTHER))


def support_of(scorer, claim, fact):
    facts = [Fact(fact)]
    items = [Evidence((FactChunk(0, 0, len(fact), fact),))]
    (pairs,) = scorer.score([Claim(claim, 0, len(claim))], [items], facts)
    return pairs[0].support


@pytest.mark.parametrize(
    ("claim", "fact", "reader"),
    [
        ("en", "en", ENGLISH),
        ("es", "es", MULTILINGUAL),
        ("it", "it", MULTILINGUAL),
        ("de", "de", MULTILINGUAL),
        ("fr", "fr", MULTILINGUAL),
        ("ja", "ja", MULTILINGUAL),
        ("en", "es", MULTILINGUAL),
        ("en", "ja", MULTILINGUAL),
        ("ja", "en", MULTILINGUAL),
        ("it", "en", MULTILINGUAL),
        ("ko", "ko", OTHER),
        ("ru", "ru", OTHER),
        ("ru", "en", OTHER),
    ],
)
def test_the_languages_of_claim_and_evidence_choose(claim, fact, reader):
    assert support_of(ALL, BRIDGE[claim], BRIDGE[fact]) == reader


@pytest.mark.parametrize("claim", ["Varn Bridge: 1932.", "1932", "OK", "Anna Schmidt, Osk"])
def test_a_claim_without_function_words_is_in_the_language_of_its_evidence(claim):
    assert support_of(ALL, claim, BRIDGE["en"]) == ENGLISH
    assert support_of(ALL, claim, BRIDGE["es"]) == MULTILINGUAL


def test_without_a_multilingual_model_letters_choose():
    scorer = ScorerByLanguage(Named(ENGLISH), None, Named(OTHER))
    assert support_of(scorer, BRIDGE["es"], BRIDGE["es"]) == ENGLISH
    assert support_of(scorer, BRIDGE["ja"], BRIDGE["ja"]) == OTHER


def test_scores_come_back_in_the_order_of_the_claims():
    fact = BRIDGE["en"]
    facts = [Fact(fact)]
    items = [Evidence((FactChunk(0, 0, len(fact), fact),))]
    texts = [BRIDGE["ko"], BRIDGE["en"], BRIDGE["fr"], "It was opened by the mayor."]
    claims = [Claim(text, 0, len(text)) for text in texts]
    found = ALL.score(claims, [items, items, items, []], facts)
    assert [pairs[0].support for pairs in found[:3]] == [OTHER, 0.1, MULTILINGUAL]
    # Said word for word, so with one score more.
    assert [len(pairs) for pairs in found] == [1, 2, 1, 0]


def test_a_caller_who_is_gone_ends_the_work():
    with pytest.raises(Cancelled):
        ALL.score([], [], [], work=Work(is_gone=lambda: True))
