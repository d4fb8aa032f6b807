"""Conversations, Quality, Status, signing in, and what axe finds on each page."""

import json
import os

import pytest

pytestmark = pytest.mark.browser
NAMES_STAND_BESIDE_NUMBERS = """() => [...document.querySelectorAll(".plot svg")].map((plot) => {
  const right = plot.querySelector("text[transform]").getBoundingClientRect().right;
  const numbers = [...plot.querySelectorAll("text[text-anchor=end]")];
  return numbers.length > 0 && numbers.every((one) => right + 6 < one.getBoundingClientRect().left);
})"""
PAGES = ["ask", "check", "documents", "conversations", "quality", "status"]


def test_a_conversation_shows_every_chunk_and_the_check_of_each_turn(watched):
    page = watched.open("conversations")
    page.locator(".picks .link", has_text="parcel").click()
    page.locator(".said").nth(1).wait_for()
    text = page.locator(".transcript").inner_text()
    assert "Where is my parcel?" in text
    assert "find_order" in text
    assert "4711" in text
    assert "Friday" in text
    assert "Justified" in page.locator(".turn-head").nth(1).inner_text()


def test_an_unknown_location_has_no_apps(watched):
    page = watched.open("conversations")
    page.get_by_label("Location").fill("nowhere")
    page.keyboard.press("Enter")
    page.locator("p", has_text='no app of agents in location "nowhere"').wait_for()


def test_labelled_examples_are_evaluated(watched):
    rows = [
        {"premise": f"The {name} Bridge opened in {year}.", "claim": claim, "label": label}
        for name, year in (("Harbour", 1998), ("Mill", 1975))
        for claim, label in (
            (f"The {name} Bridge opened in {year}.", 1),
            (f"The {name} Bridge opened in {year + 9}.", 0),
        )
    ]
    page = watched.open("quality")
    content = "\n".join(json.dumps(row) for row in rows).encode()
    page.set_input_files(
        ".file-button input", [{"name": "b.jsonl", "mimeType": "", "buffer": content}]
    )
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("button", name="Save the scores").wait_for()
    assert page.locator(".figure dd").first.inner_text() == "1.000"
    assert page.locator(".plot svg").count() == 2
    assert page.evaluate(NAMES_STAND_BESIDE_NUMBERS) == [True, True]
    page.get_by_label("false strips", exact=True).check()


def test_a_wrong_line_is_named(watched):
    page = watched.open("quality")
    content = (
        b'{"premise": "a", "claim": "b", "label": 1}\n{"premise": "a", "claim": "b", "label": 7}'
    )
    page.set_input_files(
        ".file-button input", [{"name": "b.jsonl", "mimeType": "", "buffer": content}]
    )
    assert "Line 2: label is 7" in page.get_by_role("alert").inner_text()


def test_figures_are_those_of_the_definitions(watched):
    page = watched.open("quality")
    found = page.evaluate(
        """async () => {
          const s = await import("/console/parts/statistics.js");
          const rows = [[0.9, true], [0.8, false], [0.7, true], [0.2, false], [0.2, true]]
            .map(([score, label]) => ({ score, label }));
          return [s.auroc(rows), s.atThreshold(rows, 0.75), s.brier(rows), s.auroc(rows.slice(0, 1)) ?? null];
        }"""
    )
    # Pairs: 0.9 beats both, 0.7 beats one of two, 0.2 ties one of two.
    assert found[0] == pytest.approx((2 + 1 + 0.5) / 6)
    assert found[1]["falsePass"] == 0.5
    assert found[1]["stripped"] == pytest.approx(2 / 3)
    assert found[2] == pytest.approx((0.01 + 0.64 + 0.09 + 0.04 + 0.64) / 5)
    assert found[3] is None


def test_the_status_shows_models_settings_and_keys(watch):
    watched = watch(os.environ["CONSOLE_KEYED_URL"])
    page = sign_in(watched, os.environ["CONSOLE_ADMIN"], "status")
    page.locator("h2", has_text="Models").wait_for()
    text = page.locator("main").inner_text()
    assert "viewer" in text
    assert "data_dir" in text
    assert os.environ["CONSOLE_ADMIN"] not in text


def sign_in(watched, key, place):
    watched.page.goto(f"/#/{place}")
    watched.page.get_by_label("API key").fill(key)
    watched.page.keyboard.press("Enter")
    return watched.page


def test_a_wrong_key_is_asked_for_again(watch):
    page = sign_in(watch(os.environ["CONSOLE_KEYED_URL"]), "wrong-key-wrong-key", "ask")
    page.get_by_role("alert").wait_for()
    assert "not valid" in page.get_by_role("alert").inner_text()


def test_a_viewer_may_ask_and_not_write(watch):
    watched = watch(os.environ["CONSOLE_KEYED_URL"])
    page = sign_in(watched, os.environ["CONSOLE_VIEWER"], "documents")
    page.locator("table").wait_for()
    assert page.locator(".drop").count() == 0
    assert page.get_by_role("button", name="Delete").count() == 0
    page.goto("/#/status")
    page.locator(".notice", has_text="role admin").wait_for()
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("Object.values(sessionStorage)").count(os.environ["CONSOLE_VIEWER"]) == 1
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("API key").wait_for()
    assert page.evaluate("Object.values(sessionStorage)").count(os.environ["CONSOLE_VIEWER"]) == 0


def test_on_a_narrow_screen_latencies_are_read_without_scrolling(watched):
    watched.page.set_viewport_size({"width": 400, "height": 860})
    page = watched.open("status")
    table = page.locator(".latency .scroll")
    table.wait_for()
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("place", PAGES)
def test_axe_finds_nothing(watch, place, width, scheme):
    watched = watch(color_scheme=scheme)
    watched.page.set_viewport_size({"width": width, "height": 860})
    page = watched.open(place)
    if place == "ask":
        page.get_by_role("button", name="When was the Eiffel Tower opened?").click()
        page.locator(".steps").wait_for()
    if place == "check":
        page.get_by_role("button", name="Fill in an example").click()
        page.get_by_role("button", name="Check", exact=True).click()
        page.locator(".report .claim").nth(2).wait_for()
    if place == "conversations":
        page.locator(".picks .link").first.click()
        page.locator(".said").first.wait_for()
    if place == "documents":
        page.locator("td .link").first.click()
        page.locator(".chunk-text").first.wait_for()
    if place == "status":
        page.locator(".figures").wait_for()
    assert watched.axe() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("place", PAGES)
def test_every_page_has_one_heading_of_the_first_level(watched, place):
    page = watched.open(place)
    assert page.locator("h1").count() == 1
    assert page.locator(f"nav a[aria-current=page][href='#/{place}']").count() == 1
