"""Amounts and dates said in another way are right by arithmetic, wrong ones are not."""

import random
import re

import pytest
from data import amounts
from data.amounts import amount_row
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT
from data.vocabulary import MONTHS

from tests.training.passages import check_rows, draw, texts

TEXTS = texts()
FACTORS = {
    ("kilometres", "miles"): 1 / 1.609344, ("miles", "kilometres"): 1.609344,
    ("metres", "feet"): 1 / 0.3048, ("feet", "metres"): 0.3048,
    ("kilograms", "pounds"): 1 / 0.45359237, ("pounds", "kilograms"): 0.45359237,
    ("hectares", "acres"): 2.4710538, ("acres", "hectares"): 1 / 2.4710538,
    ("litres", "US gallons"): 1 / 3.785411784, ("kilometres", "metres"): 1000,
    ("tonnes", "kilograms"): 1000, ("hours", "minutes"): 60, ("minutes", "seconds"): 60,
    ("weeks", "days"): 7, ("years", "months"): 12, ("days", "hours"): 24,
}  # fmt: skip
UNITS = "|".join(sorted({unit for pair in FACTORS for unit in pair}, key=len, reverse=True))


def made(maker, count=150):
    return [maker(random.Random(seed)) for seed in range(count)]


def amount(text):
    number, unit = re.search(rf"([\d,.]+) ({UNITS})\b", text).groups()
    return float(number.replace(",", "")), unit


def test_same_seed_same_rows():
    rows = draw(lambda rng: amount_row(TEXTS, rng), 40)
    assert rows == draw(lambda rng: amount_row(texts(), rng), 40)
    check_rows(rows)
    assert {row.label for row in rows} == {SUPPORT, CONTRADICTION, NEUTRAL}


def test_the_label_picks_the_claim(monkeypatch):
    said = ("it is told.", "it is right.", "it is wrong.", "it is other.")
    monkeypatch.setattr(amounts, "_MAKERS", (lambda rng: said,))
    expected = {SUPPORT: said[1], CONTRADICTION: said[2], NEUTRAL: said[3]}
    for row in draw(lambda rng: amount_row(TEXTS, rng), 60):
        assert row.claim == expected[row.label].capitalize()
        assert said[0].capitalize() in row.evidence.split(" | ")


def test_units_are_converted_rightly():
    seen = set()
    for told, right, wrong, _ in made(amounts._converted):
        value, unit = amount(told)
        found, other = amount(right)
        exact = value * FACTORS[unit, other]
        rounding = 0.5 if exact >= 19.9 else 0.05
        assert found == pytest.approx(exact, rel=0, abs=rounding + 0.001 * exact), (told, right)
        assert abs(amount(wrong)[0] - exact) > 0.4 * exact, (told, wrong)
        seen.add((unit, other))
    assert len(seen) > 12


def test_changes_are_computed_rightly():
    shares = {
        "doubled": 2, "tripled": 3, "halved": 0.5, "stayed the same": 1, "quadrupled": 4,
        "rose by 10%": 1.1, "fell by 10%": 0.9, "grew by half": 1.5,
    }  # fmt: skip

    def share(text):
        return next(value for words, value in shares.items() if words in text)

    for told, right, wrong, _ in made(amounts._change):
        before, after = [int(n) for n in re.findall(r"(?:from|to|was|and) (\d+)(?= in)", told)]
        assert after == round(before * share(right), 6), (told, right)
        assert after != round(before * share(wrong), 6), (told, wrong)


def test_lengths_of_office_are_computed_rightly():
    checked = 0
    for told, right, wrong, _ in made(amounts._span):
        start, end = (int(year) for year in re.findall(r"\d{4}", told))
        for claim, true in ((right, True), (wrong, False)):
            if (found := re.search(r"for (\S+) years", claim)) is None:
                continue
            words = {amounts.word(n): n for n in range(2, 20)}
            length = words.get(found[1]) or int(found[1])
            assert (length == end - start) is true, (told, claim)
            checked += 1
        if found := re.search(r"in the (\d+)s", right):
            assert int(found[1]) <= start < int(found[1]) + 10
        if found := re.search(r"in the (\d+)s", wrong):
            assert not int(found[1]) <= start < int(found[1]) + 10
    assert checked > 20


def test_dates_in_other_notations_are_the_same_day():
    numbers = {month: n + 1 for n, month in enumerate(MONTHS)}

    def day(text):
        """(day, month, year), None for what is not said."""
        if iso := re.search(r"(\d{4})-(\d\d)-(\d\d)", text):
            return int(iso[3]), int(iso[2]), int(iso[1])
        month = next((n for name, n in numbers.items() if f" {name} " in f" {text} "), None)
        number = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b(?! century)", text)
        year = re.search(r"\b(\d{4})\b(?!s)", text)
        return number and int(number[1]), month, year and int(year[1])

    for told, right, wrong, _ in made(amounts._dated, 250):
        tail = [
            re.search(r"(?:on|in) (?:the )?[\w ,-]*\d[\w ,-]*\.$", t)[0]
            for t in (told, right, wrong)
        ]
        exact, same, other = (day(text) for text in tail)
        assert None not in exact
        assert all(b in (None, a) for a, b in zip(exact, same, strict=True)), (told, right)
        if any(part is not None for part in other):
            assert any(b not in (None, a) for a, b in zip(exact, other, strict=True)), (told, wrong)
        if found := re.search(r"(\d+)(?:st|th) century", right):
            assert (exact[2] - 1) // 100 + 1 == int(found[1])
        if found := re.search(r"(\d+)(?:st|th) century", wrong):
            assert (exact[2] - 1) // 100 + 1 != int(found[1])


def test_numbers_in_words():
    assert [amounts.word(n) for n in (7, 12, 20, 21, 30, 99)] == [
        "seven", "twelve", "twenty", "twenty-one", "thirty", "ninety-nine",
    ]  # fmt: skip
    values = {amounts.word(n): n for n in range(100)} | {"a dozen": 12}

    def number(text):
        digits = re.search(r"\d+", text)
        if digits:
            return int(digits[0])
        found = [w for w in values if re.search(rf"(?<![\w-]){w}(?![\w-])", text)]
        return values[found[0]]

    for told, right, wrong, _ in made(amounts._worded):
        assert number(told) == number(right) != number(wrong), (told, right, wrong)


def test_shares_of_a_wrong_claim_are_far_off():
    values = {words: value for _, words, value in amounts._SHARES}
    for told, right, wrong, _ in made(amounts._share):
        percent = int(re.search(r"(\d+)%", told)[1])
        assert values[re.match(r"(.*? of) the", right)[1]] == percent
        assert abs(values[re.match(r"(.*? of) the", wrong)[1]] - percent) > 20
