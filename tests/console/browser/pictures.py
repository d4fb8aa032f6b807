"""Take the pictures of docs/images from the console itself (`tests/console/run.py --pictures`).

They are 1280 px wide, of what the example library and the page's own examples give. Texts are drawn
in the fonts that the machine has: Debian's fonts-noto-core and fonts-vlgothic give those of the
pictures there are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.console.browser.conftest import FLAGS, WAIT_MS
from tests.console.browser.test_ask import ask
from tests.console.browser.test_calibrate import calibrate, choose, labelled

IMAGES = Path(__file__).parents[3] / "docs" / "images"
WIDTH = 1280


def of_ask(page: Page) -> None:
    """A question and one that follows it, with the evidence of the first answer."""
    first = ask(page, "When was the Eiffel Tower opened?")
    ask(page, "Who built it, and how tall is it?")
    page.get_by_text("Checking each sentence").wait_for(state="hidden")
    page.mouse.move(0, 0)
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


PICTURES: dict[str, dict[str, Any]] = {
    "ask": {"place": "ask", "height": 860, "scheme": "light", "show": of_ask},
    "check": {"place": "check", "height": 900, "scheme": "dark", "show": of_check},
    "calibrate": {"place": "quality", "height": 840, "scheme": "light", "show": of_calibrate},
    "documents": {"place": "documents", "height": 760, "scheme": "light", "show": of_documents},
    "conversations": {
        "place": "conversations",
        "height": 860,
        "scheme": "dark",
        "show": of_conversations,
    },
    "status": {"place": "status", "height": 860, "scheme": "light", "show": of_status},
}


def main() -> None:
    """Write the pictures: of Ask and Check the whole page, of the others what is seen first."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        for name, picture in PICTURES.items():
            page = browser.new_page(
                viewport={"width": WIDTH, "height": picture["height"]},
                base_url=os.environ["CONSOLE_URL"],
                color_scheme=picture["scheme"],
            )
            page.set_default_timeout(WAIT_MS)
            page.goto(f"/#/{picture['place']}")
            page.wait_for_selector("main h1")
            picture["show"](page)
            path = IMAGES / f"console-{name}.png"
            page.screenshot(path=path, full_page=name in {"ask", "check"})
            print(path)  # noqa: T201 - this is a command
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
