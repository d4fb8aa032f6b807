"""Languages: told by script or by function words."""

from toulmin.text.languages import find_language, is_elsewhere


def test_a_text_without_known_words_takes_the_fallback():
    assert find_language("Xyzzy plugh", fallback="it") == "it"


def test_a_text_is_elsewhere_only_where_both_languages_are_told():
    assert is_elsewhere("¿Cuándo abre el museo?", "The museum opens at nine.")
    assert not is_elsewhere("When does the museum open?", "The museum opens at nine.")
    assert not is_elsewhere("wifi password", "El wifi de la sala es gratis.")
    assert not is_elsewhere("¿Cuándo abre el museo?", "Kestrel 300: 890")
    assert not is_elsewhere("¿Cuándo abre el museo?", "  ")
