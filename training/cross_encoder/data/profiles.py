"""Invented things with known properties, told in many ways: the exact label of any claim is known.

A profile is a subject and its facts. Each fact can be told by several templates; evidence and
claim take theirs independently, so that they paraphrase each other. From profiles come partly
wrong lists, pronouns that need a context, numbers told roughly, evidence spread over pieces, and
the same in other languages.
"""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
from dataclasses import dataclass, field

from data.edits import CLOSE, OPEN, join_list, unmark
from data.entities import approximations
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row
from data.vocabulary import FIRST_NAMES, LAST_NAMES, MONTHS, NATIONS, PLACES

_ADJECTIVES = (
    "Silent Crimson Broken Golden Last Hidden Distant Burning Frozen Quiet Endless Savage Hollow "
    "Bright Wild Lonely Electric Paper Iron Velvet Midnight Northern Lost Second Perfect"
).split()
_NOUNS = (
    "Harbor River Garden Mirror Empire Winter Letter Horizon Kingdom Shadow Bridge Station Summer "
    "Orchard Witness Promise Lantern Crossing Valley Signal Island Machine Circus Memory Road"
).split()
_SYLLABLES = "ver tan sol mar quen del nor bri cal zen lum ark tri vel ox fen gal ris".split()


def person(rng: random.Random) -> str:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def title(rng: random.Random) -> str:
    return rng.choice(
        [
            f"The {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}",
            f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}",
            f"{rng.choice(_NOUNS)} of {rng.choice(PLACES)}",
            rng.choice(_NOUNS),
        ]
    )


def company(rng: random.Random) -> str:
    name = "".join(rng.sample(_SYLLABLES, rng.choice([2, 2, 3]))).capitalize()
    return name + rng.choice(["", "", " Systems", " Group", " Industries", " Foods", " Media"])


def date(rng: random.Random) -> str:
    m, d, y = rng.choice(MONTHS), rng.randint(1, 28), rng.randint(1850, 2023)
    return rng.choice([f"{m} {d}, {y}", f"{m} {d}, {y}", f"{d} {m} {y}"])


def count(rng: random.Random) -> str:
    n = rng.choice([rng.randint(3, 40), rng.randint(40, 999), rng.randint(1000, 90000)])
    return f"{n:,}" if rng.random() < 0.7 else str(n)


def year(rng: random.Random) -> str:
    return str(rng.randint(1850, 2023))


VALUES = {
    "person": person,
    "title": title,
    "company": company,
    "date": date,
    "count": count,
    "year": year,
    "place": lambda r: r.choice(PLACES),
    "nation": lambda r: r.choice(NATIONS),
    "percent": lambda r: f"{r.choice([r.randint(2, 98), round(r.uniform(1, 30), 1)])}%",
    "small": lambda r: r.choice("two three four five six seven eight nine eleven twelve".split()),
    "money": lambda r: f"${r.randint(2, 900)} {r.choice(['million', 'million', 'billion'])}",
}

