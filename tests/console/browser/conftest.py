"""A page of the console, watched: nothing it does may leave the machine or fail in silence."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

AXE = Path(__file__).parents[1] / "axe" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 60_000


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if not os.environ.get("CONSOLE_URL"):
        pytest.skip("make test-console starts the servers that these tests need")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        yield opened
        opened.close()


class Watched:
    """A page, and what was seen of it."""

    def __init__(self, browser, base, **options):
        self.base = base
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 860}, base_url=base, **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.requests = []
        self.errors = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._said)

    def _said(self, message):
        # Chromium itself reports every answer of 4xx; the pages show those to people.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def open(self, place):
        self.page.goto(f"/#/{place}")
        self.page.wait_for_selector("main h1, main .empty")
        return self.page

    def axe(self):
        """Return what axe finds, as (rule, impact, first element)."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("async () => (await axe.run(document)).violations")
        return [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found]

    def close(self):
        hosts = {urlsplit(url).netloc for url in self.requests if not url.startswith("blob:")}
        cookies = self.context.cookies()
        self.context.close()
        assert hosts <= {urlsplit(self.base).netloc}, "a request left the machine"
        assert cookies == []
        assert self.errors == []


@pytest.fixture
def watch(browser):
    """Return a function that opens a watched page; keyword arguments are the context's."""
    opened = []

    def start(base=None, **options):
        opened.append(Watched(browser, base or os.environ["CONSOLE_URL"], **options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def watched(watch):
    return watch()
