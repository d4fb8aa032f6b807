"""How long tests wait: nothing here is a measurement, and no machine is too slow or too fast for it.

A test waits for an event, never for a time in which the event should have come. What must not
happen is excluded by what the test holds back, not by looking soon enough.
"""

from __future__ import annotations

import time

PATIENCE_S = 60.0
"""How long to wait for what must come. A test that passes does not wait as long, on any machine."""
SOON_S = 9.0
"""Less than the server's shortest limit (`header_timeout_s`, 10 s), far more than those of tests:
what ended within it was ended by the limit that the test had set."""

POLL_S = 0.01
"""How often a server of `http.server` looks whether it is to end: half a second by default, which
every test that has one would wait for."""


def wait_for(check, timeout_s=PATIENCE_S):
    """Return what `check` returns as soon as it is true."""
    end = time.monotonic() + timeout_s
    while True:
        late = time.monotonic() > end  # before the last look, which may come late itself
        if found := check():
            return found
        if late:
            raise AssertionError("it did not come true in time")
        time.sleep(0.01)
