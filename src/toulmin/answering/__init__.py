"""One turn: from a question to an answer whose every sentence is checked and cited, or to why not.

In: a `Question` (words, conversation, where to look or what to use). Out: an `Answer`, whole or as
it grows. Offsets are characters; scores lie in [0, 1].

    pipeline.py          the list of the steps
    turn.py              what they read and write: question, passages, what is known of the answer
    screening.py         what may not be dealt with: ignored classes, the customer's phrases, harm
    looking.py           what is asked in the conversation, and what is found for each thing asked
    wording.py           a language model's sentences, or the built-in composer's
    draft.py             the answer as it grows, each sentence checked and cited
    beside.py            related questions and pictures
    question.py answer.py passages.py composing.py   the nouns
    deciding.py          when a question is not answered, and an answer not given
    understanding/       a follow-up -> a question that stands alone; what might be asked next
    parts.py             the things that a question asks, with what was found for each
    searching.py         a question -> passages
    reading/             question, passages -> the best answer spans, and whether there is one
    compose/             passages -> the sentences of an answer, with or without a language model
    citing.py            a sentence -> its claims, how well they are borne out, and by what
    quoting.py           whether a sentence is a row or a labelled line of a passage
    pictures/            images and charts
    fallback.py          what is said when there is no answer
    facts.py             facts for a text to be checked, out of data stores
    steps.py             what was done, to show and to time
    rooms.py             what the pipeline stands on

The wings `understanding`, `pictures` and `compose` know the nouns, `compose` what was read;
`reading` knows none of them, and no wing the pipeline.
"""
