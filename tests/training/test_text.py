"""Sentences, chunks and the evidence that is cut from long texts."""

from data.text import best_evidence, chunks, clean, content_words, overlap, sentences

TEXT = (
    "The museum opened in May. It has a garden. Dr. Weber paid for the roof. "
    "The roof burned in 1990. Visitors like the cafe."
)


def test_sentences_end_at_stops_and_line_ends_but_not_after_titles():
    assert sentences(TEXT)[2] == "Dr. Weber paid for the roof."
    assert len(sentences(TEXT)) == 5
    assert sentences("First line\nSecond line") == ["First line", "Second line"]
    assert sentences("He said “Go.” Then he left.") == ["He said “Go.”", "Then he left."]
    assert sentences("雪が降る。寒い。") == ["雪が降る。", "寒い。"]
    assert sentences("  ") == []


def test_sentences_lose_no_text():
    assert " ".join(sentences(TEXT)) == TEXT


def test_chunks_are_runs_of_whole_sentences():
    parts = chunks(TEXT, 10)
    assert " ".join(parts) == TEXT
    assert len(parts) == 3
    assert all(len(part.split()) <= 11 for part in parts)
    assert chunks(TEXT, 1) == sentences(TEXT)
    assert chunks("", 10) == []


def test_overlap_weighs_rare_words_more():
    shares = overlap("the red boat sank", ["the red car", "the boat came", "a red and a red", ""])
    assert shares[1] > shares[0] == shares[2] > 0.0 == shares[3]
    assert overlap("red boat", ["a red boat"]) == [1.0]


def test_best_evidence_keeps_text_order_and_marks_what_was_left_out():
    apart = best_evidence("The cafe of the museum opened.", TEXT, 1, 2)
    assert apart == "The museum opened in May. | Visitors like the cafe."
    beside = best_evidence("Weber's roof burned.", TEXT, 1, 2)
    assert beside == "Dr. Weber paid for the roof. The roof burned in 1990."


def test_best_evidence_of_a_short_text_is_the_text():
    assert best_evidence("Nothing of it.", TEXT, 200, 1) == TEXT
    assert best_evidence("Nothing of it.", TEXT, 1, 5) == TEXT


def test_clean_undoes_treebank_spacing_and_marks():
    assert clean("He did n't , `` say '' it [1] https://a.b . -LRB- Well -RRB-") == (
        'He didn\'t, " say " it. (Well)'
    )


def test_content_words_leave_function_words_out():
    assert content_words("The lake of Merin is Deep") == ["lake", "merin", "deep"]
    assert content_words("雪が降る") != []
