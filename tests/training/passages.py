"""Made-up passages for the generators, how to draw rows, and what holds of every row."""

import random

from data.contrast import texts_of
from data.entities import Pools
from data.marks import CLOSE, OPEN
from data.rows import usable

PASSAGES = [
    "Anna Keller, a painter from Leeds, was born in Bristol in 1904. She moved to Vienna in 1925 "
    "and opened a small school there. The school was closed by the council in 1938. Keller "
    "returned to England and taught drawing in Manchester. She died in 1977. Many of her pictures "
    "were bought by the Leeds Museum.",
    "The Harrow Bridge was designed by Thomas Moreau in 1881. It was the largest bridge in the "
    "region until 1930. The bridge was rebuilt after the flood of 1912. Robert Clark owned the "
    "toll house for 40 years. The toll was abolished on March 3, 1931. The bridge is located in "
    "the northern part of Ohio.",
    "Veltan Foods was founded by Maria Rossi in 1962. The company sold frozen bread to shops in "
    "Italy and Spain. In 1975, the company acquired Lumark. Daniel Weber became the director of "
    "the company in 1988. He planned a new factory near Naples. The factory employed 450 people "
    "in 1991. Profits increased in 1992.",
    "The Golden Harbor is a film by Carlos Rivera. It premiered in Lisbon on 12 May 1974. Rivera "
    "wrote the script with Julie Adams, who later won a prize for it. Adams played the captain. "
    "The film was praised by critics, although it was not popular in Portugal. Many of the scenes "
    "were filmed in Madrid. It earned 3 million dollars.",
    "Henry Walker was elected mayor of Dayton in 1949. Walker defeated Frank Baker in the second "
    "round. He opened two parks and built a new library. However, the council rejected his plan "
    "for a tram. Baker accused Walker of waste. Walker left the office in 1957 and moved to "
    "Chicago.",
    "Lake Merin covers 90 square kilometres. The lake is the deepest in the country. Most of the "
    "villages on its shore were abandoned in 1966. The water level rose by 4 metres after the dam "
    "was completed. Fishing is usually allowed from June to September. At least 30 species live "
    "in the lake, and some of the birds may leave in winter.",
    "Olga Petrov joined the Royal Orchestra in 1983. She visited Tokyo, Seoul and Sydney with the "
    "orchestra. Petrov released her first record in 1986. The record was sold in 14 countries. "
    "She did not return to Moscow after 1990. Petrov married Paul Evans in Geneva in 1995.",
    "The Norland Railway reached Oslo in 1902. Its director was Erik Larsen, who hired 800 "
    "workers. The workers started a strike in 1904. Larsen refused their demands at first. The "
    "strike ended in October 1904. The railway was closed in 1969, because the line had lost "
    "money for years.",
    "Samuel Green discovered the comet in 1821. Green reported the discovery to the Royal Society. "
    "The society published his letter in 1822. His sister, Hannah Green, drew the maps. Green "
    "received a gold medal from the society. He was born in Dublin and died in Edinburgh.",
    "The Carson Library opened in Denver in 1911. The library holds 250,000 books and 3,000 maps. "
    "Emily Carson gave the land for the building. The city added a second floor in 1954. All of "
    "the maps were moved to Boulder in 2003. The reading room is open on Saturday.",
]


def texts():
    """The passages as the generators take them, with the names in them."""
    pools = Pools()
    for passage in PASSAGES:
        pools.add(passage)
    return texts_of(PASSAGES, pools)


def draw(make, count, seed=7):
    """Return `count` rows of a generator that now and then returns None."""
    rng = random.Random(seed)
    rows = []
    for _ in range(300 * count):
        row = make(rng)
        if row is not None:
            rows.append(row)
        if len(rows) == count:
            return rows
    raise AssertionError(f"{len(rows)} rows of {count}")


def check_rows(rows):
    """What holds of every row: usable, spans inside, no marks or unfilled places left."""
    assert len({(row.evidence, row.claim) for row in rows}) > len(rows) // 2
    for row in rows:
        assert usable(row), row
        for text in (row.evidence, row.claim, row.context):
            assert not set(text) & {OPEN, CLOSE, "{", "}"}, row
        for spans, text in ((row.claim_wrong, row.claim), (row.evidence_wrong, row.evidence)):
            for start, end in spans or []:
                assert 0 <= start < end <= len(text), row
                assert text[start:end].strip(), row
