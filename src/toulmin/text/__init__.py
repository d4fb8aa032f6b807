"""What every room needs to know of written language, and nothing of what a text is for.

In: text in any language. Out: ranges of characters, words, a language.

    sentences.py     text -> where its sentences begin and end
    tables.py        a line -> whether it is the dashes of a Markdown table
    words.py         text -> its words as arrays: where they stand, and which of them are the same
    lookalikes.py    letters of other scripts that pass for Latin ones, put back
    scripts.py       the ranges of Unicode that rules of language are made of, by name
    figures.py       "1,340 euros" -> a number and its unit
    units.py         "€", "EUR", "euros" -> one name, and what it measures
    languages.py     text -> its language, and the words by which a language asks, joins, refuses

Nothing here knows facts, files or models.
"""