# A domain: how its subject is named, its pronoun and noun, and facts as (value kinds, templates).
# {s} is the subject, {0} a value, {l} a list of two or three values of the kind.
DOMAINS: list[tuple[str, str, str, list[tuple[str, list[str]]]]] = [
    (
        "title",
        "It",
        "The film",
        [
            (
                "person",
                [
                    "{s} was directed by {0}.",
                    "{0} directed {s}.",
                    "{s} is a movie directed by {0}.",
                    "The director of {s} is {0}.",
                    "{s} was directed, written and produced by {0}.",
                    "{s}, a film by director {0}.",
                ],
            ),
            (
                "list:person",
                [
                    "{s} stars {l}.",
                    "{s} starred {l}.",
                    "{l} star in {s}.",
                    "The cast of {s} includes {l}.",
                    "{l} appear in {s}.",
                    "{s} features {l}.",
                ],
            ),
            (
                "date",
                [
                    "{s} was released on {0}.",
                    "The release date of {s} was {0}.",
                    "{s} came out on {0}.",
                    "{s} premiered on {0}.",
                ],
            ),
            (
                "small",
                [
                    "{s} won {0} Academy Awards.",
                    "{s} received {0} Oscars.",
                    "{0} Academy Awards went to {s}.",
                    "{s} was awarded {0} Academy Awards.",
                ],
            ),
            (
                "money",
                [
                    "{s} earned {0} worldwide.",
                    "{s} grossed {0} around the world.",
                    "{s} made {0} at the box office worldwide.",
                ],
            ),
            (
                "nation",
                [
                    "{s} is a {0} film.",
                    "{s} is a {0} drama film.",
                    "{s} is a movie from the {0} cinema.",
                ],
            ),
            (
                "company",
                [
                    "{s} was distributed by {0}.",
                    "{0} distributed {s}.",
                    "{0} was the distributor of {s}.",
                ],
            ),
        ],
    ),
    (
        "person",
        "He",
        "The artist",
        [
            (
                "place",
                [
                    "{s} was born in {0}.",
                    "{0} is the birthplace of {s}.",
                    "Born in {0}, {s} is an artist.",
                ],
            ),
            (
                "date",
                [
                    "{s} was born on {0}.",
                    "{s} (born {0}) is a painter.",
                    "The date of birth of {s} is {0}.",
                ],
            ),
            ("person", ["{s} is married to {0}.", "{s} married {0}.", "{0} is the spouse of {s}."]),
            (
                "year",
                ["{s} died in {0}.", "{s} passed away in {0}.", "The death of {s} came in {0}."],
            ),
            (
                "list:place",
                ["{s} has lived in {l}.", "{s} lived in {l}.", "{s} worked in {l} over the years."],
            ),
            (
                "count",
                [
                    "{s} painted {0} pictures.",
                    "{s} left {0} paintings.",
                    "{0} paintings by {s} are known.",
                ],
            ),
            (
                "nation",
                [
                    "{s} is a {0} painter.",
                    "{s} is a painter of {0} nationality.",
                    "{s}, a {0} artist, paints.",
                ],
            ),
        ],
    ),
    (
        "company",
        "It",
        "The company",
        [
            (
                "list:person",
                [
                    "{s} was founded by {l}.",
                    "{l} founded {s}.",
                    "The founders of {s} are {l}.",
                    "{s} was started by {l}.",
                    "{l} established {s}.",
                ],
            ),
            (
                "year",
                [
                    "{s} was founded in {0}.",
                    "{s} was established in {0}.",
                    "{s} has existed since {0}.",
                    "The year {0} saw the founding of {s}.",
                ],
            ),
            (
                "place",
                [
                    "{s} is based in {0}.",
                    "{s} has its headquarters in {0}.",
                    "The head office of {s} is in {0}.",
                ],
            ),
            (
                "count",
                ["{s} employs {0} people.", "{s} has {0} employees.", "{0} people work for {s}."],
            ),
            (
                "person",
                [
                    "{0} is the chief executive of {s}.",
                    "{s} is led by CEO {0}.",
                    "The CEO of {s} is {0}.",
                ],
            ),
            ("company", ["{s} acquired {0}.", "{0} was bought by {s}.", "{s} bought {0}."]),
            (
                "percent",
                [
                    "Sales of {s} rose by {0}.",
                    "{s} increased its sales by {0}.",
                    "{s} saw sales grow {0}.",
                ],
            ),
            (
                "money",
                [
                    "{s} reported revenue of {0}.",
                    "The revenue of {s} was {0}.",
                    "{s} had sales worth {0}.",
                ],
            ),
        ],
    ),
    (
        "place",
        "It",
        "The city",
        [
            (
                "count",
                [
                    "{s} has {0} inhabitants.",
                    "The population of {s} is {0}.",
                    "{0} people live in {s}.",
                ],
            ),
            (
                "person",
                [
                    "{0} is the mayor of {s}.",
                    "The mayor of {s} is {0}.",
                    "{s} elected {0} as mayor.",
                ],
            ),
            (
                "year",
                [
                    "{s} hosted the games in {0}.",
                    "The games were held in {s} in {0}.",
                    "In {0} {s} was the host of the games.",
                ],
            ),
            (
                "small",
                [
                    "{s} has {0} universities.",
                    "There are {0} universities in {s}.",
                    "{0} universities are located in {s}.",
                ],
            ),
            ("list:place", ["Trains run from {s} to {l}.", "{s} is connected by rail with {l}."]),
            ("percent", ["Unemployment in {s} is {0}.", "{s} has an unemployment rate of {0}."]),
        ],
    ),
    (
        "company",
        "It",
        "The policy",
        [
            (
                "small",
                [
                    "Under the {s} policy, items can be returned within {0} weeks.",
                    "{s} accepts returns for {0} weeks.",
                    "Customers of {s} may return goods within {0} weeks.",
                ],
            ),
            (
                "money",
                [
                    "{s} limits liability to {0}.",
                    "Liability under the {s} terms is capped at {0}.",
                    "The maximum liability of {s} is {0}.",
                ],
            ),
            (
                "count",
                [
                    "{s} keeps logs for {0} days.",
                    "Logs are stored by {s} for {0} days.",
                    "{s} deletes logs after {0} days.",
                ],
            ),
            ("list:company", ["{s} shares data with {l}.", "Data is passed by {s} to {l}."]),
            (
                "percent",
                [
                    "{s} charges a fee of {0}.",
                    "The fee charged by {s} is {0}.",
                    "Customers pay {s} a {0} fee.",
                ],
            ),
        ],
    ),
    (
        "title",
        "It",
        "The book",
        [
            (
                "person",
                [
                    "{s} was written by {0}.",
                    "{0} wrote {s}.",
                    "{0} is the author of {s}.",
                    "{s} is a novel by {0}.",
                ],
            ),
            (
                "year",
                [
                    "{s} was published in {0}.",
                    "{s} appeared in {0}.",
                    "The publication year of {s} is {0}.",
                ],
            ),
            (
                "count",
                [
                    "{s} sold {0} copies.",
                    "{0} copies of {s} were sold.",
                    "{s} has sold {0} copies.",
                ],
            ),
            ("list:nation", ["{s} tells of {l} families.", "The families in {s} are {l}."]),
            (
                "place",
                [
                    "{s} is set in {0}.",
                    "The story of {s} takes place in {0}.",
                    "{0} is the setting of {s}.",
                ],
            ),
        ],
    ),
]

