"""What is given by mistake, or vanishes meanwhile: the pages say it in words and go on."""

import json
import os
import urllib.request

import pytest

from tests.console.browser.test_documents import upload
from tests.console.browser.waiting import until

pytestmark = pytest.mark.browser
STORES = "projects/default/locations/global/collections/default_collection/dataStores"


def call(method, path, body=None):
    request = urllib.request.Request(
        f"{os.environ['CONSOLE_URL']}/v1/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def make_store(name):
    call(
        "POST",
        f"{STORES}?dataStoreId={name}",
        {
            "displayName": name,
            "industryVertical": "GENERIC",
            "solutionTypes": ["SOLUTION_TYPE_SEARCH"],
            "contentConfig": "CONTENT_REQUIRED",
        },
    )


def drop_store(page, name):
    """Delete it as another tab would, and wait until it is gone."""
    operation = call("DELETE", f"{STORES}/{name}")
    while not operation.get("done"):
        page.wait_for_timeout(100)
        operation = call("GET", operation["name"])


def paste(page, place, text):
    page.locator(place).focus()
    page.evaluate("text => document.execCommand('insertText', false, text)", text)


def pick(page, name, content):
    file = {"name": name, "mimeType": "", "buffer": content}
    page.set_input_files(".file-button input", [file])


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_not_asked(watched, question):
    page = watched.open("ask")
    page.fill("#question", question)
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Ask", exact=True).is_disabled()
    assert page.locator("article.turn").count() == 0


def test_a_pasted_text_is_not_cut_to_a_question(watched):
    page = watched.open("ask")
    paste(page, "#question", "What is this? " * 1000)
    assert page.locator("#question").evaluate("e => e.value.length") == 14_000
    notice = page.locator(".composer [role=alert]")
    assert "13,999 characters; a question may have 10,000" in notice.inner_text()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Ask", exact=True).is_disabled()
    assert page.locator("article.turn").count() == 0
    assert watched.axe() == []
    page.fill("#question", "When was the Eiffel Tower opened?")
    notice.wait_for(state="detached")


def test_the_answer_to_a_long_question_is_near_it(watched):
    page = watched.open("ask")
    page.fill("#question", "When was the Eiffel Tower opened? " * 60)
    page.keyboard.press("Enter")
    page.locator(".turn .steps, .turn .notice").first.wait_for()
    assert page.locator(".question").bounding_box()["height"] < 250
    assert watched.axe() == []


def test_a_question_that_failed_is_asked_again_in_its_place(watched):
    page = watched.open("ask")
    page.route("**/*:streamAnswer*", lambda route: route.abort())
    page.fill("#question", "When was the Eiffel Tower opened?")
    page.keyboard.press("Enter")
    again = page.get_by_role("button", name="Try again")
    again.wait_for()
    page.unroute("**/*:streamAnswer*")
    again.click()
    page.locator(".turn .answer-text").wait_for()
    assert page.locator("article.turn").count() == 1
    assert "1889" in page.locator(".turn .answer-text").inner_text()


def test_a_store_deleted_meanwhile_is_said_and_the_question_is_kept(watched):
    make_store("vanishing")
    page = watched.open("ask")
    page.get_by_label("Data store").select_option("vanishing")
    drop_store(page, "vanishing")
    page.fill("#question", "When was the Eiffel Tower opened?")
    page.keyboard.press("Enter")
    notice = page.locator(".notice", has_text='The data store "vanishing" is no longer there')
    notice.wait_for()
    assert page.get_by_label("Data store").input_value() == "sample"
    assert page.locator("#question").input_value() == "When was the Eiffel Tower opened?"
    page.keyboard.press("Enter")
    page.locator(".turn .answer-text").wait_for()


def test_files_for_a_store_deleted_meanwhile_lead_to_those_that_there_are(watched):
    make_store("vanishing")
    page = watched.open("documents")
    page.get_by_label("Data store").select_option("vanishing")
    page.locator(".drop.large").wait_for()
    drop_store(page, "vanishing")
    upload(page, ("late.txt", "text/plain", b"Too late."))
    page.locator(".notice", has_text='"vanishing" is no longer there').wait_for()
    until(page, "document.querySelector('.page-head select').value === 'sample'")
    page.locator("td .link").first.wait_for()


def test_deleting_what_another_tab_deleted_is_no_failure(watched):
    page = watched.open("documents")
    upload(page, ("twice.txt", "text/plain", b"It is deleted twice."))
    row = page.locator("tr", has=page.locator("small", has_text="twice.txt"))
    row.wait_for()
    name = next(
        one["name"]
        for one in call("GET", f"{STORES}/sample/branches/0/documents?pageSize=100")["documents"]
        if "twice" in one["id"]
    )
    call("DELETE", name)
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")
    assert page.get_by_role("alert").count() == 0


def test_an_empty_file_is_called_empty(watched):
    page = watched.open("documents")
    upload(page, ("empty.txt", "text/plain", b""))
    page.locator(".upload.failed").wait_for()
    assert page.locator(".upload.failed .reason").inner_text() == "is empty"


def test_what_is_read_while_one_is_elsewhere_stands_in_the_list(watched):
    page = watched.open("documents")
    upload(page, ("meanwhile.txt", "text/plain", b"It was read meanwhile."))
    page.locator("nav a", has_text="Check").click()
    page.locator("#candidate").wait_for()
    page.locator("nav a", has_text="Documents").click()
    row = page.locator("tr", has=page.locator("small", has_text="meanwhile.txt"))
    row.wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete").click()
    row.wait_for(state="detached")


def test_a_check_that_is_stopped_does_not_begin_again(watched):
    page = watched.open("check")
    page.route("**/*:check*", lambda _: None)  # it is never answered
    page.fill("#candidate", "The Elbe Bridge opened in 1973.")
    page.fill("#fact-0", "The Elbe Bridge opened on 4 May 1998.")
    page.get_by_role("button", name="Check", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").wait_for()
    page.keyboard.press("Enter")  # the focus stays where it was
    page.get_by_role("button", name="Check", exact=True).wait_for()
    page.wait_for_timeout(300)
    assert page.get_by_role("button", name="Stop").count() == 0
    assert len([one for one in watched.requests if one.endswith(":check")]) == 1


@pytest.mark.parametrize("content", [b"null", b"[]", b'{"claims": [{"claimText": 5}]}', b"%PDF"])
def test_a_file_that_is_no_report_is_refused_in_words(watched, content):
    page = watched.open("check")
    pick(page, "report.json", content)
    said = page.get_by_role("alert").inner_text()
    assert said.startswith("INVALID_ARGUMENT This file ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"null\n", "Line 1: must be an object"),
        (b"[1, 2]\n", "Line 1: must be an object"),
        (b"", "The file has no examples"),
        (b"%PDF-1.7\n", "Line 1: no JSON"),
    ],
)
def test_a_file_that_has_no_examples_is_refused_in_words(watched, content, said):
    page = watched.open("quality")
    pick(page, "examples.jsonl", content)
    assert said in page.get_by_role("alert").inner_text()


def test_a_file_that_was_mended_is_picked_again(watched, tmp_path):
    page = watched.open("quality")
    file = tmp_path / "examples.jsonl"
    file.write_text('{"premise": "a", "claim": "b", "label": 7}')
    page.set_input_files(".file-button input", str(file))
    page.get_by_role("alert").wait_for()
    file.write_text('{"premise": "a", "claim": "b", "label": 1}')
    page.set_input_files(".file-button input", str(file))
    page.get_by_text("examples.jsonl: 1 example").wait_for()
    assert page.get_by_role("alert").count() == 0
    assert page.locator(".file-button input").input_value() == ""


def test_a_document_is_opened_read_and_closed_by_keyboard(watched):
    page = watched.open("documents")
    link = page.locator("td .link").first
    link.focus()
    page.keyboard.press("Enter")
    page.locator(".chunk-text").first.wait_for()
    until(page, "document.activeElement.classList.contains('pages')")
    page.keyboard.press("Escape")
    page.locator("aside.evidence").wait_for(state="detached")
    assert link.evaluate("e => e === document.activeElement")


def test_whoever_is_asked_for_a_key_may_type_at_once(watch):
    page = watch(os.environ["CONSOLE_KEYED_URL"]).page
    page.goto("/#/ask")
    page.get_by_label("API key").wait_for()
    page.keyboard.type(os.environ["CONSOLE_VIEWER"])
    page.keyboard.press("Enter")
    page.locator("#question").wait_for()
