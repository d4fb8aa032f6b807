"""Lead-ins of many languages need no check; the statement after them does."""

from __future__ import annotations

import pytest

from toulmin.grounding.check_worthiness import needs_check

EMPTY = {
    "it": [
        "Ho trovato quanto segue.",
        "Ecco cosa ho trovato.",
        "Abbiamo trovato questi risultati:",
    ],
    "ja": [
        "これが見つかったものです。",
        "以下が見つかりました。",
        "こちらは調べた結果です。",
        "以下の情報を見つけました:",
    ],
    "zh": ["我找到了以下内容。", "我找到了以下信息：", "找到了如下结果。", "我們找到了以下內容。"],
    "hi": [
        "यह वह है जो मैंने पाया।",
        "यह रहा जो मुझे मिला।",
        "मुझे निम्नलिखित जानकारी मिली।",
        "यहाँ आपके प्रश्न का उत्तर है:",
        "नमस्ते! यह मैंने पाया है।",
        "ज़रूर!",
        "आपके प्रश्न के लिए धन्यवाद।",
        "आशा है कि इससे आपकी मदद होगी।",
    ],
    "pl": [
        "Oto, co znalazłem.",
        "Oto co udało mi się znaleźć:",
        "Poniżej znajduje się podsumowanie.",
        "Znalazłam następujące informacje:",
        "Dziękuję za pytanie!",
        "Mam nadzieję, że to pomoże.",
        "Niestety, nie mogę znaleźć odpowiedzi.",
    ],
    "tr": [
        "İşte bulduklarım.",
        "Bulduğum bilgiler şunlardır:",
        "Şunları buldum:",
        "Bulduklarım şunlardır.",
        "Bulduklarımız aşağıda:",
        "Tabii ki! İşte kısa bir özet:",
        "Umarım bu yardımcı olur.",
        "Maalesef bu konuda bilgi bulamadım.",
    ],
    "ar": [
        "إليك ما وجدته.",
        "هذا ما وجدته.",
        "فيما يلي ملخص الإجابة:",
        "وجدت المعلومات التالية:",
        "شكرًا على سؤالك.",
        "شكراً لك!",
        "للأسف، لم أجد معلومات عن ذلك.",
        "مرحبًا، إليك ما توصلت إليه:",
    ],
}
STATEMENTS = {
    "it": ["Ho trovato il castello sulla collina.", "Abbiamo trovato tre tombe."],
    "ja": [
        "次の鍵が見つかりました。",
        "これがエッフェル塔です。",
        "以下が1889年に完成した塔です。",
    ],
    "zh": ["考古学家找到了三座古墓。", "他找到了钥匙。", "以下三国签署了条约。"],
    "hi": [
        "यह भारत का उत्तर है।",
        "मुझे 1947 में यह मिला।",
        "यह रहा ताज महल।",
        "यहाँ गंगा नदी बहती है।",
        "नमस्ते, ताज महल 1653 में पूरा हुआ।",
    ],
    "pl": [
        "Oto stolica Polski od 1596 roku.",
        "Archeolog znalazł trzy groby.",
        "Poniżej mostu leży stare miasto.",
        "Tak, wieża ma 300 metrów.",
    ],
    "tr": [
        "İşte İstanbul'un en eski köprüsü.",
        "Arkeologlar üç mezar buldu.",
        "Bulduklarım altın paralardır.",
        "Aşağıda nehir akar.",
        "Evet, kule 300 metredir.",
    ],
    "ar": [
        "هذا ما وجدته البعثة في عام 1922.",
        "وجد العلماء ثلاثة قبور.",
        "نعم، يبلغ ارتفاع البرج 300 متر.",
        "هذه عاصمة مصر.",
    ],
}


@pytest.mark.parametrize("language", EMPTY)
def test_a_lead_in_needs_no_check(language):
    assert [text for text in EMPTY[language] if needs_check(text)] == []


@pytest.mark.parametrize("language", STATEMENTS)
def test_a_statement_like_it_needs_one(language):
    assert [text for text in STATEMENTS[language] if not needs_check(text)] == []