FOREIGN: dict[str, list[tuple[str, str, list[str]]]] = {
    "es": [
        (
            "person",
            "Él",
            ["{s} fue dirigida por {0}.", "{0} dirigió {s}.", "El director de {s} es {0}."],
        ),
        (
            "list:person",
            "La película",
            [
                "{s} está protagonizada por {l}.",
                "{l} protagonizan {s}.",
                "El reparto de {s} incluye a {l}.",
            ],
        ),
        (
            "year",
            "",
            [
                "{s} se estrenó en {0}.",
                "{s} fue estrenada en {0}.",
                "El estreno de {s} tuvo lugar en {0}.",
            ],
        ),
        ("place", "", ["{s} tiene su sede en {0}.", "La sede de {s} está en {0}."]),
        ("count", "", ["{s} tiene {0} empleados.", "En {s} trabajan {0} personas."]),
    ],
    "it": [
        (
            "person",
            "",
            ["{s} è stato diretto da {0}.", "{0} ha diretto {s}.", "Il regista di {s} è {0}."],
        ),
        (
            "list:person",
            "Il film",
            ["{s} è interpretato da {l}.", "Nel cast di {s} ci sono {l}.", "{l} recitano in {s}."],
        ),
        (
            "year",
            "",
            ["{s} è uscito nel {0}.", "{s} uscì nel {0}.", "L'uscita di {s} risale al {0}."],
        ),
        ("place", "", ["{s} ha sede a {0}.", "La sede di {s} si trova a {0}."]),
        ("count", "", ["{s} ha {0} dipendenti.", "Per {s} lavorano {0} persone."]),
    ],
    "fr": [
        (
            "person",
            "",
            ["{s} a été réalisé par {0}.", "{0} a réalisé {s}.", "Le réalisateur de {s} est {0}."],
        ),
        ("year", "", ["{s} est sorti en {0}.", "La sortie de {s} date de {0}."]),
        ("place", "", ["Le siège de {s} se trouve à {0}.", "{s} a son siège à {0}."]),
    ],
    "de": [
        (
            "person",
            "",
            [
                "{s} wurde von {0} gedreht.",
                "Regie bei {s} führte {0}.",
                "Der Regisseur von {s} ist {0}.",
            ],
        ),
        ("year", "", ["{s} wurde {0} veröffentlicht.", "{s} erschien im Jahr {0}."]),
        ("place", "", ["{s} hat seinen Sitz in {0}.", "Der Sitz von {s} ist in {0}."]),
    ],
    "zh": [
        ("person", "", ["{s}由{0}执导。", "{0}执导了{s}。", "{s}的导演是{0}。"]),
        ("list:person", "", ["{s}由{l}主演。", "{l}主演了{s}。"]),
        ("year", "", ["{s}于{0}年上映。", "{s}在{0}年发行。"]),
        ("place", "", ["{s}的总部位于{0}。", "{s}总部设在{0}。"]),
        ("count", "", ["{s}有{0}名员工。", "{s}雇用了{0}人。"]),
    ],
    "ja": [
        ("person", "", ["{s}は{0}が監督した。", "{0}は{s}を監督した。", "{s}の監督は{0}です。"]),
        ("list:person", "", ["{s}には{l}が出演している。", "{l}が{s}に出演した。"]),
        ("year", "", ["{s}は{0}年に公開された。", "{0}年に{s}が公開された。"]),
        ("place", "", ["{s}の本社は{0}にある。", "{s}は{0}に本社を置く。"]),
        ("count", "", ["{s}の従業員は{0}人である。", "{s}には{0}人の従業員がいる。"]),
    ],
}
_AND = {"es": " y ", "it": " e ", "fr": " et ", "de": " und ", "zh": "和", "ja": "と"}
_CJK = {
    "person": "田中太郎 山本健一 佐藤花子 鈴木一郎 高橋美咲 李明 王芳 张伟 刘洋 陈静 卡梅隆 史密斯 "
    "スミス ジョンソン タナカ マルティネス 小林正樹 渡辺謙".split(),
    "title": "静かな海 星の道 最後の手紙 赤い橋 冬の庭 沉默的河 金色花园 最后的信 红桥 星辰 "
    "东方科技 北洋物流 ミナト工業 アオバ電機".split(),
    "place": "东京 北京 上海 大阪 京都 巴黎 伦敦 柏林 横浜 名古屋 広州 台北 "
    "ニューヨーク ロンドン".split(),
}


