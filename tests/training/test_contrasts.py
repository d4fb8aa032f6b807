"""The contrast sets: the form is kept, no claim has one label only, nothing kept out is trained on."""

from pathlib import Path

import pytest
from contrasts import FOLDER, MOST, ContrastSet, joined, read_sets
from packs import CONTRADICTION, NEUTRAL, SUPPORT

GIVEN = """=== minutes | question
1: The bridge is closed.
2: Lorries may cross.
---
SC The council has closed the bridge.
N- Is the bridge closed?
CS The bridge is open to lorries.
"""


def read(tmp_path: Path, text: str) -> list[ContrastSet]:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    return list(read_sets([tmp_path / "a.txt"]))


def test_a_set_becomes_one_pack_a_context(tmp_path: Path) -> None:
    (found,) = read(tmp_path, GIVEN)
    assert not found.faults
    first, second, third = found.packs()
    assert first.evidence == "The council has closed the bridge."
    assert [query.label for query in first.queries] == [SUPPORT, CONTRADICTION]
    assert [query.label for query in second.queries] == [NEUTRAL]
    assert [query.text for query in third.queries] == [
        "The bridge is closed.",
        "Lorries may cross.",
    ]


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (GIVEN.replace("SC ", "S "), "not one letter a claim"),
        (GIVEN.replace("2: Lor", "Lor"), "not a claim"),
        (GIVEN.replace("CS ", "S- ").replace("N- ", "S- "), "claim 1 is not both"),
    ],
)
def test_what_breaks_the_form_is_named(tmp_path: Path, broken: str, fault: str) -> None:
    (found,) = read(tmp_path, broken)
    assert any(fault in line for line in found.faults)


def test_the_written_sets_keep_the_form_and_differ() -> None:
    sets = list(read_sets(sorted(FOLDER.glob("*.txt"))))
    pairs = sum(len(pack.queries) for found in sets for pack in found.packs())
    assert (len(sets), pairs) == (1420, 31382)
    assert [line for found in sets for line in found.faults] == []
    assert len({tuple(found.claims) for found in sets}) == len(sets)
    assert 0.04 < sum(found.is_kept_out for found in sets) / len(sets) < 0.2


def test_those_in_other_languages_keep_the_form() -> None:
    sets = list(read_sets(sorted((FOLDER / "other_languages").glob("*.txt"))))
    assert (len(sets), [line for found in sets for line in found.faults]) == (330, [])


def test_joined_contexts_are_of_different_sets_and_none_is_lost(tmp_path: Path) -> None:
    sets = [GIVEN.replace("bridge", f"bridge {number}") for number in range(5)]
    packs = [p for text in sets for found in read(tmp_path, text) for p in found.packs()]
    made = joined(packs, seed=1)
    assert sum(len(pack.queries) for pack in made) == sum(len(pack.queries) for pack in packs)
    assert all(sum(pack.evidence in one.evidence for one in made) == 1 for pack in packs)
    for one in made:
        texts = [query.text for query in one.queries if query.text.startswith("The bridge")]
        assert len(texts) == len(set(texts)) <= MOST
