"""Days as a tool wants them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tests.conversation.apps import make_app
from toulmin.conversation.dates import iso_day, today_in, zone_by_name
from toulmin.conversation.forms import wants_iso
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.json_schemas import api_schema
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.services import build_services
from toulmin.settings import load_settings

WEDNESDAY = date(2026, 7, 1)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("today", "2026-07-01"),
        ("Tomorrow.", "2026-07-02"),
        ("tonight", "2026-07-01"),
        ("Friday", "2026-07-03"),
        ("on Friday", "2026-07-03"),
        ("Wednesday", "2026-07-08"),
        ("this Monday", "2026-07-06"),
        ("next Friday", "2026-07-10"),
        ("next Monday", "2026-07-06"),
        ("6 July", "2026-07-06"),
        ("July 6th", "2026-07-06"),
        ("the 6th of July", ""),
        ("6th of July 2027", "2027-07-06"),
        ("Sept. 3, 2026", "2026-09-03"),
        ("1 July", "2026-07-01"),
        ("30 June", "2027-06-30"),
        ("29 February", "2028-02-29"),
        ("24.12.", "2026-12-24"),
        ("24.12.2027", "2027-12-24"),
        ("2026-08-09", "2026-08-09"),
        ("3/4", ""),
        ("31 June", ""),
        ("6 Agust", "2026-08-06"),
        ("Septmber 6", "2026-09-06"),
        ("6 Julember", ""),
        ("market 6", ""),
        ("2026-06-31", ""),
        ("2028-02-29", "2028-02-29"),
        ("4711", ""),
        ("12 oranges", ""),
        ("soon", ""),
    ],
)
def test_a_day_is_written_with_its_year(said, day):
    assert iso_day(said, WEDNESDAY) == day


def test_the_day_is_that_of_the_time_zone():
    late = datetime(2026, 7, 1, 23, 30, tzinfo=UTC)
    assert today_in("", late) == WEDNESDAY
    assert today_in("Asia/Tokyo", late) == date(2026, 7, 2)
    assert today_in("America/New_York", late) == WEDNESDAY
    assert today_in("Not/There", late) == WEDNESDAY


@pytest.mark.parametrize(
    "name", ["Not/There", "Europe", "../etc/passwd", "/etc/passwd", "a\0b", "x" * 500]
)
def test_what_is_no_time_zone_is_told(name):
    assert zone_by_name(name) is None


@pytest.mark.parametrize(
    ("name", "description", "wants"),
    [
        ("date", "Day of the visit (YYYY-MM-DD)", True),
        ("pickup_date", "ISO 8601", True),
        ("date", "Day of the visit", False),
        ("start_time", "Start time, ISO 8601", False),
        ("begin", "When it begins, YYYY-MM-DD HH:MM", False),
        ("code", "Code in the form YYYY-MM-DD-n", False),
    ],
)
def test_a_tool_says_how_it_wants_days(name, description, wants):
    assert wants_iso(name, {"type": "STRING", "description": description}) == wants


def test_the_format_of_a_json_schema_says_so_too():
    schema = {"type": "string", "format": "date", "description": "The first night"}
    assert api_schema(schema, schema)["description"] == "The first night. YYYY-MM-DD"
    bare = {"type": "string", "format": "date"}
    assert wants_iso("date", api_schema(bare, bare))


BOOK = {
    "name": "book_tour",
    "description": "Books a tour.",
    "parameters": {
        "date": {"type": "STRING", "description": "Day of the tour, YYYY-MM-DD"},
        "begin": {"type": "STRING", "description": "When it begins, HH:MM"},
    },
}


@pytest.mark.model
@pytest.mark.parametrize(
    ("of_session", "of_app", "day"),
    [
        ("", "", "2026-07-02"),
        ("Asia/Tokyo", "", "2026-07-03"),
        ("", "Asia/Tokyo", "2026-07-03"),
        ("America/New_York", "Asia/Tokyo", "2026-07-02"),
    ],
)
def test_tomorrow_is_the_users_tomorrow(rooms, of_session, of_app, day):
    """It is half past eleven in the evening in UTC."""
    app = make_app([BOOK], timeZoneSettings={"timeZone": of_app})
    state = SessionState()
    inputs = Inputs(
        text="book a tour for tomorrow, half past two in the afternoon", time_zone=of_session
    )
    now = datetime(2026, 7, 1, 23, 30, tzinfo=UTC)
    list(Turn(app, state, inputs, rooms=rooms, now=now).run())
    assert state.confirming is not None
    assert state.confirming.args == {"date": day, "begin": "14:30"}


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    services = build_services(
        load_settings(flags={"data_dir": str(tmp_path_factory.mktemp("data"))}, environment={})
    )
    yield services.conversation_rooms()
    services.close()