@dataclass
class Fact:
    kind: str
    templates: list[str]
    values: list[str]
    listed: bool = False
    language: str = "en"


@dataclass
class Profile:
    subject: str
    pronoun: str
    noun: str
    facts: list[Fact] = field(default_factory=list)


def value(kind: str, rng: random.Random, language: str = "en") -> str:
    if language in ("zh", "ja") and kind in _CJK:
        return rng.choice(_CJK[kind])
    return VALUES[kind](rng)


def fact(kind: str, templates: list[str], rng: random.Random, language: str = "en") -> Fact:
    listed = kind.startswith("list:")
    kind = kind.removeprefix("list:")
    wanted = rng.choice([2, 2, 3]) if listed else 1
    values: list[str] = []
    while len(values) < wanted:
        new = value(kind, rng, language)
        if not any(set(new.split()) & set(v.split()) for v in values):
            values.append(new)
    return Fact(kind, templates, values, listed, language)


def profile(rng: random.Random) -> Profile:
    kind, pronoun, noun, facts = rng.choice(DOMAINS)
    if kind == "person" and rng.random() < 0.5:
        pronoun = rng.choice(["She", "He", "They"])
    subject = VALUES[kind](rng)
    chosen = rng.sample(facts, rng.randint(2, min(5, len(facts))))
    return Profile(subject, pronoun, noun, [fact(k, t, rng) for k, t in chosen])


