"""Which words of a passage answer this question, and are there any?

In: a question and passages. Out: the best spans, as characters of their passages, with
probabilities in [0, 1].

    reader.py              question, passages -> the best answer spans, and whether there is one, by
                           the span model
    open_reader.py         the same by the multilingual model
    by_language.py         which of the two reads a question
    judge.py               whether a passage answers, by the grounding model
    windows.py             what the reader model is given to read at once
    spans.py               what it says -> spans that begin and end with words
    answerability.py       how probable it is that a passage answers at all
"""
