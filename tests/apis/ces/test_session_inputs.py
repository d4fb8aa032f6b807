"""What inputs are refused, and in which words."""

from __future__ import annotations

import pytest
from google.cloud.ces_v1 import SessionInput

from toulmin.apis.ces import session_inputs
from toulmin.conversation import dates
from toulmin.errors import InvalidArgument


@pytest.mark.parametrize(
    ("zones", "words"),
    [({"Europe/Paris"}, "no time zone of the IANA database"), (set(), "pip install tzdata")],
)
def test_a_machine_without_time_zones_says_so(monkeypatch, zones, words):
    monkeypatch.setattr(dates, "available_timezones", lambda: zones)
    text = SessionInput(text="Hello?")
    with pytest.raises(InvalidArgument, match=words):
        session_inputs.inputs_of([text], app="a", entry_agent="", time_zone="Mars/Olympus")
