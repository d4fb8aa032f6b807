"""Answers that no sentence of a passage gives: computed from figures that the passages state.

In: a question and passages. Out: sentences that say what was computed and from which figures, and
the passages to cite. Nothing, unless there is one way only to compute it.

    computed.py          whether something is to be computed, and what came out
    durations.py         how long it took, how much time lies between two dates
    comparisons.py       which of two things is cheaper, and how they differ
    sides.py             what passages say of a thing by name (`data/comparing.toml`)
    dated_events.py      what passages say of when something begins, ends or happens
    moments.py           the dates of a text
    duration_words.py    their words (`data/durations.toml`)
    counting.py          counts, sums, averages and extremes of a table's rows
    tables.py            the tables of passages, whole or not
    words.py             units, measures and patterns (`data/computing.toml` beside this wing)
"""

from toulmin.answering.compose.computing.computed import Computed, computed, wants_tables

__all__ = ["Computed", "computed", "wants_tables"]
