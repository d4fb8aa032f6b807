"""Calibrating on the Quality page: the file that comes out, who may, and what is said of few examples."""

import gzip
import json
import os

import pytest

from tests.console.browser.test_pages import sign_in

pytestmark = pytest.mark.browser


def labelled(count, *, contradiction=False):
    """Return examples whose every fifth label is wrong, so that sure scores are too sure."""
    rows = []
    for n in range(count):
        year = 1900 + n
        label = int((n % 2 == 0) != (n % 5 == 0))
        row = {
            "premise": f"The bridge opened in {year}.",
            "claim": f"The bridge opened in {year + n % 2}.",
            "label": label,
        }
        if contradiction:
            row["contradiction"] = not label and n % 4 != 0
        rows.append(json.dumps(row))
    return "\n".join(rows).encode()


def choose(page, content, name="own.jsonl"):
    file = {"name": name, "mimeType": "", "buffer": content}
    page.set_input_files(".file-button input", [file])


def calibrate(page):
    page.get_by_role("button", name="Calibrate", exact=True).click()
    page.get_by_role("button", name="Save calibration.json").wait_for()


def test_a_calibration_is_fitted_shown_and_saved(watched):
    page = watched.open("quality")
    choose(page, gzip.compress(labelled(60, contradiction=True)), "own.jsonl.gz")
    calibrate(page)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Save calibration.json").click()
    assert downloading.value.suggested_filename == "calibration.json"
    content = json.loads(downloading.value.path().read_text(encoding="utf-8"))
    assert (content["format"], content["examples"]) == (1, 60)
    before, after = content["figures"]["support"]["ece"]
    assert after < before
    section = page.locator(".calibrate")
    text = section.inner_text()
    assert f"{before:.3f} → {after:.3f}" in text
    assert "60 examples are few" in text
    assert "This server goes on as it is" in text
    assert "toulmin serve --calibration calibration.json" in text
    assert section.locator(".plot svg").count() == 4  # support and contradiction, before and after
    counts = section.locator(".plot").nth(1).locator("tbody td:last-child")
    assert sum(int(one) for one in counts.all_text_contents()) == 60


def test_the_running_server_scores_as_before(watched):
    page = watched.open("quality")
    ask = """async () => {
      const wire = await import("/console/wire.js");
      const said = await wire.post(`v1/${wire.names.grounding()}:check`, {
        answerCandidate: "The bridge opened in 1998.", facts: [{ factText: "It may have opened in 1998." }],
      });
      return said.supportScore;
    }"""
    before = page.evaluate(ask)
    choose(page, labelled(60))
    calibrate(page)
    assert page.evaluate(ask) == before


def test_too_few_examples_are_said_before_anything_is_sent(watched):
    page = watched.open("quality")
    choose(page, labelled(9))
    page.get_by_text("There are 9 examples; at least 50 are needed.").wait_for()
    assert page.get_by_role("button", name="Calibrate", exact=True).count() == 0


def test_a_wrong_contradiction_is_named(watched):
    page = watched.open("quality")
    choose(page, b'{"premise": "a", "claim": "b", "label": 1, "contradiction": true}')
    assert "Line 1: contradiction is true and label is 1" in page.get_by_role("alert").inner_text()


def test_it_is_for_admins(watch):
    watched = watch(os.environ["CONSOLE_KEYED_URL"])
    page = sign_in(watched, os.environ["CONSOLE_VIEWER"], "quality")
    page.locator("h1").wait_for()
    choose(page, labelled(60))
    page.get_by_text("for keys with the role admin").wait_for()
    assert page.get_by_role("button", name="Calibrate", exact=True).count() == 0
    assert page.get_by_role("button", name="Evaluate").count() == 1
    page.get_by_role("button", name="Sign out").click()
    sign_in(watched, os.environ["CONSOLE_ADMIN"], "quality")
    page.locator("h1").wait_for()
    choose(page, labelled(60))
    calibrate(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_in_a_fit(watch, width, scheme):
    watched = watch(color_scheme=scheme)
    watched.page.set_viewport_size({"width": width, "height": 860})
    page = watched.open("quality")
    choose(page, labelled(60, contradiction=True))
    calibrate(page)
    assert watched.axe() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if shots := os.environ.get("CONSOLE_SHOTS"):
        page.screenshot(path=f"{shots}/calibrate-{scheme}-{width}.png", full_page=True)
