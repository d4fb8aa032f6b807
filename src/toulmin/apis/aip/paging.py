"""Page sizes (AIP-158). Page tokens are made and read by `toulmin.stores.records.paging`."""

from __future__ import annotations

from google.protobuf.message import Message

from toulmin.errors import InvalidArgument


def page_size(request: Message, *, default: int, maximum: int, field: str = "page_size") -> int:
    """Return how many items to give, 1 to `maximum`.

    Args:
        request: A list request.
        default: Size when the request has none (or 0).
        maximum: Larger sizes mean this one.
        field: Name of the field.

    Raises:
        InvalidArgument: The size is negative.
    """
    size = int(getattr(request, field))
    if size < 0:
        raise InvalidArgument.of_field(
            field,
            f"{size} is negative; give 1 to {maximum:,}, or 0 for the default of {default:,}",
        )
    return min(size or default, maximum)
