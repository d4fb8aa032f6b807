"""What does the evidence say in the place of a claim's value?

    values.py           a claim -> its numbers, times, days and months, each as a question: "The
                        tower is how many metres tall?"
    answers.py          questions, evidence -> what the grounding model reads there, and how sure
    agreement.py        claimed and read values -> how far they agree, and what that is worth
    best_evidence.py    all of it for the evidence that bears each claim out best

A model that judges a claim as a whole hardly sees whether two numbers are the same, nor which of
several belongs to what is claimed; asked for the number, the same model finds the right one.
Questions for the parts of a claim are known from QAGS (Wang et al. 2020,
https://arxiv.org/abs/2004.04228) and QAFactEval (Fabbri et al. 2022,
https://arxiv.org/abs/2112.08542); here the question word stands where the value stood, so that no
question has to be generated (docs/decisions/0051).
"""
