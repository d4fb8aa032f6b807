import json

import pytest

from tests.console.browser.waiting import until

pytestmark = pytest.mark.browser
CLAIMS = 10_000


def check_example(page):
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").nth(2).wait_for()


def set_range(page, name, value):
    page.get_by_label(name).evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def test_claims_are_marked_and_a_contradiction_does_not_rest_on_colour(watched):
    page = watched.open("check")
    check_example(page)
    wrong = page.locator(".claim.contradicted")
    assert wrong.count() == 1
    assert "≠" in wrong.inner_text()
    assert "contradicted" in wrong.inner_text()
    line = wrong.locator(".claim-text").evaluate("e => getComputedStyle(e).textDecorationStyle")
    assert line == "wavy"
    wrong.locator(".claim-text").focus()
    assert "312" in page.locator(".passage.against mark").first.inner_text()


def test_the_example_has_a_conflict_and_a_correction(watched):
    page = watched.open("check")
    page.get_by_label("Compare the facts with each other").check()
    page.get_by_label("Look for corrections").check()
    check_example(page)
    page.locator(".corrected").wait_for()
    assert page.locator(".conflicts mark").all_inner_texts() == ["4 May 1998", "4 May 1996"]
    assert page.locator(".resting").inner_text().endswith("The Elbe Bridge opened in 1998.")
    assert page.locator(".corrected del").all_inner_texts() == ["450"]
    assert page.locator(".corrected ins").all_inner_texts() == ["312"]
    assert watched.axe() == []


def test_corrections_are_shown_with_their_difference_only_when_asked_for(watched):
    page = watched.open("check")
    page.fill("#candidate", "Schön. The Elbe Bridge opened in 1973.")
    page.fill("#fact-0", "The Elbe Bridge opened on 4 May 1998.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").nth(0).wait_for()
    assert page.locator(".corrected").count() == 0
    assert len([one for one in watched.requests if one.endswith(":check")]) == 1
    page.get_by_label("Look for corrections").check()
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".corrected").wait_for()
    assert page.locator(".corrected h2").inner_text() == "1 sentence corrected"
    assert page.locator(".corrected del").all_inner_texts() == ["1973"]
    assert page.locator(".corrected ins").all_inner_texts() == ["1998"]
    assert page.locator(".corrected .answer-text").inner_text().startswith("Schön. The Elbe")


def test_thresholds_move_marks_without_a_request(watched):
    page = watched.open("check")
    check_example(page)
    sent = len(watched.requests)
    set_range(page, "Contradicted from", "0.99")
    until(page, "!document.querySelector('.report .claim.contradicted')")
    set_range(page, "Supported from", "0.99")
    until(page, "document.querySelectorAll('.chip.unsupported').length >= 3")
    assert len(watched.requests) == sent


def test_byte_offsets_become_places_in_the_text(watched):
    page = watched.open("check")
    page.fill("#candidate", "🌉 Über die Brücke fährt die Bahn. Die Brücke ist 312 m lang.")
    page.fill("#fact-0", "Die Brücke ist 312 m lang. Über die Brücke fährt die Bahn.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").nth(1).wait_for()
    texts = page.locator(".report .claim-text").all_inner_texts()
    assert texts[-1] == "Die Brücke ist 312 m lang."
    assert texts[0].endswith("Über die Brücke fährt die Bahn.")


def test_bytes_are_counted_as_utf_8(watched):
    page = watched.open("check")
    found = page.evaluate(
        """async () => {
          const { indexOfByte, byteLength } = await import("/console/bytes.js");
          const text = "aé日😀z";
          const at = indexOfByte(text);
          return [byteLength(text), [0, 1, 3, 6, 10, 11, 99].map(at), indexOfByte("abc")(2)];
        }"""
    )
    assert found == [11, [0, 1, 2, 3, 5, 6, 6], 2]


def test_a_long_text_is_checked_in_parts(watched):
    page = watched.open("check")
    filler = "and it was painted blue in spring, " * 6
    sentences = [f"Pump {n} runs at 3 bar, {filler}as the log says." for n in range(40)]
    page.fill("#candidate", "\n".join(sentences))
    page.fill("#fact-0", "Every pump runs at 3 bar.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").nth(39).wait_for(timeout=240_000)
    assert page.locator(".report .claim-text").all_inner_texts() == sentences
    assert len([one for one in watched.requests if one.endswith(":check")]) == 2


def test_ten_thousand_claims_do_not_fill_the_page(watched):
    page = watched.open("check")
    claims = [
        {
            "claimText": f"Sentence number {n}.",
            "groundingCheckRequired": True,
            "score": n % 100 / 100,
        }
        for n in range(CLAIMS)
    ]
    report = json.dumps({"claims": claims, "citedChunks": []}).encode()
    page.set_input_files(
        ".file-button input",
        [{"name": "report.json", "mimeType": "application/json", "buffer": report}],
    )
    page.locator(".report .row").first.wait_for()
    assert page.locator(".report .row").count() < 500
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator(f".row[aria-posinset='{CLAIMS}']")
    last.wait_for()
    assert last.get_attribute("aria-setsize") == str(CLAIMS)
    assert page.locator(".report .row").count() < 500
    set_range(page, "Supported from", "0.30")
    until(page, "document.querySelectorAll('.figure dd')[2].textContent === '7,000'")
    page.get_by_label("With the words").fill("number 9999.")
    until(page, "document.querySelectorAll('.report .row').length === 1")


