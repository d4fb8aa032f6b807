"""What callback tests stand on, loaded into pytest: globals of callbacks, types of the tool kit.

Callbacks import nothing: `Part`, `CallbackContext` and the like are there. Their tests import them
from the makers' tool kit (`cxas_scrapi.utils.callback_libs`). Where that is not installed, ours
stand in under its name.
"""

from __future__ import annotations

import builtins
import importlib
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any, Final

from toulmin.conversation import python_types

_KIT: Final = ("cxas_scrapi", "cxas_scrapi.utils", "cxas_scrapi.utils.callback_libs")
_TYPES: Final = (
    *("Part", "Content", "LlmRequest", "LlmResponse", "Event", "Tool"),
    *("FunctionCall", "FunctionResponse"),
)
_CONTEXTS: Final = ("CallbackContext", "ToolContext")


class CallbackContext(python_types.Context):
    """What a test gives a callback: the state, what the user sent last, what was before.

    Args:
        state: The session's variables.
        user_content: What the user sent last; None: what the events say.
        events: The session so far, oldest first.
        told: "agent_name", "session_id", "turn_index"; the kit's other fields are kept, too.
    """

    def __init__(
        self,
        state: dict[str, Any] | None = None,
        user_content: python_types.Content | None = None,
        events: Sequence[python_types.Event] = (),
        **told: Any,
    ) -> None:
        super().__init__({} if state is None else state, events, told)
        self._user_content = user_content
        for name, value in told.items():
            setattr(self, name, value)

    @property
    def user_content(self) -> python_types.Content:
        """What the user sent last."""
        return python_types.Content(self.get_last_user_input(), "user")

    @user_content.setter
    def user_content(self, value: python_types.Content | None) -> None:
        self._user_content = value

    def get_last_user_input(self) -> list[python_types.Part]:
        """Return what the user sent last."""
        if self._user_content is not None:
            return list(self._user_content.parts)
        return super().get_last_user_input()


def _kit() -> ModuleType:
    """Return the tool kit's module of types, ours in its name where it is not installed."""
    try:
        return importlib.import_module(_KIT[-1])
    except ImportError:
        for name in _KIT:
            sys.modules[name] = ModuleType(name)
        found = sys.modules[_KIT[-1]]
        for name in _TYPES:
            setattr(found, name, getattr(python_types, name))
        for name in _CONTEXTS:
            setattr(found, name, CallbackContext)
        for above, below in pairwise(_KIT):
            setattr(sys.modules[above], below.rpartition(".")[2], sys.modules[below])
        return found


def _provide() -> None:
    """Make the globals of callbacks builtins, so that their modules can be imported."""
    kit = _kit()
    for name in (*_TYPES, *_CONTEXTS):
        setattr(builtins, name, getattr(kit, name))
    builtins.json = json  # type: ignore[attr-defined]


_provide()
