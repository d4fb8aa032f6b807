"""True statements taken out of a sentence: parts dropped, clauses alone, turned round."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re

from data.grammar import IRREGULAR
from data.verbs import AUXILIARIES, PAST, PRESENT, is_negative, main_verb

NAME = r"(?:[A-ZÀ-Þ][\w'’&-]*\.?)(?: (?:of|de|von|van|al|the|da|del|la|[A-ZÀ-Þ][\w'’&-]*\.?)){0,4}"
_SUBJECT = r"(?:the|a|an|his|her|its|their|this|these|those|he|she|it|they|we|you|in|on|at)\b|[A-Z]"
_OPENING = re.compile(
    r"^(?:In|On|At|During|After|Before|Since|While|Although|Though|When|As|By|With|Despite|"
    r"Following|From|Because|Under|Upon|Throughout|Until|According to)\b[^,;]{2,70}, "
    rf"(?={_SUBJECT})"
)
_ADVERB = re.compile(
    r"^(?:However|Also|Additionally|Furthermore|Moreover|In addition|Nevertheless|Therefore|Thus|"
    r"Subsequently|As a result|For example|For instance|Meanwhile|Finally|Indeed|In fact|"
    r"Eventually|Later|Today|Currently|Then|Still|Instead|Similarly|Consequently|Overall), "
)
_TRAIL = re.compile(
    r"(?:, (?:\w+ing|with|although|though|but|while|which|where|who|whereas|and|so|making|leading)"
    r"|; \w+| (?:because|although|whereas|so that|in order to|even though))\b[^;]*$"
)
_PARENTHESES = re.compile(r" ?\([^()]*\)")
_INSERT = re.compile(r", (?:[^,]{3,60}), ")
_APPOSITION = re.compile(rf"^({NAME}), ((?:an?|the) [a-z][^,;]{{3,80}}), (?=[a-z])")
_RELATIVE = re.compile(rf"^({NAME}|The [a-z]+(?: [a-z]+)?), (who|which) ([^,;]{{8,90}}), (?=[a-z])")
_PASSIVE = re.compile(
    rf"^((?:The |An? )?[A-Za-z][^,;]*?) (was|were) (?:\w+ly )?([a-z]+) by "
    rf"((?:the |an? )?(?:[a-z]+ ){{0,2}}{NAME})"
    r"(?=( (?:in|on|at|during|after|before|from|to|for|with)\b[^,;]*)?\.?$)"
)
_POSSESSIVE = re.compile(rf"\bthe ([a-z]+(?: [a-z]+)?) of ({NAME})(?=[ .,])")
_SAID = re.compile(
    rf'^["“]([A-Z][^"”“]{{15,160}}),["”] (?:said|says|explained|added|argued) ({NAME})\b'
)
_SAID_FIRST = re.compile(rf'^({NAME}) (said|says|explained|argued)[,:] ["“]([A-Z][^"”“]{{15,160}})')
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our|you|your|I'm|we're)\b", re.IGNORECASE)
PARTICIPLE_PAST = {
    "written": "wrote", "given": "gave", "taken": "took", "chosen": "chose", "drawn": "drew",
    "driven": "drove", "broken": "broke", "shown": "showed", "known": "knew", "seen": "saw",
    "sung": "sang", "begun": "began", "flown": "flew", "thrown": "threw", "overthrown": "overthrew",
    "beaten": "beat", "eaten": "ate", "stolen": "stole", "worn": "wore", "torn": "tore",
}  # fmt: skip
_NOMINAL = (
    (rf"^({NAME}) was founded by ({NAME})\b.*", r"\2 is the founder of \1.", r"\2 founded \1."),
    (rf"^({NAME}) was (?:written|authored) by ({NAME})\b.*", r"\2 is the author of \1.",
     r"\1's author is \2."),
    (rf"^({NAME}) was directed by ({NAME})\b.*", r"\2 is the director of \1.",
     r"The director of \1 was \2."),
    (rf"^({NAME}) was designed by ({NAME})\b.*", r"\2 was the designer of \1.",
     r"\2 designed \1."),
    (rf"^({NAME}) wrote (\"[^\"]+\"|{NAME})\b.*", r"\1 is the author of \2.", r"\2 is by \1."),
    (rf"^({NAME}) was born in ({NAME})\b.*", r"\2 is the birthplace of \1.",
     r"\1's birthplace is \2."),
    (rf"^({NAME}) \(born ([A-Z][a-z]+ \d+, \d{{4}})\).*", r"\1 was born on \2.",
     r"\1's date of birth is \2."),
    (rf"^({NAME}) \(born (\d+ [A-Z][a-z]+ \d{{4}})\).*", r"\1 was born on \2.",
     r"\1's birthday is \2."),
    (rf"^({NAME}) is the capital of ({NAME})\b.*", r"The capital of \2 is \1.",
     r"\2's capital is \1."),
    (rf"^({NAME}) won the ([A-Z][\w' ]+?)(?: in| for|\.).*", r"\1 was the winner of the \2.",
     r"The \2 went to \1."),
    (rf"^({NAME}) acquired ({NAME})\b.*", r"\2 was bought by \1.", r"\1 took over \2."),
    (rf"^({NAME}) died (?:in|on) ((?:[A-Z][a-z]+ )?(?:\d+, )?\d{{4}})\b.*",
     r"\1's death was in \2.", r"\1 passed away in \2."),
)  # fmt: skip
_OWNED = set(
    "president author capital father mother founder leader population headquarters owner director "
    "king queen son daughter brother sister wife husband government economy music history work "
    "career father death birth release popularity success author coach manager chairman mayor "
    "governor editor creator inventor discovery currency flag anthem constitution army climate "
    "birthplace successor predecessor parliament members citizens people minister".split()
)
PRONOUN = re.compile(r"^(?:He|She|It|They|This|These|Those|His|Her|Its|Their|There|Such|That)\b")


def statements_of(sentence: str, rng: random.Random) -> list[str]:
    """True statements that follow from a sentence, shorter or turned round; may be empty."""
    base = _ADVERB.sub("", sentence)
    base = _PARENTHESES.sub("", base) if rng.random() < 0.7 else base
    base = _capital(base)
    found = [
        _appositive(base), _without_insert(base, _APPOSITION), _relative(base),
        _without_insert(base, _RELATIVE), _second_verb(base), _first_verb(base), _active(base),
        _possessive(base), _reported(sentence), _nominal(sentence, rng), _nominal(base, rng),
        _dropped(base, rng), _dropped(base, rng), _moved(base),
    ]  # fmt: skip
    found = [_capital(f.strip()) for f in found if f]
    return [f for f in dict.fromkeys(found) if f != sentence and sound(f)]


def sound(text: str) -> bool:
    """A complete statement, as far as rules can tell: a verb, balanced quotes and brackets."""
    words = text.split()
    return (
        4 <= len(words) <= 34
        and text.endswith((".", '."', ".”"))
        and text.count('"') % 2 == 0
        and text.count("(") == text.count(")")
        and not re.search(r"[?!|…]|\.\.|,,|, ?\.|https?:|\b[A-Z]\.$", text)
        and not re.search(r"\b(?:the|a|an|of|in|to|and|or|with|by|for|that|as)\.$", text)
        and any(w in AUXILIARIES or w in PAST or w in PRESENT for w in re.findall(r"[a-z]+", text))
    )


_VAGUE = re.compile(r"\b(?:approximately|roughly) (?![\d$£€]|an? |half|one|two|t|f|s|e|n)")


def fluent(text: str) -> bool:
    """Whether a rewritten claim is free of the marks of a rewrite that went wrong, and of menus."""
    tokens = text.split()
    high = sum(t[:1].isupper() for t in tokens)
    return not (
        _VAGUE.search(text)
        or re.search(r"\b(\w+) \1\b|\ba [aeio]|\ban [^aeiouhAEIOUHFLMNRSX8\W]| ,", text)
        or (len(tokens) > 6 and high > 0.6 * len(tokens))
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:] if text else text


def _finish(text: str) -> str:
    return text.rstrip(" .,;") + "."


def _tense(rest: str) -> str:
    verb = re.findall(r"[a-z]+", rest)[:3]
    return "was" if any(w in PAST or w in ("was", "were", "had") for w in verb) else "is"


def _appositive(text: str) -> str | None:
    match = _APPOSITION.match(text)
    if match is None or re.search(r"\b(?:and|or)\b", match.group(2)):
        return None
    return f"{match.group(1)} {_tense(text[match.end() :])} {match.group(2)}."


def _without_insert(text: str, pattern: re.Pattern[str]) -> str | None:
    match = pattern.match(text)
    return f"{match.group(1)} {text[match.end() :]}" if match else None


def _relative(text: str) -> str | None:
    match = _RELATIVE.match(text)
    if match is None or match.group(3).split()[0] not in {*AUXILIARIES, *PAST, *PRESENT}:
        return None
    return f"{match.group(1)} {match.group(3)}."


def _conjuncts(text: str) -> tuple[str, str, str] | None:
    """(subject, first predicate, second predicate) of "X did A and did B."."""
    verb = main_verb(text)
    if verb is None or is_negative(text):
        return None
    spots = [
        m
        for m in re.finditer(r",? and (?:then |later |also )?(?=([a-z]+) )", text[verb.end :])
        if m.group(1) in PAST or m.group(1) in ("was", "were", "is", "has", "had")
    ]
    if len(spots) != 1 or ("," in text[verb.end : verb.end + spots[0].start()]):
        return None
    if verb.base == "" and spots[0].group(1) in PAST:  # "was born and raised": may share "was"
        return None
    if re.search(r"\b(?:who|which|that|where|whose|said|says)\b", text[verb.end :]):
        return None
    at, to = verb.end + spots[0].start(), verb.end + spots[0].end()
    return text[: verb.start], text[verb.start : at], text[to:]


def _second_verb(text: str) -> str | None:
    parts = _conjuncts(text)
    return _finish(parts[0] + parts[2]) if parts else None


def _first_verb(text: str) -> str | None:
    parts = _conjuncts(text)
    return _finish(parts[0] + parts[1]) if parts else None


def _active(text: str) -> str | None:
    match = _PASSIVE.match(text)
    if match is None:
        return None
    subject, _, participle, agent, tail = match.groups()
    form = PARTICIPLE_PAST.get(participle, participle)
    if form not in PAST and form not in IRREGULAR.values():
        return None
    if form in ("followed", "caused", "accompanied") or len(subject.split()) > 8:
        return None
    first = subject.split(" ")[0]
    if first in ("The", "A", "An", "It", "He", "She", "They", "His", "Her", "Its", "This"):
        pronouns = {"It": "it", "He": "him", "She": "her", "They": "them"}
        subject = pronouns.get(first, first.lower()) + subject[len(first) :]
    return _finish(f"{agent} {form} {subject}{tail or ''}")


def _possessive(text: str) -> str | None:
    match = _POSSESSIVE.search(text)
    owner = match.group(2) if match else ""
    if match is None or owner.endswith("s") or " of " in owner or " the " in owner:
        return None
    if match.group(1).split()[-1] not in _OWNED:
        return None
    if owner.split()[0] in ("January", "February", "March", "April", "May", "June", "July",
                            "August", "September", "October", "November", "December"):  # fmt: skip
        return None
    return f"{text[: match.start()]}{owner}'s {match.group(1)}{text[match.end() :]}"


def _reported(text: str) -> str | None:
    if match := _SAID.match(text):
        quote, who = match.groups()
    elif match := _SAID_FIRST.match(text):
        who, _, quote = match.groups()
    else:
        return None
    if _FIRST_PERSON.search(quote):
        return None
    first = quote.split(" ")[0]
    body = quote if first[1:] != first[1:].lower() or first not in _LOWER else (
        quote[0].lower() + quote[1:]
    )  # fmt: skip
    return _finish(f"{who} said that {body}")


_LOWER = set("The A An This That These It He She They There His Her In We All Most Some".split())


def _nominal(text: str, rng: random.Random) -> str | None:
    for pattern, *forms in _NOMINAL:
        match = re.match(pattern, text)
        if match:
            return match.expand(rng.choice(forms))
    return None


def _dropped(text: str, rng: random.Random) -> str | None:
    """Without an opening phrase, an insertion or what trails, where nothing denies."""
    out = text
    if rng.random() < 0.6:
        out = _capital(_OPENING.sub("", out, count=1))
    if not is_negative(out) and not re.search(r"\b(?:if|more|less|than|unless|as)\b", out):
        match = _TRAIL.search(out)
        if match and match.start() > 25 and rng.random() < 0.8 and main_verb(out[: match.start()]):
            kept = out[: match.start()]
            if kept.count(",") == 0:
                out = _finish(kept)
    return _finish(out) if out != text else None


_TIME = re.compile(
    r"^(In|On|By|During) ((?:the )?(?:early |late )?(?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4}s?), "
    r"(?=[A-Z]|the |he |she |it |they )"
)


def _moved(text: str) -> str | None:
    """ "In 1990, X did Y." as "X did Y in 1990."."""
    match = _TIME.match(text)
    if match is None or "," in text[match.end() :] or " and " in text[match.end() :]:
        return None
    body = text[match.end() :].rstrip(" .")
    return f"{_capital(body)} {match.group(1).lower()} {match.group(2)}."
