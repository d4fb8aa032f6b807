"""The documentation as a site: `mkdocs.yml` has every page, and every link leads to one of them.

Headings within pages are looked at by `make site`, which knows their anchors.
"""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def pages_of(entries):
    for entry in entries:
        if isinstance(entry, dict):
            (within,) = entry.values()
            yield from pages_of(within)
        else:
            yield entry


def test_every_page_but_the_decisions_is_in_the_navigation_once():
    yaml = pytest.importorskip("yaml")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    named = sorted(pages_of(config["nav"]))
    pages = [str(page.relative_to(DOCS)) for page in PAGES]
    wanted = [page for page in pages if not page.startswith("decisions/")]
    assert named == wanted, "a page has its place under `nav` in mkdocs.yml"


def links_of(page):
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")):
        for part in token.children or ():
            if part.type == "link_open":
                yield part.attrs["href"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_its_links_lead_somewhere_within_the_site(page):
    for href in links_of(page):
        path = href.partition("#")[0]
        if path and not re.match(r"[a-z]+:", href):
            target = (page.parent / path).resolve()
            assert target.exists(), href
            assert target.is_relative_to(DOCS), f"{href}: not on the site; write it as `code`"
