"""Languages: told by script or by function words."""

from toulmin.text.languages import find_language


def test_a_text_without_known_words_takes_the_fallback():
    assert find_language("Xyzzy plugh", fallback="it") == "it"
