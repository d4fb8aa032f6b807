"""Bare noun phrases out of passages: what people type into a search box.

"kettle" and "elbe bridge" are questions, but no source of the ledger has queries of one or two
words that are not greetings, so all of them looked like chit-chat.
"""

from __future__ import annotations

import random
import re

_ARTICLES = {
    "en": "the a an this our your each",
    "es": "el la los las un una",
    "it": "il lo la i gli le un una uno",
    "fr": "le la les un une des",
}
_NO_NOUNS = (
    "of in on at to for and or that which who is was other same first last most more only own such "
    "new end time one two way part use rest following than as be"
)
_CAPITALISED = re.compile(r"(?<=[a-zäöüß,] )[A-ZÄÖÜ][a-zäöüß]{3,}")  # German nouns
_JAPANESE = re.compile(r"[一-龥々]{2,5}|[ァ-ヶー]{3,8}")


def _after_articles(text: str, articles: str) -> list[str]:
    """One to three words between an article and a mark: "the old bridge," gives "old bridge"."""
    found = re.findall(
        rf"\b(?:{'|'.join(articles.split())}) ((?:[^\W\d_]+ ){{0,2}}[^\W\d_]{{3,}})(?=[.,;:)])",
        text,
    )
    return [phrase for phrase in found if not set(_NO_NOUNS.split()) & set(phrase.lower().split())]


def noun_phrases(passages: list[str], lang: str, count: int, seed: int) -> list[str]:
    """Draw noun phrases, no two alike."""
    found: set[str] = set()
    for text in passages:
        if lang == "ja":
            found.update(_JAPANESE.findall(text))
        elif lang == "de":
            found.update(_CAPITALISED.findall(text))
        else:
            found.update(_after_articles(text, _ARTICLES[lang]))
    return random.Random(seed).sample(sorted(found), min(count, len(found)))
