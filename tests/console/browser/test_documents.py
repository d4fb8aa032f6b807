import os

import pytest

from tests.clients.documents import pdf
from tests.console.browser.waiting import until

pytestmark = pytest.mark.browser


def upload(page, *files):
    page.set_input_files(
        ".drop input",
        [{"name": name, "mimeType": kind, "buffer": content} for name, kind, content in files],
    )


def long_pdf(count):
    """Return a PDF of so many pages, forty lines on each."""
    pages = [
        ") Tj 0 -14 Td (".join(  # the next line of a page
            [f"Chapter {n}"]
            + [f"Valve {n}-{line} of the plant is opened at {line % 7} bar." for line in range(40)]
        )
        for n in range(count)
    ]
    return pdf(tuple(pages))


def test_files_are_read_and_failures_say_why(watched):
    page = watched.open("documents")
    upload(
        page,
        ("pump.txt", "text/plain", b"Pump P-101 runs at 3 bar. It was installed in 2019."),
        ("broken.pdf", "application/pdf", b"Hello"),
    )
    page.locator(".upload.done").wait_for()
    page.locator(".upload.failed").wait_for()
    assert "is text and not PDF" in page.locator(".upload.failed .reason").inner_text()
    assert "1 of 2 files read, 1 failed" in page.locator(".uploads").inner_text()
    page.locator(".upload.done .link").click()
    page.locator(".chunk-text").first.wait_for()
    assert "3 bar" in page.locator(".chunk-text").first.inner_text()
    row = page.locator("tr", has=page.locator("small", has_text="pump.txt"))
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")


def test_a_long_pdf_says_how_far_it_is(watched):
    """CONSOLE_PDF_PAGES makes it longer; every share that was shown is kept, in its order."""
    content = long_pdf(int(os.environ.get("CONSOLE_PDF_PAGES", "60")))
    page = watched.open("documents")
    page.set_default_timeout(600_000)
    page.set_viewport_size({"width": 660, "height": 860})  # where the column of the phase is tight
    page.evaluate(
        """() => {
          window.shares = [];
          window.lines = [];
          setInterval(() => {
            const progress = document.querySelector(".upload.indexing .phase .nowrap");
            if (progress?.textContent.includes("s")) window.lines.push(progress.getClientRects().length);
            const bar = document.querySelector(".upload.indexing progress[value]");
            if (bar && bar.value !== window.shares.at(-1)) window.shares.push(bar.value);
          }, 20);
        }"""
    )
    upload(page, ("manual.pdf", "application/pdf", content))
    page.locator(".upload.done", has_text="manual.pdf").wait_for()
    shares = page.evaluate("window.shares")
    assert any(0 < share < 1 for share in shares), shares
    assert shares == sorted(shares)
    assert set(page.evaluate("window.lines")) == {1}  # "33 % 30 s" stands on one line
    page.locator(".upload.done .link", has_text="manual.pdf").click()
    page.locator(".chunk-text").first.wait_for()
    row = page.locator("tr", has=page.locator("small", has_text="manual.pdf"))
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")


def test_a_file_that_is_too_large_is_not_sent(watched):
    page = watched.open("documents")
    sent = len([one for one in watched.requests if ":import" in one])
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(24 * 1024 * 1024)], "large.bin"));
          const zone = document.querySelector(".drop");
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    page.locator(".upload.failed", has_text="toulmin ingest").wait_for()
    assert len([one for one in watched.requests if ":import" in one]) == sent


def test_a_store_is_made_and_deleted(watched):
    page = watched.open("documents")
    page.get_by_role("button", name="New data store").click()
    page.get_by_label("Name of the data store").fill("scratch")
    page.get_by_role("button", name="Create").click()
    until(page, "document.querySelector('.page-head select').value === 'scratch'")
    page.locator(".drop.large").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete data store").click()
    until(page, "document.querySelector('.page-head select').value === 'sample'")


def test_a_name_that_is_taken_is_refused_in_words(watched):
    page = watched.open("documents")
    page.get_by_role("button", name="New data store").click()
    page.get_by_label("Name of the data store").fill("sample")
    page.get_by_role("button", name="Create").click()
    assert "ALREADY_EXISTS" in page.get_by_role("alert").inner_text()
