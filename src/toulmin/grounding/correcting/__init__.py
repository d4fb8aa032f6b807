"""A claim that is not borne out, and what the facts say instead: only where the check proves it.

In: claims, their scores, facts. Out: corrections. The claim keeps every word but a few, and those
that stand in their place are a fact's own.

    correct.py       the steps, in order
    replacing.py     words of a claim and of a fact in their place -> the claim so changed
    aligning.py      claim, sentence of a fact -> what differs where both say the same
    proposing.py     claim, sentences of facts -> the claims that it could have been
    proving.py       those and their scores -> the one that the check proves
"""
