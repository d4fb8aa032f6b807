"""A turn of a session -> the store, in as many parts as it takes.

Most turns are stored once, when they are at their end. Before a tool that changes something is
called, the turn is stored as far as it has come: then the user's yes is used up whatever becomes of
the caller, the server or the rest of the turn, and of two turns at once in two processes only the
one that was stored calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from toulmin.agents import Dialogue, DialogueTurn
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.noting import Noting
from toulmin.domain import JsonObject
from toulmin.stores.records import RecordStore


class TurnKeeper:
    """Stores one turn.

    Args:
        records: Returns the record store.
        dialogue: The session before the turn.
        inputs: What came in.
        goes_on: Whether the turn goes on with the session's last one.
    """

    def __init__(
        self,
        records: Callable[[], RecordStore],
        dialogue: Dialogue,
        inputs: Inputs,
        *,
        goes_on: bool,
    ) -> None:
        kinds = tuple(dict.fromkeys([*dialogue.input_types, *inputs.kinds]))
        self._records = records
        self._dialogue = replace(dialogue, input_types=kinds)
        self._goes_on = goes_on
        self._kept = 0

    @property
    def has_begun(self) -> bool:
        """Whether something of the turn is stored."""
        return self._kept > 0

    def keep(self, turn: Noting) -> tuple[JsonObject, ...]:
        """Store what is new in the turn, and its state; return all messages of the stored turn.

        Raises:
            Aborted: Another turn was stored meanwhile.
        """
        new = tuple(turn.log.messages[self._kept :])
        after = replace(self._dialogue, state=turn.state.to_json())
        stored = DialogueTurn(messages=new, span=turn.log.root_span())
        with self._records().write() as transaction:
            self._dialogue = transaction.dialogues.add_turn(after, stored, goes_on=self._goes_on)
            if self._goes_on:
                new = transaction.dialogues.turns(after.parent, after.id)[-1].messages
        self._kept, self._goes_on = len(turn.log.messages), True
        return new
