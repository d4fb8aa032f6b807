"""Who did what to whom: a turned row swaps the two roles, a kept one does not."""

import re

from data import roles
from data.roles import role_row
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT

from tests.training.passages import check_rows, draw

ROWS = draw(role_row, 300)
ENTRIES = (*roles._DUTIES, *roles._PEOPLE, *roles._FIRMS, *roles._STATES)


def pattern(form):
    text = re.escape(form).replace(r"\{", "{").replace(r"\}", "}")
    named = text.replace("{a}", "(?P<a>[^.,]+?)").replace("{b}", "(?P<b>[^.,]+?)")
    return re.compile(re.sub(r"\{[nypv]\}", r"[\\w$,]+", named), re.IGNORECASE)


PATTERNS = [[pattern(form) for form in entry] for entry in ENTRIES]


def readings(text):
    """(entry, who, whom) for each relation that the text may tell."""
    return {
        (number, match["a"].lower(), match["b"].lower())
        for number, entry in enumerate(PATTERNS)
        for form in entry
        if (match := form.fullmatch(text))
    }


def told(row):
    pieces = [s for part in row.evidence.split(" | ") for s in re.split(r"(?<=\.) ", part)]
    return set().union(*(readings(piece) for piece in pieces))


def test_same_seed_same_rows():
    assert draw(role_row, 30) == ROWS[:30]


def test_rows_are_whole():
    check_rows(ROWS)


def test_kept_claims_have_the_roles_of_the_evidence():
    kept = [row for row in ROWS if row.kind == "role_kept"]
    assert len(kept) > 50
    for row in kept:
        assert row.label == SUPPORT
        assert readings(row.claim) & told(row), row


def test_turned_claims_swap_the_roles():
    turned = [row for row in ROWS if row.kind == "role_turned"]
    assert len(turned) > 50
    for row in turned:
        assert row.label == CONTRADICTION
        swapped = {(number, b, a) for number, a, b in readings(row.claim)}
        assert swapped & told(row), row
        assert not readings(row.claim) & told(row), row
        assert len(row.claim_wrong) == 2
        names = {row.claim[s:e].lower() for s, e in row.claim_wrong}
        assert all(name in row.evidence.lower() for name in names)


def test_denials():
    labels = {row.kind: row.label for row in ROWS}
    assert labels["role_denied"] == CONTRADICTION
    assert labels["role_turned_denied"] == SUPPORT


def test_untold_relations_are_neutral():
    untold = [row for row in ROWS if row.kind == "role_untold"]
    assert len(untold) > 30
    for row in untold:
        assert row.label == NEUTRAL
        assert not readings(row.claim) & told(row), row
