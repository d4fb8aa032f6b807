"""What a text must be to be kept: PostgreSQL has no NUL characters, UTF-8 no lone surrogates."""

from __future__ import annotations

from toulmin.errors import InvalidArgument


def check_texts(**texts: str | None) -> None:
    """Raise unless both engines can keep every text; the keyword names the field.

    Raises:
        InvalidArgument: A text has a NUL character or half of a surrogate pair.
    """
    for field, text in texts.items():
        if text and ("\0" in text or not _is_unicode(text)):
            raise InvalidArgument.of_field(field, "has a NUL character or a lone surrogate.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
