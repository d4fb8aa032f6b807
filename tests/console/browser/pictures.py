"""Take the pictures of docs/images from the console itself (`tests/console/run.py --pictures [NAME ...]`).

Each page in light and in dark, of what the example library and the page's own examples give; a NAME
(`check`, `narrow`) takes that page again and leaves the others. Texts are drawn in the fonts that
the machine has: Debian's fonts-noto-core and fonts-vlgothic give those of the pictures there are.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.console.browser.conftest import FLAGS, WAIT_MS
from tests.console.browser.test_ask import ask
from tests.console.browser.test_calibrate import calibrate, choose, labelled

IMAGES = Path(__file__).parents[3] / "docs" / "images"
SCHEMES = ("light", "dark")
# People fetch a dozen of them with one page of documentation.
MOST_BYTES = 64_000


def of_ask(page: Page) -> None:
    """A question and one that follows it, with the evidence of the first answer."""
    first = ask(page, "When was the Eiffel Tower opened?")
    ask(page, "Who built it?")
    page.get_by_text("Checking each sentence").wait_for(state="hidden")
    first.locator(".claim-text").first.focus()
    page.locator("aside.evidence mark").first.wait_for()


def of_check(page: Page) -> None:
    """The page's example: facts that disagree, a contradicted sentence and its correction."""
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_label("Compare the facts with each other").check()
    page.get_by_label("Look for corrections").check()
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".corrected ins").wait_for()
    page.locator(".conflicts mark").first.wait_for()
    page.locator(".claim.contradicted .claim-text").focus()
    page.locator("aside.evidence mark").first.wait_for()


def of_calibrate(page: Page) -> None:
    """A calibration on 60 examples."""
    choose(page, labelled(60))
    calibrate(page)


def of_documents(page: Page) -> None:
    """The example library, and what was read of one of its documents."""
    page.get_by_role("button", name="The Eiffel Tower").first.click()
    page.locator(".chunk-text").first.wait_for()


def of_conversations(page: Page) -> None:
    """A conversation with a call of a tool, and the check of its turns."""
    page.locator(".picks .link", has_text="parcel").click()
    page.locator(".said").nth(1).wait_for()


def of_status(page: Page) -> None:
    """Load, latencies and models."""
    page.locator("h2", has_text="Models").wait_for()
    page.locator(".latency").wait_for()


def of_narrow(page: Page) -> None:
    """An answer on a telephone, with its evidence as a sheet over the lower half."""
    turn = ask(page, "What does a reader's card cost?")
    page.get_by_text("Checking each sentence").wait_for(state="hidden")
    turn.locator("button.cite").first.click()
    page.locator("aside.evidence mark").first.wait_for()


class Picture(NamedTuple):
    """Which page is taken, after what, and how much of it."""

    place: str
    show: Callable[[Page], None]
    height: int
    width: int = 1280
    whole: bool = False  # else what is seen first


PICTURES = {
    "ask": Picture("ask", of_ask, 800, whole=True),
    "check": Picture("check", of_check, 900, whole=True),
    "documents": Picture("documents", of_documents, 760),
    "conversations": Picture("conversations", of_conversations, 860),
    "quality": Picture("quality", of_calibrate, 840),
    "status": Picture("status", of_status, 860),
    "narrow": Picture("ask", of_narrow, 800, width=390),
}


def main() -> int:
    """Write the pictures that are named, else all; return 1 where one is too large."""
    names = sys.argv[1:] or list(PICTURES)
    large = False
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        for name in names:
            for scheme in SCHEMES:
                image = take(browser, PICTURES[name], scheme)
                path = IMAGES / f"console-{name}-{scheme}.webp"
                path.write_bytes(image)
                print(path, len(image))  # noqa: T201 - this is a command
                large = large or len(image) > MOST_BYTES
        browser.close()
    return int(large)


def take(browser: Browser, picture: Picture, scheme: str) -> bytes:
    """Return a page as WebP without loss, half of what it is as PNG."""
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height},
        base_url=os.environ["CONSOLE_URL"],
        color_scheme=scheme,
    )
    page.set_default_timeout(WAIT_MS)
    page.goto(f"/#/{picture.place}")
    page.wait_for_selector("main h1")
    picture.show(page)
    page.mouse.move(0, 0)
    shot = page.screenshot(full_page=picture.whole)
    page.close()
    packed = io.BytesIO()
    Image.open(io.BytesIO(shot)).convert("RGB").save(packed, format="webp", lossless=True, method=6)
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