def tell(
    item: Fact, subject: str, values: list[str], rng: random.Random, *, lead: bool = False
) -> str:
    """A sentence; `lead` asks for one that begins with the subject (where there is one)."""
    options = [t for t in item.templates if not lead or t.startswith("{s}")] or item.templates
    template = rng.choice(options)
    if item.language == "en":
        listed = join_list(values)
        if template.startswith("{l}") is False and rng.random() < 0.2:
            listed = ", ".join(values) if len(values) > 2 else listed
    else:
        listed = (
            _AND[item.language].join(
                [("、" if item.language in ("zh", "ja") else ", ").join(values[:-1]), values[-1]]
            )
            if len(values) > 1
            else values[0]
        )
    text = template.replace("{s}", subject).replace("{0}", values[0]).replace("{l}", listed)
    return text[0].upper() + text[1:]


def _wrong(item: Fact, own: Profile, rng: random.Random) -> str | None:
    taken = {v for f in own.facts for v in f.values} | {own.subject}
    pool = [v for f in own.facts if f.kind == item.kind and f is not item for v in f.values]
    for _ in range(6):
        new = (
            rng.choice(pool)
            if pool and rng.random() < 0.3
            else value(item.kind, rng, item.language)
        )
        if new not in item.values and (new in pool or new not in taken):
            return new
    return None


def _claim(item: Fact, own: Profile, rng: random.Random) -> tuple[list[str], int, list[str]] | None:
    """(values to claim, label, evidence values in conflict); changed values are marked."""
    values = item.values[:]
    choice = rng.random()
    if item.listed and choice < 0.5:
        rng.shuffle(values)
        return (values if choice < 0.25 else values[: rng.randint(1, len(values) - 1)]), SUPPORT, []
    if choice < 0.42:
        if item.kind == "count" and item.language == "en" and rng.random() < 0.4:
            number = values[0].replace(",", "")
            forms = [
                *approximations(values[0], values[0], float(number)),
                number,
                f"{int(number):,}",
            ]
            values = [rng.choice(forms)]
        if item.kind == "date" and rng.random() < 0.4:
            values = [values[0].replace(",", "")]
        return values, SUPPORT, []
    new = _wrong(item, own, rng)
    if new is None:
        return None
    at = rng.randrange(len(values))
    old = values[at]
    if item.listed and rng.random() < 0.25:
        values.insert(at, f"{OPEN}{new}{CLOSE}")
        return values, UNSUPPORTED, []
    values[at] = f"{OPEN}{new}{CLOSE}"
    rng.shuffle(values)
    return values, CONTRADICTION, [old]


