"""Markdown tables in what the pages show: answers, passages, claims, documents."""

import json

import pytest

pytestmark = pytest.mark.browser

FACT = """Prices

| Product | Price | Weight |
|---|---|---|
| Kestrel 300 | 940 euros | 2.1 kg |
| Kestrel 500 | 1,120 euros | 2.6 kg |

Repairs are made in Leeds."""
TEXT = """Our prices:

| Product | Price |
|---|---|
| Kestrel 500 | 1,120 euros |
| Kestrel 300 | 8,000 euros |

Repairs are made in Leeds."""


def rows_of(table):
    rows = table.locator("tr").all()
    return [
        [one.strip() for one in row.locator("th, td:not(.marks)").all_inner_texts()] for row in rows
    ]


def checked(page):
    page.locator("textarea").nth(0).fill(TEXT)
    page.locator("textarea").nth(1).fill(FACT)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .answer-text .given").wait_for()


def test_a_checked_table_is_a_table_with_a_claim_in_each_row(watched):
    page = watched.open("check")
    checked(page)
    table = page.locator(".report .answer-text .given")
    assert rows_of(table) == [
        ["Product", "Price"],
        ["Kestrel 500", "1,120 euros"],
        ["Kestrel 300", "8,000 euros"],
    ]
    assert "|" not in page.locator(".report .answer-text").inner_text()
    right, wrong = (float(one) for one in table.locator(".score").all_inner_texts())
    assert wrong < right
    assert watched.axe() == []


def test_the_row_that_bears_a_row_is_marked_and_reached_by_keyboard(watched):
    page = watched.open("check")
    checked(page)
    page.get_by_role("button", name="Kestrel 500, 1,120 euros").focus()
    passage = page.locator("aside.evidence .passage").first
    passage.locator("mark").first.wait_for()
    assert rows_of(passage.locator(".given"))[2] == ["Kestrel 500", "1,120 euros", "2.6 kg"]
    assert passage.locator("tr", has_text="Kestrel 500").locator("mark").count() == 2
    assert "|" not in page.locator("aside.evidence").inner_text()


def test_an_answer_from_a_table_shows_the_row_and_no_bars(watched):
    page = watched.open("ask")
    answer = {
        "state": "SUCCEEDED",
        "answerText": "Country: Japan, Capital: Tokyo.",
        "references": [
            {
                "chunkInfo": {
                    "content": "| Country | Capital |\n|---|---|\n| France | Paris |\n| Japan | Tokyo |",
                    "documentMetadata": {"title": "countries"},
                }
            }
        ],
        "citations": [{"endIndex": "31", "sources": [{"referenceId": "0"}]}],
        "groundingSupports": [
            {
                "endIndex": "31",
                "groundingScore": 0.9,
                "groundingCheckRequired": True,
                "sources": [{"referenceId": "0"}],
            }
        ],
    }
    event = f"data: {json.dumps({'answer': answer})}\r\n\r\n"
    page.route("**:streamAnswer*", lambda route: route.fulfill(body=event))
    page.fill("#question", "What is the capital of Japan?")
    page.keyboard.press("Enter")
    page.locator(".claim-text").first.focus()
    passage = page.locator("aside.evidence .passage")
    assert passage.locator("mark").all_inner_texts() == ["Japan", "Tokyo"]
    assert "|" not in passage.inner_text()


def test_a_focused_sentence_keeps_its_ring_off_its_score(watched):
    page = watched.open("ask")
    page.fill("#question", "When was the Eiffel Tower opened?")
    page.keyboard.press("Enter")
    page.locator("button.cite").first.wait_for()
    page.locator(".claim-text").first.focus()
    gap = page.evaluate(
        """() => {
          const [text, score] = [".claim-text", ".claim .score"].map((one) => document.querySelector(one));
          const style = getComputedStyle(text);
          const ring = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
          return score.getBoundingClientRect().left - [...text.getClientRects()].at(-1).right - ring;
        }"""
    )
    assert gap >= 2
