"""The `order_by` of a request: `field desc, other`, as in AIP-132."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.retrieval.filter_tokens import Kind, TokenReader


@dataclass(frozen=True, slots=True)
class OrderKey:
    """Order by a field, smallest first unless `descending`."""

    field: str
    descending: bool = False


def parse_order_by(text: str, *, field: str = "order_by") -> tuple[OrderKey, ...]:
    """Return the keys to order by, the first one foremost; none if `text` is blank.

    Raises:
        InvalidArgument: It is no list of fields, or names one twice; says the column.
    """
    if not text.strip():
        return ()
    tokens = TokenReader(text, field)
    keys: dict[str, OrderKey] = {}
    while True:
        name = tokens.peek()
        key = _key(tokens)
        if key.field in keys:
            raise tokens.error(name, "a field that is not named before")
        keys[key.field] = key
        if not tokens.take(","):
            break
    tokens.expect(Kind.END, "'asc', 'desc', ',' or the end")
    return tuple(keys.values())


def _key(tokens: TokenReader) -> OrderKey:
    name = tokens.expect(Kind.NAME, "a field").text
    if tokens.take_word("desc"):
        return OrderKey(name, descending=True)
    tokens.take_word("asc")
    return OrderKey(name)