def test_a_file_that_is_no_report_is_refused_in_words(watched):
    page = watched.open("check")
    page.set_input_files(
        ".file-button input", [{"name": "x.json", "mimeType": "", "buffer": b'{"answer": 1}'}]
    )
    assert "has no claims" in page.get_by_role("alert").inner_text()


def two_facts_that_disagree(page):
    page.fill("#fact-0", "Schön. The Elbe Bridge opened in 1998.")
    page.get_by_role("button", name="Add a fact").click()
    page.fill("#fact-1", "The Elbe Bridge was opened in 1975.")
    page.get_by_label("Compare the facts with each other").check()


def test_facts_are_compared_with_each_other_without_a_text(watched):
    page = watched.open("check")
    assert page.get_by_role("button", name="Check", exact=True).is_disabled()
    two_facts_that_disagree(page)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".conflicts").wait_for()
    assert page.locator(".conflicts h2").inner_text() == "1 conflict between the facts"
    assert "differ in a date" in page.locator(".conflicts li").inner_text()
    assert page.locator(".conflicts dt").all_inner_texts() == ["Fact 1", "Fact 2"]
    assert page.locator(".conflicts dd").all_inner_texts() == [
        "The Elbe Bridge opened in 1998.",
        "The Elbe Bridge was opened in 1975.",
    ]
    assert page.locator(".conflicts mark").all_inner_texts() == ["1998", "1975"]
    assert page.locator(".report").count() == 0
    page.fill("#fact-1", "The Elbe Bridge was opened in 1998.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".conflicts h2", has_text="No conflict").wait_for()


def test_a_sentence_that_rests_on_one_of_two_facts_is_marked(watched):
    page = watched.open("check")
    page.fill("#candidate", "Trams are blue. The Elbe Bridge opened in 1998.")
    two_facts_that_disagree(page)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").nth(1).wait_for()
    assert len([one for one in watched.requests if one.endswith(":check")]) == 1
    disputed = page.locator(".claim", has=page.locator(".chip.disputed"))
    assert disputed.locator(".claim-text").all_inner_texts() == ["The Elbe Bridge opened in 1998."]
    resting = page.locator(".resting").inner_text()
    assert resting == "Rests on one of them: The Elbe Bridge opened in 1998."
    disputed.locator(".claim-text").focus()
    assert page.locator("aside.evidence .sides mark").all_inner_texts() == ["1998", "1975"]
    assert watched.axe() == []
    saved = save(page)
    set_range(page, "Supported from", "0.99")
    until(page, "!document.querySelector('.chip.disputed, .resting')")
    set_range(page, "Supported from", "0.60")
    page.get_by_label("Compare the facts with each other").uncheck()
    page.get_by_role("button", name="Check", exact=True).click()
    until(page, "!document.querySelector('.conflicts, .chip.disputed')")
    page.set_input_files(
        ".file-button input",
        [{"name": "report.json", "mimeType": "application/json", "buffer": saved}],
    )
    page.locator(".chip.disputed").wait_for()
    assert page.locator(".conflicts mark").all_inner_texts() == ["1998", "1975"]


def save(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the report").click()
    return download.value.path().read_bytes()


def test_a_store_is_searched_for_each_sentence(watched):
    page = watched.open("check")
    page.fill("#candidate", "The Eiffel Tower was finished on 31 March 1889.")
    page.get_by_label("a data store").check()
    page.locator("fieldset select").wait_for()
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".report .claim").first.wait_for()
    assert page.locator("aside.evidence h3").first.inner_text() == "The Eiffel Tower"


def test_a_fact_has_the_number_that_it_has_on_the_page(watched):
    page = watched.open("check")
    page.fill("#candidate", "The pump runs at 3 bar.")
    for _ in range(2):
        page.get_by_role("button", name="Add a fact").click()
    # The first is sent in two pieces, the second is empty.
    page.fill("#fact-0", "\n".join(f"Valve {n} was painted green in spring." for n in range(300)))
    page.fill("#fact-2", "The pump runs at 3 bar, always.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator("aside.evidence .passage").first.wait_for(timeout=240_000)
    assert page.locator("aside.evidence h3").first.inner_text() == "Fact 3"


def test_the_words_that_bear_a_sentence(watched):
    page = watched.open("check")
    passage = (
        "The bridge was planned in 1911.\nIt is 3.5 km long, and\nopened in 1998. Trams cross it."
    )
    found = page.evaluate(
        """async (passage) => {
          const { bearing } = await import("/console/parts/report.js");
          const texts = (one) => [one.kind, one.ranges.map(([a, b]) => passage.slice(a, b)),
            one.words.map(([a, b]) => passage.slice(a, b))];
          return [
            bearing(passage, "Trams  cross it."),
            bearing(passage, "It opened in 1998.", [[4, 10]]),
            bearing(passage, "It was opened in 1998 and is 3.5 km long.", [[0, passage.length]]),
            bearing(passage, "Un pont.", []),
          ].map(texts);
        }""",
        passage,
    )
    assert found[0] == ["verbatim", ["Trams cross it."], []]
    assert found[1] == ["span", ["bridge"], []]
    assert found[2][:2] == ["sentence", ["It is 3.5 km long, and\nopened in 1998."]]
    assert found[2][2] == ["3.5", "long", "opened", "1998"]
    assert found[3] == ["none", [], []]


def test_on_a_narrow_screen_every_sentence_can_be_reached(watched):
    watched.page.set_viewport_size({"width": 390, "height": 780})
    page = watched.open("check")
    check_example(page)
    assert not page.locator("aside.evidence").is_visible()
    for index in range(3):
        page.locator(".report .claim-text").nth(index).click()
    page.locator("aside.evidence").wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator("aside.evidence").wait_for(state="hidden")
