"""Writing an answer: from a question and passages to sentences with their sources.

In: a question, passages, and what the reader said of them. Out: sentences, one at a time, each with
the places of the passages that say it.

    extractive.py        without a language model: the passages' own sentences
    answer_lines.py      pieces that answer -> the sentences of an answer
    choosing.py          which passages are read
    asked_about.py       which parts of them are about another product, version or month
    versions.py          which document is newer, and what of the older no longer holds
    conflicts.py         which documents say two things of one, and neither is newer
    question_kind.py     what a question asks for: several things, yes or no, an explanation
    sentences.py         passages -> sentences, list items, table rows
    commands.py          which of them are meant for a language model, and never said
    scoring.py           which of them answers
    fit.py               which can answer at all
    instructions.py      which section says how something is done, by steps or code
    row_asked_for.py     which row of a table is asked for by what it says
    rows_asked.py        which rows and columns of a table are asked about
    counted.py           which words for a count, as columns are called, mean the same
    measures.py          whether a text or a column gives the measure that "how tall" asks for
    certainty.py         how probably the best of them answers
    answer_type.py       what kind of thing is asked for, and whether a text gives it
    still_holds.py       what is said to hold today before what held at first
    subjects_named.py    whether a text is about those whom the question names
    selecting.py         which are said, and in which order
    joining.py           a sentence out of its place -> one that stands alone
    repeats.py           whether two sentences say the same
    yes_no.py            whether what a yes/no question states is so
    of_another.py        whether a text says it of another subject
    computing/           what is computed: counts and sums of a table's rows, durations
    asserting.py         question and answer -> what they state together
    language.py          closed word lists, by language
    llm*.py              with a language model
"""

from toulmin.answering.compose.extractive import ExtractiveComposer

__all__ = ["ExtractiveComposer"]
