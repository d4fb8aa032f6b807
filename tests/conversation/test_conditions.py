"""Conditions of transfer rules: what they say of a session's variables."""

from __future__ import annotations

import pytest

from toulmin.conversation.conditions import DEEPEST, LONGEST, ConditionError, parse_condition

VARIABLES = {
    "plan": "gold",
    "visits": 3,
    "known": True,
    "nothing": None,
    "user": {"age": 20, "tags": ["a", "b"]},
    "name": "Anna's",
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('plan == "gold"', True),
        ("plan == 'gold' && visits >= 3", True),
        ('plan != "gold" || visits < 3', False),
        ('plan == "gold" AND NOT known', False),
        ('plan == "x" OR known', True),
        ("known", True),
        ("!known", False),
        ("!!known", True),
        ("known == true", True),
        ("visits == true", False),
        ("known == 1", False),
        ("visits == 3.0", True),
        ("visits > -1", True),
        # "and" binds closer than "or"
        ("known || known && !known", True),
        # a fault of one side does not matter where another one settles it
        ("missing > 3 || plan || known", True),
        ("missing > 3 && plan && !known", False),
        ("(known || known) && !known", False),
        ("variables.plan == 'gold'", True),
        ('state["plan"] == "gold"', True),
        ("$context.variables.visits == 3", True),
        ("user.age >= 18", True),
        ('user["tags"][1] == "b"', True),
        ("user.tags[7] == null", True),
        ('plan in ["silver", "gold"]', True),
        ("visits in []", False),
        ('"age" in user', True),
        ("has(plan)", True),
        ("has(nothing) || has(missing) || has(user.size)", False),
        ("size(user.tags) == 2 && size(plan) == 4", True),
        ('name.startsWith("Ann") && name.endsWith("s") && name.contains("\'")', True),
        ("name == 'Anna\\'s'", True),
        ('plan < "hold"', True),
        ("missing == null", True),
        ('missing != "gold"', True),
        # a fault on one side does not matter where the other side decides
        ("missing > 3 || known", True),
        ("known || missing > 3", True),
        ("missing > 3 && !known", False),
        ("!known && missing > 3", False),
    ],
)
def test_what_a_condition_says(text, answer):
    assert parse_condition(text).holds(VARIABLES) is answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("missing > 3", "null > 3 cannot be compared"),
        ("plan > 3", '"gold" > 3'),
        ("known < true", "true < true"),
        ("plan", '"gold" is neither true nor false'),
        ("!visits", "3 is neither"),
        ("missing > 3 || !known", "cannot be compared"),
        ("missing > 3 && known", "cannot be compared"),
        ("size(visits) > 1", "3 has no size"),
        ("visits.startsWith('x')", "startsWith is asked of 3"),
        ("plan in plan", "is no list"),
        ("missing > 1 && missing > 2 && known", "null > 1 cannot be compared"),
    ],
)
def test_what_cannot_be_answered_is_a_fault(text, words):
    with pytest.raises(ConditionError) as caught:
        parse_condition(text).holds(VARIABLES)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  ", "is empty"),
        ("plan =", 'column 6: "="'),
        ("plan ==", "column 8: the end where a value"),
        ("plan == gold)", 'column 13: ")" where an operator or the end'),
        ("(plan == 'x'", 'the end where ")"'),
        ("plan == 'x", "column 9"),
        ("plan.matches('x')", "matches: is none of startsWith"),
        ("plan . 3", "where a name"),
        ("plan[x]", "where a number or a text"),
        ("[1 2]", 'where ","'),
        ("a && && b", "column 6"),
        ("x" * (LONGEST + 1), "at most 10,000"),
        ("!" * (DEEPEST + 1) + "known", f"more than {DEEPEST} levels"),
        ("(" * 5_000 + "known" + ")" * 4_000, f"more than {DEEPEST} levels"),
        ("[" * 5_000, f"more than {DEEPEST} levels"),
        ("visits == 03", 'column 11: "03" where a number as JSON writes it'),
        ("visits == -00.5", 'column 11: "-00.5" where a number'),
        ("visits == " + "9" * 309, "at most 308 digits"),
    ],
)
def test_what_is_no_condition(text, words):
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("&&".join(["known"] * 1_200), True),
        ("||".join(["!known"] * 1_200), False),
        ("user" + ".age" * 2_400 + " == null", True),
        ("known" + ".contains(plan)" * 600 + ".x == null", None),
    ],
)
def test_a_long_condition_is_answered(text, answer):
    condition = parse_condition(text)
    if answer is None:
        with pytest.raises(ConditionError, match="contains is asked of true"):
            condition.holds(VARIABLES)
    else:
        assert condition.holds(VARIABLES) is answer
