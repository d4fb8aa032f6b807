"""Whether a text agrees to something, asks about it, or refuses it; its words alone do not say.

"That is right" agrees, "is that right" asks, and so does "50 to Anna, right"; who speaks or
dictates leaves the mark out. What agrees in several words ("sounds good") is read as a yes.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

WORDS: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
AGREES: Final = frozenset({"yes", "yeah", "yep", "yup", "sure", "ok", "okay"})
"""Words that agree where they come first, whatever follows."""
YES: Final = AGREES | {
    *(
        "y",
        "k",
        "kk",
        "aye",
        "correct",
        "right",
        "exactly",
        "fine",
        "great",
        "perfect",
        "excellent",
    ),
    *("brilliant", "wonderful", "fantastic", "alright", "affirmative", "confirm", "confirmed"),
    *("absolutely", "certainly", "definitely", "agreed", "proceed"),
}
NO: Final = frozenset(
    {"no", "nope", "nah", "don't", "dont", "not", "stop", "never", "cancel", "forget", "leave"}
    | {"abort", "wrong", "n"}
)
FILLERS: Final = frozenset(
    {"it", "that", "this", "the", "my", "please", "for", "me", "now", "i", "thanks", "thank", "you"}
    | {"is", "that's", "it's", "so", "go", "of", "with", "to", "a", "an", "and", "all", "very"}
    | {"sounds", "looks", "good", "would", "like", "want", "i'd", "mind", "much", "well", "oh"}
    | {"do", "course", "ahead", "be", "just", "then", "nice", "cool", "lovely", "super", "really"}
    | {"thats", "its", "pls", "plz", "haha", "lol", "omg", "ffs", "god", "hell", "damn", "bloody"}
)
"""Words that say nothing new; that they are there is neither a yes nor a no."""
AUXILIARIES: Final = frozenset(
    {"am", "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would"}
    | {"shall", "should", "may", "might", "must", "have", "has", "there", "we", "they", "these"}
    | {"isn't", "aren't", "doesn't", "didn't", "can't", "couldn't", "won't", "wouldn't"}
)
"""Words of a question that ask for nothing new by themselves."""
_ALWAYS: Final = frozenset({"yes", "yeah", "yep", "yup", "confirm", "confirmed", "proceed"})
"""Words that agree even where they are words of what is agreed to."""

_JUDGED: Final = (
    r"(?:right|correct|fine|ok|okay|alright|good|great|perfect|excellent|lovely|wonderful|nice"
    r"|brilliant|fantastic|cool)"
)
_VERY: Final = r"(?:(?:all|just|very|really|perfectly|absolutely|quite|exactly)\s+)*"
_IT: Final = r"(?:that|this|it|everything|all)"
_BEFORE: Final = (
    r"(?:\A|[,.;!\u2026\u2013\u2014]|\b(?:yes|yeah|yep|yup|sure|ok|okay|right|fine|great|perfect"
    r"|please|and|so|just|well|then|now|oh|course|absolutely|definitely)\b)\W{0,4}"
)
"""What a clause begins behind."""
_AGREEING: Final = re.compile(
    rf"\b(?:go (?:right )?ahead|of course|i (?:do )?agree"
    rf"|{_IT}(?:(?:'?s| is|'ll be| will be|'d be| would be) {_VERY}{_JUDGED}"
    rf"| (?:sounds|looks|seems) {_VERY}{_JUDGED}|'ll do| (?:will|would) do| works| suits me)"
    rf"|(?:sounds|looks|seems) {_VERY}{_JUDGED}"
    r"|(?:works for|(?:fine|good|great|ok|okay) (?:by|with))(?= (?:me|us)\b)"
    r"|(?:i|we)(?:'d| would) (?:like|love) (?:that|it|this))\b(?: (?:for|to|with|by) (?:me|us)\b)?",
    re.IGNORECASE,
)
"""What agrees in several words, wherever it stands."""
_KINDLY: Final = re.compile(
    r"\b(?:it|that)(?:'?s| is) (?:(?:all|just|really|quite) )*(?:(?<=all )right|fine|ok|okay"
    r"|alright|good|cool)\b(?=\W+(?:thanks|thank you)\b)",
    re.IGNORECASE,
)
"""With thanks behind it this may be a no: "it's fine, thanks"."""
_HARMLESS_NO: Final = re.compile(r"\b(?:no (?:problem|worries)|why not)\b", re.IGNORECASE)
_BEGINNING: Final = re.compile(
    rf"({_BEFORE})\b(?:do (?:it|that|this|so|please)|do(?=\W*\Z)|go for it"
    r"|(?:go|carry) on(?=(?: then| please| thanks)*\W*(?:\Z|[,.;!\u2026]))"
    r"|let'?s (?:do (?:it|that|this)|go for it|go ahead))\b",
    re.IGNORECASE,
)
"""What agrees where a clause begins with it: "you do that" is another thing."""
_THUMBS: Final = (
    (re.compile("[\U0001f44d\U0001f44c\u2705\u2714\U0001f197]"), " yes "),
    (re.compile("[\U0001f44e\u274c\U0001f6ab]"), " no "),
)
_SUBJECT: Final = (
    r"(?:i|you|we|they|he|she|it|that|this|these|those|there|the(?! \d)|my|your|our|everything"
    r"|all|any\w*|some\w*)"
)
_LEAD: Final = (
    r"^\W*(?:(?:no|yes|yeah|ok|okay|well|and|but|so|then|oh|um+|uh+|hm+|wait|sorry|right|sure|fine"
    r"|please|also|just|actually|thanks|thank you|hold on|hang on)\b\W*)*"
)
_ASKING_WORDS: Final = r"(?:what|when|where|who|whom|whose|why|which|how)(?:'s|'re)?"
_MODALS: Final = (
    r"(?:(?:is|are|was|were|am|does|did|can|could|will|would|shall|should|might|must)(?:n'?t)?"
    r"|won'?t|can'?t|may(?= (?:i|we|it)\b))"
)
_YOU_DO: Final = r"(?:do|don'?t|have|has|haven'?t)(?:n'?t)?\s+(?:i|you|we|they|he|she|these|those)"
ASKS_SOMETHING: Final = re.compile(
    rf"\?\s*\Z|{_LEAD}(?:{_ASKING_WORDS}\b|{_MODALS}\s+{_SUBJECT}\b|{_YOU_DO}\b)", re.IGNORECASE
)
"""A text that asks: a word that asks, or a verb before its subject, at its beginning."""
_ASKS_BY_VERB: Final = re.compile(rf"{_LEAD}(?:is|are|was|were|am)(?:n'?t)?\b", re.IGNORECASE)
_ASKS_BEHIND: Final = re.compile(
    rf"(?<!\bthat )(?<!\bthis )(?<!\bit )\b(?:{_MODALS}\s+(?:i|you|we|they|it|that|this|these"
    rf"|those|there)|{_YOU_DO})\b",
    re.IGNORECASE,
)
_TAGS: Final = frozenset({"right", "correct", "ok", "okay", "alright", "yeah", "huh", "eh"})
"""What a sentence ends with that is to be agreed to, not one that agrees: "50 to Anna, right"."""
_BEHIND_TAGS: Final = frozenset({"please", "thanks", "then", "now"})
_BEFORE_NO_TAG: Final = AGREES | {
    *("is", "are", "be", "that's", "it's", "all", "quite", "very", "absolutely", "perfectly"),
    *("exactly", "just", "really", "oh", "well", "so", "and", "please", "thanks", "you", "fine"),
    *("right", "correct", "perfect", "great", "sounds", "looks"),
}
_OF_SOMETHING: Final = re.compile(
    rf"\b(?:the|a|an|my|this|that) {_JUDGED}(?= \w)|\bright (?=now\b|away\b)", re.IGNORECASE
)
_OF_YOU: Final = re.compile(r"\b(?:thank you|(?:want|like) you to)\b", re.IGNORECASE)
_REFUSES: Final = re.compile(
    r"(?:\A|[,.;!\u2026\u2013\u2014]|\bsays\b|\bbut\b|\band\b)\W{0,4}"
    r"(?:(?:oh|ah|hm+|um+|well|sorry|wait|actually|please|just|hold on|hang on|nothing else"
    r"|(?:on )?second thoughts?)\b\W{0,4}){0,6}+"
    r"(?:(?P<no>(?:no|nope|nah)\b(?!\W*\d))|(?:don'?t|do not)\b|stop\b(?! (?:at|by|in)\b)|scrap\b"
    r"|forget (?:it|that|this|about)\b|leave (?:it|that|everything|things)"
    r"(?: as (?:it|they) (?:is|are))?\W*(?:\Z|[,.;!]))",
    re.IGNORECASE,
)
_CLAUSE_ENDS: Final = re.compile(r"[,.;!]")


def read_as(said: str) -> str:
    """Return a text in which what agrees in several words, or with a thumb, is a "yes"."""
    text = " ".join(said.replace("\u2019", "'").split())
    for sign, word in _THUMBS:
        text = sign.sub(word, text)
    text = _BEGINNING.sub(r"\1yes", _HARMLESS_NO.sub("sure", text.strip()))
    return text if asks(text) else _AGREEING.sub("yes", _KINDLY.sub(" ", text))


def asks(text: str) -> bool:
    """Return whether a text asks something, with or without its mark: "ok so is it 50 to Anna"."""
    return bool(
        ASKS_SOMETHING.search(text) or _ASKS_BY_VERB.search(text) or _ASKS_BEHIND.search(text)
    )


def refuses(text: str) -> bool:
    """Return whether a clause of a text begins with a no: "my wife says no, don't book it"."""
    return bool(_REFUSES.search(text))


def after_refusal(text: str) -> str:
    """Return what follows the clause that begins with a no; the text, where none does.

    Of "oh no, where is it" that is "where is it", of "hm, don't send it to them" nothing.
    """
    found = _REFUSES.search(text)
    if found is None:
        return text
    rest = text[found.end() :]
    return (rest if found["no"] else "".join(_CLAUSE_ENDS.split(rest, 1)[1:])).strip(" ,.;!")


def is_yes(text: str, known: Set[str]) -> bool:
    """Return whether a text that has nothing new in it is a plain yes.

    Args:
        text: As `read_as` returns it.
        known: Words of what is agreed to, which agree to nothing: "pay the fine". Where one is a
            single letter, no single letter is a yes.
    """
    words = [word.lower() for word in WORDS.findall(text)]
    if "mind" in words or "you" in WORDS.findall(_OF_YOU.sub(" ", text).lower()):
        return False  # "I do mind", "you sure"
    while words and words[-1] in _BEHIND_TAGS:
        words.pop()
    if words[1:] and words[-1] in _TAGS and words[-2] not in _BEFORE_NO_TAG:
        return False
    counted = WORDS.findall(_OF_SOMETHING.sub(" ", text).lower())
    if any(len(word) == 1 and word.isalpha() for word in known):
        counted = [word for word in counted if len(word) > 1]  # "K" may be the next row, no "ok"
    return any(word in YES and (word in _ALWAYS or word not in known) for word in counted)
