"""What invented things are like: their facts, and templates that tell them.

{s} is the subject, {0} a value, {l} a list of two or three values. A fact whose kind begins with
"list:" has several values.
"""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

# How a subject is named, its pronoun and noun, and its facts as (kind of value, templates).
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
AND = {"es": " y ", "it": " e ", "fr": " et ", "de": " und ", "zh": "和", "ja": "と"}
CJK = {
    "person": "田中太郎 山本健一 佐藤花子 鈴木一郎 高橋美咲 李明 王芳 张伟 刘洋 陈静 卡梅隆 史密斯 "
    "スミス ジョンソン タナカ マルティネス 小林正樹 渡辺謙".split(),
    "title": "静かな海 星の道 最後の手紙 赤い橋 冬の庭 沉默的河 金色花园 最后的信 红桥 星辰 "
    "东方科技 北洋物流 ミナト工業 アオバ電機".split(),
    "place": "东京 北京 上海 大阪 京都 巴黎 伦敦 柏林 横浜 名古屋 広州 台北 "
    "ニューヨーク ロンドン".split(),
}
