"""What is said when there is no answer, one sentence, the same in every case; or none to a part.

The English one is what Google's answer method says; applications compare with it letter by letter
(Toulmin's seed documents and the service's documentation show it), so it is the default.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = (
    "A summary could not be generated for your search query. Here are some search results."
)
_BY_LANGUAGE: Final = {
    "de": "Für Ihre Suchanfrage konnte keine Zusammenfassung erstellt werden. Hier sind einige"
    " Suchergebnisse.",
    "en": ENGLISH,
    "es": "No se pudo generar un resumen para su búsqueda. Estos son algunos resultados.",
    "fr": "Aucun résumé n'a pu être généré pour votre recherche. Voici quelques résultats.",
    "it": "Non è stato possibile generare un riepilogo per la tua ricerca. Ecco alcuni risultati.",
    "ja": "検索クエリの要約を生成できませんでした。検索結果は次のとおりです。",
    "pt": "Não foi possível gerar um resumo para a sua pesquisa. Aqui estão alguns resultados.",
    "zh": "无法为您的搜索查询生成摘要。以下是一些搜索结果。",
}

_MISSING: Final = {
    "en": 'No answer was found to this: "{asked}"',
    "ja": "次の質問への答えは見つかりませんでした：「{asked}」",  # noqa: RUF001
}
"""Of the languages in which a question is split."""


def missing_text(asked: str, language: str) -> str:
    """Return what is said of a part of a question to which there is no answer beside the others'.

    Args:
        asked: The part, as a question.
        language: BCP 47 code of the question's language; not known: English.
    """
    return _MISSING.get(language, _MISSING["en"]).format(asked=asked)


def fallback_text(language: str, own: str = "") -> str:
    """Return what is said instead of an answer.

    Args:
        language: BCP 47 code asked for; empty or not known: English.
        own: The operator's sentence; it takes the place of all others.
    """
    return own or _BY_LANGUAGE.get(language.partition("-")[0].lower(), ENGLISH)
