"""English verbs: forms, and where the verb of a question's remainder is."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import re

IRREGULAR = dict(
    pair.split("/")
    for pair in (
        "become/became begin/began break/broke bring/brought build/built buy/bought catch/caught "
        "choose/chose come/came cut/cut deal/dealt die/died do/did draw/drew drive/drove eat/ate "
        "fall/fell feel/felt fight/fought find/found fly/flew forget/forgot get/got "
        "give/gave go/went "
        "grow/grew have/had hear/heard hit/hit hold/held keep/kept know/knew lead/led "
        "learn/learned "
        "leave/left lend/lent let/let lie/lay lose/lost make/made mean/meant meet/met "
        "pay/paid put/put "
        "read/read ride/rode rise/rose run/ran say/said see/saw seek/sought sell/sold "
        "send/sent set/set "
        "show/showed shut/shut sing/sang sit/sat sleep/slept speak/spoke spend/spent split/split "
        "spread/spread stand/stood steal/stole strike/struck swim/swam take/took "
        "teach/taught tell/told "
        "think/thought throw/threw understand/understood wear/wore win/won "
        "withdraw/withdrew write/wrote "
        "be/was cost/cost feed/fed hurt/hurt swear/swore tear/tore wake/woke bear/bore "
        "bid/bid bind/bound shoot/shot oversee/oversaw rebuild/rebuilt"
    ).split()
)
COMMON_VERBS = set(IRREGULAR) | set(
    "release start end join move live work play call name use create receive claim "
    "believe announce "
    "open close attend publish record perform found establish decide attack invade "
    "marry visit sign "
    "record produce introduce adopt declare want help add allow offer serve refer "
    "happen occur include "
    "consider support contain describe represent try suggest state contribute return "
    "arrive develop "
    "discover design direct host premiere launch finish complete graduate retire "
    "appear study travel "
    "defeat conquer replace rule govern cover reach earn gain collaborate debut purchase acquire "
    "form organize donate require need say apply change convert display employ enter "
    "estimate exist "
    "feature focus follow gather ask argue identify influence last look occupy order originate own "
    "pass place possess prefer prevent promise propose provide rank reject remain "
    "share stop switch "
    "turn vote charge collect share protect process store disclose".split()
)
PARTICIPLE = re.compile(
    r"\b(\w+ed|built|born|held|made|written|known|given|found|taken|sold|shown|sent|won|led|lost|set|"
    r"put|cut|chosen|drawn|driven|broken|spoken|worn|grown|seen|thought|told|paid|kept|left|bought|"
    r"brought|caught|fought|begun|become|spent|split|located|hit|struck|stolen|thrown)\b"
)
BE = r"(?:is|are|was|were)"
_DOUBLED = set(
    "admit ban commit control drop kidnap occur permit plan prefer refer rob star stop submit "
    "transfer".split()
)


def past(verb: str) -> str:
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if verb in _DOUBLED:
        return verb + verb[-1] + "ed"
    return verb + "ed"


def present(verb: str) -> str:
    if verb in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[verb]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def split_verb(rest: str, inflect: str) -> tuple[str, str, str] | None:
    """(subject, inflected verb, remainder) of "Beyoncé release Dangerously in Love"."""
    tokens = rest.split(" ")
    for i, token in enumerate(tokens[1:], start=1):
        if token in COMMON_VERBS:
            verb = (
                past(token) if inflect == "did" else present(token) if inflect == "does" else token
            )
            if verb == "was" and tokens[i - 1].endswith("s"):
                verb = "were"
            return " ".join(tokens[:i]), verb, " ".join(tokens[i + 1 :])
    return None
