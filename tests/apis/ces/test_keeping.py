"""What was called is kept, whatever becomes of the caller and the rest of the turn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.conversation.apps import APP
from tests.conversation.test_confirming import SENTENCE, Talk
from toulmin.agents import App
from toulmin.apis.ces import session
from toulmin.conversation import acts, turn
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.tool_runs import ToolRun
from toulmin.errors import Aborted, Cancelled
from toulmin.stores.records import RecordStore
from toulmin.work import UNLIMITED

BOOKING = "Book a table for 4 people on Friday"


class Shop:
    """A session over a real store, in an app whose tools run here."""

    def __init__(self, store, monkeypatch):
        talk = Talk()
        self.store = store
        self.called = []
        self.fails: Exception | None = None
        monkeypatch.setattr(session, "running_app", lambda *_: talk.app)
        monkeypatch.setattr(acts, "runs_here", lambda *_, **__: True)
        monkeypatch.setattr(acts, "run_here", self._run)
        parent, _, id_ = APP.rpartition("/apps/")
        with store.write() as transaction:
            transaction.resources.create(App(parent=parent, id=id_))
        self.rooms = talk.rooms
        self.handlers = session.SessionHandlers(lambda: store, lambda: self.rooms)

    def _run(self, tool, args, *_, **__):
        self.called.append(tool.display_name)
        if self.fails:
            raise self.fails
        return ToolRun(response={"result": "Your table is booked for Friday."})

    def outputs(self, text):
        name = SimpleNamespace(name=f"{APP}/sessions/s", app=APP, id="s")
        return self.handlers.outputs(session.Asked(name, Inputs(text=text), ()), UNLIMITED)

    def say(self, text):
        return [output.text for output in self.outputs(text)]

    def kept(self):
        """Return the chunks of each turn that is kept, and whether a yes is awaited."""
        with self.store.read() as transaction:
            turns = transaction.dialogues.turns(APP, "s")
            state = transaction.dialogues.get(APP, "s").state
        kinds = [[next(iter(c)) for m in t.messages for c in m["chunks"]] for t in turns]
        return kinds, bool(state.get("confirming"))


@pytest.fixture
def shop(tmp_path, monkeypatch):
    store = RecordStore(tmp_path, busy_timeout_s=5.0)
    yield Shop(store, monkeypatch)
    store.close()


def test_a_turn_is_kept_once(shop):
    assert shop.say(BOOKING) == [SENTENCE]
    assert shop.say("yes") == ["Your table is booked for Friday."]
    kinds, awaits = shop.kept()
    assert kinds[1:] == [["toolCall", "toolResponse", "text"]]
    assert not awaits


def test_a_yes_is_used_up_when_the_caller_leaves_before_the_end(shop, monkeypatch):
    def gone(*_, **__):
        raise Cancelled("The caller is gone.")

    shop.say(BOOKING)
    with monkeypatch.context() as patch:
        patch.setattr(turn, "check_turn", gone)
        with pytest.raises(Cancelled):
            shop.say("yes")
    kinds, awaits = shop.kept()
    assert kinds[1:] == [["toolCall", "toolResponse", "text"]]
    assert not awaits
    shop.say("yes")
    assert shop.called == ["book_table"]


def test_a_yes_is_used_up_when_the_call_does_not_come_back(shop):
    shop.say(BOOKING)
    shop.fails = Cancelled("The deadline is over.")
    with pytest.raises(Cancelled):
        shop.say("yes")
    shop.fails = None
    kinds, awaits = shop.kept()
    assert kinds[1:] == [["toolCall"]]
    assert not awaits
    shop.say("yes")
    assert shop.called == ["book_table"]


def test_a_stream_that_is_left_in_the_middle_keeps_what_was_called(shop, monkeypatch):
    shop.rooms.confirms = False
    monkeypatch.setattr(turn.Turn, "_name_false_premises", lambda self: self._say("Anything else?"))
    stream = shop.outputs(BOOKING)
    assert next(stream).text == "Your table is booked for Friday."
    stream.close()
    kinds, _ = shop.kept()
    assert kinds == [["toolCall", "toolResponse", "text", "text"]]


def test_of_two_turns_at_once_only_the_one_that_is_kept_calls(shop, monkeypatch):
    shop.say(BOOKING)
    other = session.SessionHandlers(lambda: shop.store, lambda: shop.rooms)  # another process
    name = SimpleNamespace(name=f"{APP}/sessions/s", app=APP, id="s")
    begin = turn.Turn._begin

    def begin_late(self):
        monkeypatch.setattr(turn.Turn, "_begin", begin)
        list(other.outputs(session.Asked(name, Inputs(text="yes"), ()), UNLIMITED))
        begin(self)

    monkeypatch.setattr(turn.Turn, "_begin", begin_late)
    with pytest.raises(Aborted):
        shop.say("yes")
    assert shop.called == ["book_table"]


def test_a_turn_that_called_nothing_leaves_no_trace_when_it_fails(shop, monkeypatch):
    def gone(*_, **__):
        raise Cancelled("The caller is gone.")

    monkeypatch.setattr(turn, "check_turn", gone)
    with pytest.raises(Cancelled):
        shop.say(BOOKING)
    with shop.store.read() as transaction:
        assert transaction.dialogues.find(APP, "s") is None
