"""Print what the first page weighs and how soon it can be used (`tests/console/run.py --measure`).

The weight is that of every file of the console, as it lies there and as it is sent. The time runs
from the navigation's start until the question may be typed, over loopback, each in a fresh profile
with an empty cache; beside it the processor time of the page's main thread, which depends less on
what else the machine has to do.
"""

from __future__ import annotations

import json
import os
import statistics
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.console.browser.conftest import FLAGS

RUNS = 15


def main() -> None:
    """Print the figures as JSON."""
    times, work, sent, plain = [], [], 0, 0
    load_before, ticks_before = os.getloadavg(), _ticks()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        for _ in range(RUNS):
            context = browser.new_context()
            page = context.new_page()
            devtools = context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.goto(os.environ["CONSOLE_URL"])
            page.wait_for_selector("#question")
            times.append(page.evaluate("performance.now()"))
            figures = devtools.send("Performance.getMetrics")["metrics"]
            work.append(1000 * {one["name"]: one["value"] for one in figures}["TaskDuration"])
            files = page.evaluate(
                "[...performance.getEntriesByType('resource'),"
                " ...performance.getEntriesByType('navigation')]"
                ".filter(e => !new URL(e.name).pathname.startsWith('/v1/'))"
                ".map(e => [e.encodedBodySize, e.decodedBodySize])"
            )
            sent, plain = sum(one[0] for one in files), sum(one[1] for one in files)
            context.close()
        browser.close()
    busy, total = (now - before for now, before in zip(_ticks(), ticks_before, strict=True))
    figures = {
        "runs": RUNS,
        "load_average": [
            [round(one, 2) for one in load] for load in (load_before, os.getloadavg())
        ],
        # Of all cores, by everything that ran meanwhile, the browser and the servers with it.
        "busy_share": round(busy / total, 3),
        "usable_ms": [round(one) for one in times],
        "usable_ms_median": round(statistics.median(times)),
        # Interpolated, so of 15 runs between the two slowest.
        "usable_ms_p95": round(statistics.quantiles(times, n=20, method="inclusive")[-1]),
        "usable_ms_least": round(min(times)),
        "usable_ms_most": round(max(times)),
        "main_thread_ms_median": round(statistics.median(work)),
        "first_page_files": len(files),
        "first_page_bytes_sent": sent,
        "first_page_bytes_unpacked": plain,
    }
    print(json.dumps(figures))  # noqa: T201 - this is a command


def _ticks() -> tuple[int, int]:
    """Return (busy, total) ticks of all cores since the start of the machine."""
    with Path("/proc/stat").open(encoding="utf-8") as stat:
        ticks = [int(value) for value in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


if __name__ == "__main__":
    main()
