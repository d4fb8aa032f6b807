"""What does a question ask, and what might be asked next?

In: a question and what was said before it. Out: the question that stands alone. From passages:
questions that they answer.

    rephrase.py            a follow-up -> a question that stands alone
    typed.py               a question as people type it -> as it is read
    split.py               a question that asks two things -> two questions (split_japanese.py)
    follow_up_english.py   the rules for English (antecedents.py: what a pronoun points to)
    follow_up_other.py     the rules for other languages
    phrases.py             the noun phrases of an English text
    word_lists.py          the closed lists behind all of these, by language
    user_class.py          whether a question is of a class that the user describes
    related.py             what might be asked next (question_patterns.py)
"""
