"""At run time, the names of enums alone; the `.pyi` beside it has the types of all messages."""

from __future__ import annotations

from toulmin.apis.schema.enum_names import names_in

__getattr__ = names_in("generativelanguage")
