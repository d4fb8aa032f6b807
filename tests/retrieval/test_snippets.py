"""Snippets: what is marked, where they are cut, that they are HTML, in any script."""

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toulmin.retrieval.snippets import snippet

PARAGRAPH = (
    "The harbour opened in 1890. Ships from many countries landed there. "
    "In 1973 the oil crisis stopped the building of the second pier, and no ship came for a year. "
    "Today tourists visit the harbour. They eat fish."
)


def plain(text):
    return html.unescape(re.sub(r"</?b>", "", text))


def marked(text):
    return [html.unescape(word) for word in re.findall(r"<b>(.*?)</b>", text)]


def test_the_passage_with_most_of_the_words_is_shown_with_them_marked():
    found = snippet(PARAGRAPH, "when did the oil crisis stop building", length=100)
    assert found.found
    assert found.text == (
        "In 1973 the <b>oil</b> <b>crisis</b> <b>stopped</b> the <b>building</b> of the second"
        " pier, and no ship came for a year."
    )


def test_words_match_by_stem_and_without_accents_or_case():
    assert marked(snippet("Three CAFÉS were opening.", "cafe open").text) == ["CAFÉS", "opening"]
    # The same letters in other code points, which moves the offsets.
    decomposed = "The oﬃces and a Cafe\u0301 open."
    assert marked(snippet(decomposed, "café office").text) == ["oﬃces", "Cafe\u0301"]


def test_function_words_are_marked_only_if_the_query_has_no_others():
    assert marked(snippet("To be or not to be.", "to be or not to be").text) != []
    assert marked(snippet("What is the harbour?", "what is the harbour").text) == ["harbour"]


def test_rare_words_count_for_more():
    text = "Pumps are good. " * 30 + "The pumps need valves. " + "Pumps are good. " * 30
    assert "valves" in marked(snippet(text, "pump valves", length=60).text)
    assert marked(snippet(text, "pump seals", length=60).text) == ["Pumps"] * 4


def test_without_a_match_it_is_the_beginning():
    found = snippet(PARAGRAPH, "quantum", length=40)
    assert not found.found
    assert found.text == "The harbour opened in 1890."
    assert snippet("  \n", "quantum").text == ""
    assert snippet("", "").text == ""


def test_it_breaks_off_at_words_and_says_so():
    text = "word " * 50 + "needle " + "word " * 50
    found = snippet(text, "needle", length=60).text
    assert found.startswith("... word ")
    assert found.endswith(" word ...")
    assert " <b>needle</b> " in found


def test_what_is_in_the_text_is_no_markup():
    found = snippet("<script>alert('x')</script> & <b>bold</b>", "bold script").text
    assert found == (
        "&lt;<b>script</b>&gt;alert('x')&lt;/<b>script</b>&gt; &amp; &lt;b&gt;<b>bold</b>&lt;/b&gt;"
    )


def test_letters_without_spaces_match_by_pairs():
    text = "これは前書きです。" * 20 + "東京都は日本の首都です。" + "これは後書きです。" * 20
    found = snippet(text, "日本の首都", length=40)
    assert found.found
    assert marked(found.text) == ["日本の首都"]
    assert found.text.startswith("東京都は")
    assert plain(found.text).removesuffix(" ...") in text


def test_lines_become_one():
    assert snippet("red,\n  apples", "apples").text == "red, <b>apples</b>"


def test_a_length_that_shows_nothing_is_refused():
    with pytest.raises(ValueError, match="19"):
        snippet("text", "text", length=19)


@given(
    st.text(st.sampled_from("ab é\u0301ﬁ.東京\u0e33\u0e48क्षि\n<&İ½👩\u200d") | st.characters()),
    st.text(st.sampled_from("ab éfi東京क्ष")),
    st.integers(20, 80),
)
@example("a" * 300 + "東京" * 100, "京東", 20)
def test_it_is_always_a_part_of_the_text(text, query, length):
    found = snippet(text, query, length=length).text
    bare = re.sub(r"^\.\.\. | \.\.\.$", "", plain(found))
    assert bare.strip() in " ".join(text.split()) or bare in re.sub(r"\s+", " ", text)
    # A word longer than the snippet is shown whole where it is what matched.
    assert len(bare) <= max(length, *map(len, marked(found)), 0)
    assert bool(marked(found)) == snippet(text, query, length=length).found


def test_the_fences_of_code_are_left_out():
    text = "Back up:\n\n```\nvault copy /backups/ # while it runs\n```\n\nIt takes a minute."
    found = snippet(text, "copy")
    assert "`" not in found.text
    assert "vault <b>copy</b> /backups/ # while it runs" in found.text
