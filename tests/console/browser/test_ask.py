import pytest

pytestmark = pytest.mark.browser


def ask(page, question):
    before = page.locator("article.turn").count()
    page.fill("#question", question)
    page.keyboard.press("Enter")
    turn = page.locator("article.turn").nth(before)
    turn.locator(".steps, .notice").first.wait_for()
    return turn


def test_an_answer_has_its_evidence_beside_it(watched):
    page = watched.open("ask")
    turn = ask(page, "When was the Eiffel Tower opened?")
    assert "1889" in turn.locator(".answer-text").inner_text()
    assert 0 < float(turn.locator(".claim .score").first.inner_text()) <= 1
    turn.locator(".claim-text").first.hover()
    evidence = page.locator("aside.evidence")
    evidence.locator("mark").first.wait_for()
    assert "1889" in evidence.locator("mark").first.inner_text()
    assert "supported" in evidence.locator(".verdict").inner_text()


def test_a_citation_is_reached_by_keyboard(watched):
    page = watched.open("ask")
    ask(page, "What does a reader's card cost?")
    page.locator(".claim-text").first.focus()
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("Source 1: ")
    assert page.locator("aside.evidence mark").first.inner_text().startswith("A reader's card")


def test_the_document_opens_at_the_place(watched):
    page = watched.open("ask")
    ask(page, "When was the Eiffel Tower opened?")
    page.get_by_role("button", name="Open the document here").first.click()
    current = page.locator(".chunk[aria-current] mark").first
    current.wait_for()
    assert "1889" in current.inner_text()
    box = page.locator(".document .pages").bounding_box()
    mark = current.bounding_box()
    assert box["y"] <= mark["y"] <= box["y"] + box["height"]


def test_a_question_that_is_not_answered_says_why(watched):
    page = watched.open("ask")
    turn = ask(page, "What is the telephone number of the mayor of Reykjavik?")
    assert "Not answered" in turn.locator(".declined").inner_text()
    assert turn.locator(".declined p").first.inner_text().rstrip().endswith(".")


def test_a_follow_up_is_kept_with_its_conversation(watched):
    page = watched.open("ask")
    ask(page, "What does a reader's card cost?")
    ask(page, "And what do children pay?")
    page.get_by_role("button", name="New conversation").click()
    page.locator(".fresh").wait_for()
    page.locator("summary", has_text="Earlier conversations").click()
    page.locator(".menu-body .link", has_text="What does a reader's card cost?").first.click()
    page.locator("article.turn").nth(1).wait_for()
    questions = page.locator("article.turn .question").all_inner_texts()
    assert questions == ["What does a reader's card cost?", "And what do children pay?"]


def test_the_steps_show_what_was_found(watched):
    page = watched.open("ask")
    turn = ask(page, "When was the Eiffel Tower opened?")
    turn.locator(".steps summary").click()
    assert "The Eiffel Tower" in turn.locator(".found").first.inner_text()


def test_japanese_is_marked_as_japanese_and_its_words_are_found(watched):
    page = watched.open("ask")
    turn = ask(page, "富士山の高さは何メートルですか。")
    assert turn.locator(".question").get_attribute("lang") == "ja"
    if turn.locator(".answer-text").count():
        page.locator("aside.evidence mark").first.wait_for()


def test_a_right_to_left_question_runs_from_the_right(watched):
    page = watched.open("ask")
    turn = ask(page, "מתי נפתח מגדל אייפל?")
    question = turn.locator(".question")
    assert question.get_attribute("lang") == "he"
    assert question.evaluate("e => e.matches(':dir(rtl)')")


def test_on_a_narrow_screen_evidence_comes_when_it_is_asked_for(watch):
    watched = watch()
    watched.page.set_viewport_size({"width": 390, "height": 800})
    page = watched.open("ask")
    turn = ask(page, "When was the Eiffel Tower opened?")
    assert not page.locator("aside.evidence").is_visible()
    turn.locator("button.cite").first.click()
    page.locator("aside.evidence mark").first.wait_for()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    page.locator(".sheet-close").click()
    assert not page.locator("aside.evidence").is_visible()
