"""Words that stand in for one another, by kind; for benchmarks/quality/substitutions.py."""

from __future__ import annotations

from collections.abc import Mapping

MONTHS = [
    "January", "February", "March", "April", "June", "July", "August", "September", "October",
    "November", "December",
]  # fmt: skip
DAYS = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "May",
]  # fmt: skip
NUMBERS = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "fifteen", "twenty", "thirty", "forty", "fifty",
]  # fmt: skip
NATIONALITIES = [
    "American", "British", "English", "French", "German", "Italian", "Spanish", "Chinese",
    "Japanese", "Russian", "Indian", "Dutch", "Polish", "Greek", "Roman", "Turkish", "Swedish",
    "Norwegian", "Danish", "Portuguese", "Irish", "Scottish", "Egyptian", "Arab", "Persian",
    "Mongol", "Norman", "European", "African", "Asian", "Australian", "Canadian", "Mexican",
    "Austrian", "Swiss", "Hungarian", "Korean", "Jewish", "Christian", "Catholic", "Protestant",
    "Islamic",
]  # fmt: skip
_ANTONYM_PAIRS = (
    "largest smallest|large small|larger smaller|high low|higher lower|highest lowest|first last"
    "|early late|earlier later|earliest latest|more less|most least|many few|north south"
    "|northern southern|eastern western|east west|increase decrease|increased decreased"
    "|increases decreases|increasing decreasing|before after|old new|older younger|long short"
    "|longer shorter|strong weak|stronger weaker|rich poor|public private|positive negative"
    "|male female|men women|major minor|inside outside|above below|best worst"
    "|better worse|ancient modern|internal external|common rare|easy difficult|success failure"
    "|won lost|victory defeat|began ended|begin end|allowed forbidden|accepted rejected"
    "|supported opposed|import export|rural urban|permanent temporary|majority minority"
    "|maximum minimum|always never|all none|legal illegal|possible impossible|similar different"
    "|hot cold|warm cool|wet dry|fast slow|faster slower|heavy light|simple complex|inner outer"
)
ANTONYMS: Mapping[str, str] = {
    one: other
    for pair in _ANTONYM_PAIRS.split("|")
    for one, other in (pair.split(), reversed(pair.split()))
}
