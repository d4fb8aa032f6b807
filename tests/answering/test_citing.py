"""A sentence's claims, their places in the whole answer, and what is cited for them."""

from __future__ import annotations

from typing import Any

import pytest

from toulmin.answering.citing import Citer
from toulmin.answering.passages import Passage, fact_of
from toulmin.errors import Cancelled
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.grounding.verbatim import SUPPORT
from toulmin.services import build_services
from toulmin.settings import Settings
from toulmin.work import Work

TOWER = "The Varn Tower was opened in 1932. It is 214 metres tall. It is made of steel."
CAFE = "The café “Zür Linde” 🍵 was founded by Jürgen Müller in 1911."
PASSAGES = [Passage(text=""), Passage(text=CAFE), Passage(text=TOWER, title="Varn Tower")]


@pytest.fixture(scope="module")
def checker():
    services = build_services(Settings())
    yield services.checker()
    services.close()


def test_claims_stand_where_they_are_in_the_whole(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES)
    said = ""
    for text in ("The Varn Tower was opened in 1932.", " It is 214 metres tall.", "\n\n" + CAFE):
        source = 1 if "café" in text else 2
        (claim,) = citer.check(text, quoted=(source,))
        said += text
        assert said[claim.start : claim.end] == text.strip()
        assert claim.score is not None
        assert claim.score > 0.6
        assert claim.passages == (source,)


def test_a_pronoun_is_read_with_the_sentence_before(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES)
    citer.check("The Varn Tower was opened in 1932.")
    (claim,) = citer.check(" It is made of steel.")
    assert claim.score is not None
    assert claim.score > 0.6


def test_what_was_checked_before_is_only_read(checker: GroundingChecker) -> None:
    first, second = "The Varn Tower was opened in 1932.", "It is made of steel."
    facts = [fact_of(passage) for passage in PASSAGES[1:]]
    whole = checker.check(f"{first} {second}", facts, CheckSpec()).claims
    told, checked = checker.check(f"{first} {second}", facts, CheckSpec(context=len(first))).claims
    assert (told.text, told.needs_check, told.score) == (first, False, None)
    assert checked.score == pytest.approx(whole[1].score, abs=0.05)


def test_what_is_no_part_of_the_answer_has_a_checker_of_its_own(checker: GroundingChecker) -> None:
    told, asked = Counting(checker), Counting(checker)
    citer = Citer(told, PASSAGES, statement_checker=asked)
    citer.check("The Varn Tower was opened in 1932.", quoted=(2,))
    citer.support("The Varn Tower is 214 metres tall.", [2])
    assert (told.facts, asked.facts) == ([1], [1])


def test_a_labelled_line_below_its_heading_needs_no_model() -> None:
    unasked: Any = None
    sheet = Passage(text="## Kestrel 300\n\n- Price: 890 euros\n- Range: 8 m", title="Sheets")
    citer = Citer(unasked, [sheet])
    (claim,) = citer.check("Kestrel 300 \u2013 Price: 890 euros.", quoted=(0,))
    (point,) = citer.check("\n- Range: 8 m", quoted=(0,))
    assert (claim.start, claim.end, claim.score, claim.passages) == (0, 31, SUPPORT, (0,))
    assert sheet.text[claim.positions[0] :].startswith("- Price")
    assert (point.start, point.end, point.score) == (34, 44, SUPPORT)


class Counting:
    """A checker that notes how many facts each check was given."""

    def __init__(self, checker: GroundingChecker) -> None:
        self._checker = checker
        self.facts: list[int] = []

    def check(self, answer, facts, spec, **others):
        self.facts.append(len(facts))
        return self._checker.check(answer, facts, spec, **others)


def test_other_passages_are_read_only_where_the_source_does_not_bear_it_out(
    checker: GroundingChecker,
) -> None:
    counting = Counting(checker)
    citer = Citer(counting, PASSAGES)
    (claim,) = citer.check("The Varn Tower was opened in 1932.", quoted=(2,))
    assert (claim.passages, counting.facts) == ((2,), [1])
    (claim,) = citer.check(f" {CAFE}", quoted=(2,))
    assert (claim.passages, counting.facts) == ((1,), [1, 1, 2])


def test_what_is_not_borne_out_is_not_cited(checker: GroundingChecker) -> None:
    (claim,) = Citer(checker, PASSAGES).check("The Varn Tower was sold to a circus in Brazil.")
    assert claim.score is not None
    assert claim.score < 0.3
    assert claim.passages == ()


def test_a_composers_source_does_not_outweigh_the_check(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES)
    (claim,) = citer.check("The Varn Tower was sold to a circus in Brazil.", quoted=(2,))
    assert claim.passages == ()


@pytest.mark.parametrize("word", ["Yes.", "No.", "Ja."])
def test_a_bare_yes_is_cited_and_not_checked(checker: GroundingChecker, word: str) -> None:
    citer = Citer(checker, PASSAGES)
    (claim,) = citer.check(word, quoted=(2,))
    assert (claim.start, claim.end) == (0, len(word))
    assert (claim.score, claim.passages) == (None, (2,))
    (claim,) = citer.check(" The Varn Tower is made of steel.", quoted=(2,))
    assert claim.start == len(word) + 1
    assert claim.score is not None


def test_a_language_models_yes_is_checked_like_anything(checker: GroundingChecker) -> None:
    claims = Citer(checker, PASSAGES).check("Yes.")
    assert all(claim.passages == () for claim in claims)


def test_a_wrong_detail_is_corrected_before_it_is_said(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES)
    assert citer.corrected(" ") == " "
    true = "The Varn Tower was opened in 1932."
    assert citer.corrected(true) == true
    citer.check(true)
    text = citer.corrected(" The Varn Tower is 100 metres tall.")
    assert text == " The Varn Tower is 214 metres tall."
    (claim,) = citer.check(text)
    assert claim.start == len(true) + 1
    assert claim.score is not None
    assert claim.score > 0.6


def test_white_space_has_no_claims(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES)
    assert citer.check(" \n") == []
    (claim,) = citer.check("The Varn Tower was opened in 1932.")
    assert claim.start == 2


def test_without_passages_nothing_is_borne_out(checker: GroundingChecker) -> None:
    claims = Citer(checker, [Passage(text=" ")]).check("The Varn Tower was opened in 1932.")
    assert [claim.passages for claim in claims] == [()]


def test_a_caller_who_is_gone_is_not_worked_for(checker: GroundingChecker) -> None:
    citer = Citer(checker, PASSAGES, work=Work(is_gone=lambda: True))
    with pytest.raises(Cancelled):
        citer.check("The Varn Tower was opened in 1932.")
