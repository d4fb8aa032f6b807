"""From a question and passages to an answer.

In: a question (str) and passages (str). Out: spans of the passages with probabilities, offsets in
characters.

    reader.py            question, passages -> the best answer spans, and whether there is one
    windows.py           question, passages -> what the encoder reads; long passages in parts
    spans.py             start and end logits -> spans that do not cut words
    answerability.py     margins and shared words -> probability that the passages hold the answer
"""
