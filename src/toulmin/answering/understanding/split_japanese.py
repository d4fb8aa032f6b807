# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""A Japanese question that asks two things -> questions that ask one each and stand alone.

「Aの価格はいくらで、納期はどのくらいですか」 asks for A's price and for A's delivery: the first
part is given an end of its own, and the second one the topic of the first where it names none.
"""

from __future__ import annotations

import re

_ASKS = (
    r"(?<![なほれけ])(?:いつ|どこ|誰|だれ|何|なに|なん|いくら|いくつ|どのくらい|どれくらい|どのぐらい|どのように|どう|なぜ|どれ|どの|どんな)"
    r"(?![もか](?![から])|でも|ら)"
)
_ASKING = re.compile(_ASKS)
_JOIN = re.compile(r"[、，,]\s*|[？?]\s*(?=\S)")
_ALSO = re.compile(r"^(?:また|そして|それから|それと|および|あと)[、，,]?\s*")
_TOPIC = re.compile(rf"^(?P<topic>(?:(?!{_ASKS})[^はが、]){{1,40}}?)は")
_OR = re.compile(r"^(?:それとも|あるいは|または)")
_POLITE = ("ですか", "ますか", "ましたか", "ませんか", "でしょうか", "でしたか")
_QUOTED = re.compile("[「」『』]")
_BARE = re.compile(r"^(?P<before>.*?)(?P<word>いつ|どこ(?:で|に|から)?|誰(?:が|に|を)?|なぜ)$")
_BARE_FIRST = re.compile(
    r"^(?P<word>いつ|どこ(?:で|に|から)?|誰(?:が|に|を)?|なぜ|どのように)(?P<rest>.+)"
)
_STEM_ENDS = "きしちみりぎじびえけせてべめれげ"
_ENDS = re.compile(
    rf"{_ASKS}.{{0,12}}(?:か[？?]?|で|[{_STEM_ENDS}])$|(?:いつ|なぜ|誰[がにを]|どこ[にへ])$"
)
_NOUN = r"[一-鿿々ァ-ヺーA-Za-z0-9]{1,12}"
_TWO = re.compile(
    rf"^(?P<of>.{{1,40}}の)(?P<one>{_NOUN})と(?P<two>{_NOUN})"
    r"(?P<rest>(?:はそれぞれ[^、]+|を(?:それぞれ)?教え[^、]*))$"
)


def japanese_parts(question: str) -> tuple[str, ...]:
    """Return what a question asks, one question for each of two things; else itself alone."""
    plain = question.strip()
    if both := _TWO.match(plain):
        rest = both["rest"].replace("それぞれ", "")
        return tuple(f"{both['of']}{both[name]}{rest}" for name in ("one", "two"))
    for join in _JOIN.finditer(plain):
        first, second = plain[: join.start()], _ALSO.sub("", plain[join.end() :])
        if not (_ASKING.search(first) and _ASKING.search(second)) or _OR.match(second):
            continue
        topic = _TOPIC.match(first)
        if first.endswith("か") and not first.endswith(_POLITE):
            continue  # asks within another question: いつ届くか、誰に聞けば
        if not _ENDS.search(first) or _QUOTED.search(plain) or first.count("、") > 1:
            continue
        if topic is None or len(_JOIN.findall(second.rstrip("？?"))):
            continue
        return _both(first, second, topic["topic"])
    return (question,)


def _both(first: str, second: str, topic: str) -> tuple[str, ...]:
    own = _TOPIC.match(second)
    bare, rest = _BARE.match(first), _BARE_FIRST.match(second)
    if own is None and bare and rest:  # いつ、どこで生まれましたか
        return f"{first}{rest['rest']}", f"{bare['before']}{second}"
    if own is None:
        return _ended(first), f"{topic}は{second}"
    owner = topic.rpartition("の")[0] or topic
    if "の" in own["topic"] or owner in own["topic"]:
        return _ended(first), second
    return _ended(first), f"{owner}の{second}"


def _ended(first: str) -> str:
    """Return a first part as a question: 「いくらですか」, 「開設されましたか」."""
    if first.endswith(("か", "？", "?")):
        return f"{first.rstrip('？?')}？"
    if first.endswith("で"):
        return f"{first[:-1]}ですか？"
    stem = first.removesuffix("て")
    return f"{stem}ましたか？" if stem[-1:] in _STEM_ENDS else f"{stem}ですか？"
