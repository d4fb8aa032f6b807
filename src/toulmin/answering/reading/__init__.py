"""Which words of a passage answer this question, and are there any?

In: a question and passages. Out: the best spans, as characters of their passages, with
probabilities in [0, 1].

    open_reader.py         question, passages -> the best answer spans, and whether there is one, by
                           a grounding model, the English or the multilingual one
    by_language.py         which of the two reads a question
    reader.py              the same by the small span model: extracts of searches
    windows.py             what the reader model is given to read at once
    spans.py               what it says -> spans that begin and end with words
    answerability.py       how probable it is that a passage answers at all
"""
