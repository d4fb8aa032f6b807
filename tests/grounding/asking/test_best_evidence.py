"""Which evidence of a claim is asked for its values."""

import numpy as np
import pytest

from toulmin.grounding.asking import best_evidence
from toulmin.grounding.asking.agreement import Agreement, AskingWeights
from toulmin.grounding.asking.best_evidence import MOST_ASKED, ask_best
from toulmin.grounding.inputs import PairText

WEIGHTS = AskingWeights((1.0, -4.0, -2.0), (0.0, 2.0, 1.0))


@pytest.fixture
def ask(monkeypatch):
    """Ask evidence whose text says what it answers; return the order, support, contradiction."""

    def run(evidence, sizes, support, contradiction=None):
        order = []

        def agreements(encoder, pairs, **_):
            order.append([text for _, text in pairs])
            known = {"agrees": Agreement(agrees=1.0), "differs": Agreement(differs=1.0)}
            return [known.get(text.split()[0], Agreement()) for _, text in pairs]

        monkeypatch.setattr(best_evidence, "agreements", agreements)
        pairs = [PairText(text, "It has 3 doors.", "") for text in evidence]
        moved = np.array(support), np.array(contradiction or [0.0] * len(support))
        ask_best(None, WEIGHTS, pairs, sizes, moved)
        return order, *moved

    return run


def test_the_best_piece_of_each_claim_is_asked(ask):
    order, *_ = ask(["a", "agrees", "agrees b", "c"], [2, 0, 2], [0.2, 0.9, 0.5, 0.1])
    assert order == [["agrees", "agrees b"]]


def test_a_piece_that_becomes_the_best_is_asked_too(ask):
    order, support, _ = ask(["differs", "differs b", "c"], [3], [0.9, 0.8, 0.1])
    assert order == [["differs"], ["differs b"]]
    assert max(support) < 0.2


def test_the_other_piece_counts_where_it_agrees(ask):
    order, support, _ = ask(["differs", "agrees"], [2], [0.9, 0.6])
    assert order == [["differs"], ["agrees"]]
    assert support[1] > 0.6


def test_what_was_not_asked_in_the_end_counts_no_more_than_what_was(ask):
    order, support, _ = ask([f"differs {n}" for n in range(9)], [9], [0.9] * 9)
    assert len(order) == MOST_ASKED
    assert max(support) == pytest.approx(support[0])
    assert max(support) < 0.2


def test_one_claim_that_is_held_leaves_the_others_alone(ask):
    evidence = [*(f"differs {n}" for n in range(9)), "silent", "silent b", "differs", "silent"]
    _, support, _ = ask(evidence, [9, 2, 2], [0.9] * 9 + [0.7, 0.6] + [0.8, 0.15])
    assert support[9:11].tolist() == [0.7, 0.6]
    assert support[11] < support[12] == 0.15


def test_what_is_neither_borne_out_nor_contradicted_is_not_asked(ask):
    order, *_ = ask(["agrees", "agrees b"], [1, 1], [0.1, 0.1], [0.2, 0.4])
    assert order == [["agrees b"]]
