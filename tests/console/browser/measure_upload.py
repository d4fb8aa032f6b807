"""Print how a long PDF's upload looks to whoever waits for it (`tests/console/run.py --measure-upload PAGES`).

What the page shows of the file is looked at 20 times a second, in the page: its phase, the bar and
the line beside it. "Stood still" is the longest time in which neither the bar nor the percentage
moved, of the time with a share; before there is one, the bar moves by itself.
"""

from __future__ import annotations

import itertools
import json
import os
import sys

from playwright.sync_api import sync_playwright

from tests.console.browser.conftest import FLAGS
from tests.console.browser.test_documents import long_pdf, upload

LIMIT_MS = 30 * 60 * 1000
_WATCH = """() => {
  window.seen = [];
  setInterval(() => {
    const row = document.querySelector(".upload");
    if (!row) return;
    const bar = row.querySelector("progress");
    const now = [row.className.split(" ")[1], bar?.hasAttribute("value") ? bar.value : null];
    const last = window.seen.at(-1);
    if (!last || last[1] !== now[0] || last[2] !== now[1]) window.seen.push([performance.now(), ...now]);
  }, 50);
}"""


def main() -> None:
    """Print the figures as JSON."""
    pages = int(sys.argv[1])
    content = long_pdf(pages)
    load_before = os.getloadavg()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        page = browser.new_page(base_url=os.environ["CONSOLE_URL"])
        page.set_default_timeout(LIMIT_MS)
        page.goto("/#/documents")
        page.locator(".drop").wait_for()
        page.evaluate(_WATCH)
        upload(page, ("manual.pdf", "application/pdf", content))
        page.locator(".upload.done, .upload.failed").wait_for()
        page.wait_for_timeout(200)
        seen = page.evaluate("window.seen")
        browser.close()
    print(json.dumps(figures(seen, pages, len(content), load_before)))  # noqa: T201 - this is a command


def figures(
    seen: list[list], pages: int, size: int, load_before: tuple[float, float, float]
) -> dict[str, object]:
    """Return what the looks amount to; each is (ms, phase, share or null) when one of these changed."""
    begun, ended = seen[0][0], seen[-1][0]
    shares = [(at, share) for at, phase, share in seen if phase == "indexing" and share is not None]
    moved = [at for at, _ in shares] + [ended]
    sent = next((at for at, phase, _ in seen if phase == "indexing"), ended)
    return {
        "pages": pages,
        "bytes": size,
        "load_average": [
            [round(one, 2) for one in load] for load in (load_before, os.getloadavg())
        ],
        "ended": seen[-1][1],
        "seconds": round((ended - begun) / 1000, 1),
        "sent_after_s": round((sent - begun) / 1000, 1),
        "first_share_after_s": round((moved[0] - begun) / 1000, 1),
        "shares_shown": len(shares),
        "largest_step": round(
            max((b[1] - a[1] for a, b in itertools.pairwise(shares)), default=0), 3
        ),
        "never_went_back": all(a[1] <= b[1] for a, b in itertools.pairwise(shares)),
        "last_share": shares[-1][1] if shares else None,
        "longest_stood_still_s": round(
            max((b - a for a, b in itertools.pairwise(moved)), default=0) / 1000, 1
        ),
        "after_last_share_s": round((ended - moved[-2]) / 1000, 1) if shares else None,
    }


if __name__ == "__main__":
    main()
