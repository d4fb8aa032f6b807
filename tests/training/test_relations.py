"""Relations: claims of one wording are true and false, and no block that is kept out is trained on."""

import random
from collections import defaultdict
from pathlib import Path

import pytest
from packs import CONTRADICTION, NEUTRAL, NONE, SPAN, SUPPORT, UNSUPPORTED, Query
from relations import FOLDER, Block, Names, filled, packs_of, read_relations

RELATION = """=== lend | PERSON PERSON | thing: a ladder; the projector | swap: C
E: {A} lent {B} {thing}.
E: {thing^} that {B} used was on loan from {A}.
E: The lender of {thing} was {A}, the borrower {B}.
C: {A} lent {thing} to {B}.
C: {B} borrowed {thing} from {A}.
QA: Who lent {thing} to {B}?
QB: Who had {thing} from {A}?
N: {B} asked {A} for {thing}.
X: {A} never lent {B} {thing}.
"""
ATTRIBUTE = """=== height of towers | TOWN | 31 m < 45 m < 52 m | more: taller
E: The tower of {A} is {a} high, that of {B} {b}.
E: {B}: {b}, {A}: {a}
E: Of {A} and {B}, the former has a tower of {a}, the latter one of {b}; that of {D} has {d}.
C: The tower of {A} is {a} high.
C: {A} has a tower of {a}.
Qa: How high is the tower of {A}?
C>: The tower of {A} is taller than that of {B}.
N: One of the towers of {A} and {B} is {a} high, the other {b}.
"""
NAMES = Names()


def read(tmp_path: Path, text: str) -> Block:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (block,) = read_relations([tmp_path / "a.txt"], NAMES)
    return block


def test_a_claim_turned_round_is_false_and_one_about_somebody_else_not_borne_out(tmp_path):
    block = read(tmp_path, RELATION)
    assert not block.faults
    evidence, queries = next(block.rows(NAMES, random.Random(3)))
    lender, rest = evidence.split(" lent ")
    labels = labelled(queries)
    borrower = next(name for name in (text.split(" lent ")[0] for text in labels if " lent " in text)
                    if name != lender and rest.startswith(name))  # fmt: skip
    thing = rest.removeprefix(borrower).strip(" .")
    assert labels[f"{lender} lent {thing} to {borrower}."] == SUPPORT
    assert labels[f"{borrower} lent {thing} to {lender}."] == CONTRADICTION
    assert sorted(labels.values()) == [SUPPORT] * 2 + [CONTRADICTION] * 2 + [UNSUPPORTED]


def labelled(queries: list[Query]) -> dict[str, int]:
    return {query.text: query.label for query in queries if query.label is not None}


def test_evidence_that_leaves_it_open_or_denies_it(tmp_path):
    *_, (asked, open_), (never, denied) = read(tmp_path, RELATION).rows(NAMES, random.Random(3))
    assert " asked " in asked
    assert set(labelled(open_).values()) == {NEUTRAL}
    assert " never " in never
    assert set(labelled(denied).values()) == {CONTRADICTION}
    assert [query.answer for query in open_ + denied if query.label is None] == [NONE, NONE]


def test_a_question_is_answered_by_the_one_of_whom_it_is_true_and_not_when_turned_round(tmp_path):
    block = read(tmp_path, RELATION)
    for seed in range(20):
        evidence, queries = next(block.rows(NAMES, random.Random(seed)))
        lender = evidence.split(" lent ")[0]
        for query in queries:
            if query.text.startswith("Who lent"):
                assert (query.answer == SPAN) == (lender not in query.text)
                assert [evidence[a:b] for a, b in query.spans] == [lender] * len(query.spans)


def test_the_value_of_the_one_that_is_asked_about(tmp_path):
    block = read(tmp_path, ATTRIBUTE)
    for seed in range(20):
        evidence, queries = next(block.rows(NAMES, random.Random(seed)))
        mine = evidence.split(" is ")[1].split(" high")[0]
        asked = [query for query in queries if query.label is None]
        assert [query.answer for query in asked] == [SPAN, NONE]
        assert [evidence[a:b] for a, b in asked[0].spans] == [mine]


def test_each_has_its_own_value(tmp_path):
    block = read(tmp_path, ATTRIBUTE)
    assert not block.faults
    for seed in range(20):
        evidence, queries = next(block.rows(NAMES, random.Random(seed)))
        one, other = evidence.removesuffix(".").split(", that of ")
        tower, high = one.removeprefix("The tower of ").split(" is ")
        mine, its = high.removesuffix(" high"), " ".join(other.split()[-2:])
        for claim, label in labelled(queries).items():
            if " taller " in claim:
                right = block.values.index(mine) > block.values.index(its)
                assert (label == SUPPORT) == (right == claim.startswith(f"The tower of {tower} is"))
            else:
                assert (label == SUPPORT) == ((mine in claim) == (tower in claim))


def test_a_name_with_an_article_has_one():
    line = "The {A} towed the {B}; {A^} was slow."
    assert filled(line, {"A": "the Petrel", "B": "the Ondine"}) == (
        "The Petrel towed the Ondine; The Petrel was slow."
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (RELATION.replace("PERSON PERSON", "GIANT GIANT"), "no names of the type"),
        (
            RELATION.replace("C: {B} borrowed {thing}", "C: They shared {thing}").replace(
                "They shared {thing} from {A}", "They shared {thing}"
            ),
            "slots of C",
        ),
        (RELATION.replace("C: {B} borrowed", "C: {Z} borrowed"), "slots of C"),
        (RELATION.replace("E: {thing^}", "So {thing^}"), "not a line"),
        (RELATION.replace(" | swap: C", ""), "a head has four parts"),
        (ATTRIBUTE.replace("C: {A} has a tower of {a}.", "C: {A}, not {B}, has {a}."), "another"),
    ],
)
def test_what_breaks_the_form_is_told(tmp_path, text, fault):
    assert any(fault in found for found in read(tmp_path, text).faults)


def test_the_shipped_blocks_keep_the_form():
    paths = sorted(path for path in FOLDER.glob("*.txt") if path.name != "names.txt")
    blocks = list(read_relations(paths, NAMES))
    assert not [fault for block in blocks for fault in block.faults]
    assert len({block.head[0] for block in blocks}) > 0.9 * len(blocks)
    assert 0 < sum(block.is_kept_out for block in blocks) < len(blocks) / 5


def test_no_wording_of_a_claim_has_one_label_only(tmp_path):
    block = read(tmp_path, RELATION)
    labels = defaultdict(set)
    for seed in range(8):
        for pack in packs_of([block], NAMES, seed):
            for query in pack.queries:
                if query.label is not None:
                    labels["borrowed" in query.text].add(query.label)
    assert all({SUPPORT, CONTRADICTION, NEUTRAL} <= found for found in labels.values())


def test_the_same_seed_makes_the_same_packs(tmp_path):
    blocks = [read(tmp_path, RELATION), read(tmp_path, ATTRIBUTE)]
    assert packs_of(blocks, NAMES, 5) == packs_of(blocks, NAMES, 5)
    assert packs_of(blocks, NAMES, 5) != packs_of(blocks, NAMES, 6)
