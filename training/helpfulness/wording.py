"""The phrases that the generator puts around real questions and answers, by language."""

from __future__ import annotations

REFUSALS = {
    "en": [
        "I'm sorry, but I don't have that information.",
        "I cannot answer that.",
        "Unfortunately, I was not able to find anything. I am unable to help with this.",
        "As an AI model, I do not know the answer to your question about {topic}.",
        "I could not find any information on {topic}.",
        "I don't know. You may want to ask somebody who knows about {topic}.",
    ],
    "ja": [
        "申し訳ございませんが、その質問にはお答えできません。",
        "すみません、わかりません。",
        "{topic}についての情報は見つかりませんでした。",
    ],
    "es": [
        "Lo siento, no tengo información sobre {topic}.",
        "No lo sé.",
        "No puedo responder a esa pregunta.",
    ],
    "it": [
        "Mi dispiace, non ho informazioni su {topic}.",
        "Non lo so, non posso rispondere.",
    ],
}
EMPTY = {
    "en": [
        "Here is what I found.",
        "Great question! I'm happy to help with that.",
        "Sure, let me explain. I hope this helps!",
        "Thanks for asking. There are many sides to this topic, and each of them matters.",
        "This is something that people often think about, and there are several ways to see it.",
        "It is important to look at things carefully, and in the end everything has its place.",
    ],
    "ja": [
        "ご質問ありがとうございます。お役に立てれば幸いです。",
        "以下のとおりです。",
        "これについてはいろいろな考え方があります。",
    ],
    "es": [
        "Claro, con gusto. Espero que te sirva.",
        "Es un tema del que se puede hablar mucho, y cada uno tiene su opinión.",
    ],
    "it": [
        "Certo! Spero che ti sia utile.",
        "È un argomento di cui si può parlare a lungo, e ognuno ha la sua idea.",
    ],
}
LEAD_INS = {
    "en": ["Here is what I found. ", "Sure! ", "Good question. ", "Here's the answer. "],
    "ja": ["以下のとおりです。", "もちろんです。"],
    "es": ["Claro. ", "Esto es lo que encontré. "],
    "it": ["Certo. ", "Ecco cosa ho trovato. "],
}
JOINERS = {"en": ", and ", "ja": "また、", "es": ", y ", "it": ", e "}
OPEN_PROMPTS = {
    "en": ["Tell me about {topic}.", "Explain what you know about {topic}.", "Describe {topic}."],
    "ja": ["{topic}について教えてください。", "{topic}について説明してください。"],
    "es": ["Háblame de {topic}.", "Explica qué es {topic}."],
    "it": ["Parlami di {topic}.", "Spiegami {topic}."],
}
YES_NO = {
    "en": ("Is it true that {statement}?", "Yes, {statement}.", "Yes."),
    "ja": ("{statement}というのは本当ですか?", "はい、{statement}。", "はい。"),
    "es": ("¿Es verdad que {statement}?", "Sí, {statement}.", "Sí."),
    "it": ("È vero che {statement}?", "Sì, {statement}.", "Sì."),
}
FLOURISHES = [
    ", a breathtaking and unforgettable chapter that fascinates generations of admirers",
    ", shining with incomparable elegance amid the swirling currents of destiny",
    ", whose extraordinary resonance still enchants scholars, wanderers and romantics everywhere",
    ", wrapped in an atmosphere of bittersweet nostalgia and quiet magnificence",
    ", an everlasting monument of imagination, perseverance and spellbinding brilliance",
    ", as though the universe itself had conspired to orchestrate something miraculous",
]
OFFICIALESE = [
    ", pursuant to the above stipulations and without prejudice to supplementary provisions",
    ", insofar as the operationalisation of such parameters remains methodologically tractable",
    ", within the meaning of applicable terminological conventions and classificatory frameworks",
    ", irrespective of epistemological qualifications concerning the underlying conceptualisation",
    ", having regard to interdisciplinary considerations of implementation and standardisation",
]