def profile_row(rng: random.Random) -> Row | None:
    """One row: evidence of several sentences of one or two profiles, and a claim on one fact."""
    own = profile(rng)
    item = rng.choice(own.facts)
    told = [tell(f, own.subject, f.values, rng) for f in own.facts]
    if rng.random() < 0.5:
        told = [told[0]] + [
            t.replace(own.subject, own.pronoun if rng.random() < 0.6 else own.noun, 1)
            if t.startswith(own.subject)
            else t
            for t in told[1:]
        ]
    missing = rng.random() < 0.22
    sentences = [t for f, t in zip(own.facts, told, strict=True) if not (missing and f is item)]
    if rng.random() < 0.3:
        other = profile(rng)
        extra = [tell(f, other.subject, f.values, rng) for f in other.facts[:3]]
        joined = [" ".join(sentences), " ".join(extra)]
        rng.shuffle(joined)
        evidence = " | ".join(joined)
    else:
        evidence = rng.choice([" ", " ", " | "]).join(sentences)
    if missing:
        return _missing_row(own, item, evidence, rng)
    planned = _claim(item, own, rng)
    return _claimed_row(own, item, evidence, planned, rng) if planned else None


def _with_context(
    own: Profile, item: Fact, values: list[str], rng: random.Random
) -> tuple[str, str]:
    """(context, claim): half the time the claim names its subject by pronoun after a context."""
    if rng.random() < 0.5:
        return "", tell(item, own.subject, values, rng)
    others = [f for f in own.facts if f is not item]
    intro = rng.choice(others) if others else item
    stated = intro.values if rng.random() < 0.6 else [value(intro.kind, rng) for _ in intro.values]
    context = tell(intro, own.subject, stated, rng)
    sentence = tell(item, "\ue002", values, rng, lead=True)
    if sentence.startswith("\ue002"):
        name = rng.choice([own.pronoun, own.pronoun, own.noun])
    else:
        name = rng.choice(["it" if own.pronoun == "It" else own.noun.lower(), own.noun.lower()])
    return context, sentence.replace("\ue002", name, 1)


def _missing_row(own: Profile, item: Fact, evidence: str, rng: random.Random) -> Row:
    context, claim = _with_context(own, item, item.values, rng)
    return Row(evidence, claim, NEUTRAL, "profile_missing", context)


def _claimed_row(
    own: Profile,
    item: Fact,
    evidence: str,
    planned: tuple[list[str], int, list[str]],
    rng: random.Random,
) -> Row | None:
    values, label, old = planned
    context, marked = _with_context(own, item, values, rng)
    unmarked = unmark(marked)
    if unmarked is None:
        return None
    claim, wrong = unmarked
    if rng.random() < 0.1:
        claim = claim.rstrip(".")
    against = []
    for text in old:
        at = evidence.find(text)
        if at >= 0:
            against.append((at, at + len(text)))
    kind = f"profile_{'list' if item.listed else 'fact'}{'_context' if context else ''}"
    return Row(evidence, claim, label, kind, context, wrong, against)


def foreign_row(rng: random.Random) -> Row | None:
    """The same in Spanish, Italian, French, German, Chinese or Japanese."""
    language = rng.choice(["es", "es", "it", "it", "fr", "de", "zh", "zh", "ja", "ja"])
    subject = (
        rng.choice(_CJK["title"]) if language in ("zh", "ja") else rng.choice([title, company])(rng)
    )
    chosen = rng.sample(FOREIGN[language], min(len(FOREIGN[language]), rng.randint(2, 4)))
    own = Profile(subject, "", "", [fact(k, t, rng, language) for k, _, t in chosen])
    item = rng.choice(own.facts)
    missing = rng.random() < 0.2
    told = [tell(f, subject, f.values, rng) for f in own.facts if not (missing and f is item)]
    evidence = ("" if language in ("zh", "ja") else " ").join(told)
    planned = (item.values, NEUTRAL, []) if missing else _claim(item, own, rng)
    if planned is None:
        return None
    values, label, old = planned
    unmarked = unmark(tell(item, subject, values, rng))
    if unmarked is None:
        return None
    claim, wrong = unmarked
    against = [(evidence.find(t), evidence.find(t) + len(t)) for t in old if t in evidence]
    known = not missing
    return Row(
        evidence,
        claim,
        label,
        f"foreign_{language}",
        "",
        wrong if known else None,
        against if known else None,
    )
