"""Facts that say two things of one thing: only where the check bears out that both cannot be right.

In: facts. Out: conflicts, each with both sentences and the figure, date or name that differs.

    conflicts.py     the steps, in order; which claims rest on a side
    sayings.py       facts -> their sentences, with what they say and in which values
    values.py        words of a sentence -> its figures, dates and names; whether two disagree
    pairing.py       sentences -> pairs that say the same of the same, but for one value
"""
