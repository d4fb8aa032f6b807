import pytest

from toulmin.grounding.subjects import resolve_subject


@pytest.mark.parametrize(
    ("claim", "context", "expected"),
    [
        ("It opened in 1998.", "The Elbe Bridge was closed.", "The Elbe Bridge opened in 1998."),
        ("She won in 2004.", "Marta Oyelaran chairs the board.", "Marta Oyelaran won in 2004."),
        ("Its range is 40 km.", "Kestrel 4.2 ships today.", "Kestrel 4.2's range is 40 km."),
        ("They merged.", "Norvale and Pinecrest signed it.", "Norvale and Pinecrest merged."),
        ("He left in May.", "Otto Brandt worked in Kiel, from April.", "Otto Brandt left in May."),
        ("She sang.", "Ida Roth lived in Porto. In June it rained.", "Ida Roth sang."),
        (
            "It was made to last.",
            "The Elbe Bridge was closed.",
            "The Elbe Bridge was made to last.",
        ),
        (
            "Their price is 5 euros.",
            "Kestrel Maps are sold here.",
            "Kestrel Maps' price is 5 euros.",
        ),
    ],
)
def test_a_leading_pronoun_becomes_the_subject_of_the_context(claim, context, expected):
    assert resolve_subject(claim, context).text == expected


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("The film opened in 1998.", "Kestrel was released."),  # no pronoun
        ("It opened in 1998.", ""),
        ("It opened in 1998.", "Remote work is allowed."),  # no name
        ("It opened in 1998.", "In May, Tessaract bought Wayfold."),  # not the subject
        ("It opened in 1998.", "It was built by Kestrel."),  # a pronoun again
        ("It's raining.", "Kestrel was released."),
        ("Se estrenó en 1997.", "Kestrel fue dirigida por Ana."),
        ("It opened.", "The film was directed by Ana."),  # no name
        ("He died in 1934.", "Marie Curie married Pierre Curie in 1895."),  # another name
        ("She was born in Lyon.", "John Smith was the son of Anna Poe."),
        ("He left.", "Otto Brandt led it. Karl Meier followed."),
        ("He left.", "Tessaract hired Otto Brandt."),
        ("It rained all day.", "Kestrel was released."),  # nothing's "it"
        ("It is clear that nobody came.", "Kestrel was released."),
        ("It took two days.", "Kestrel was released."),
        ("It opened.", "Monday was the last day."),  # a day
    ],
)
def test_whatever_is_not_plain_is_left_to_the_context(claim, context):
    assert resolve_subject(claim, context) is None


def test_ranges_lead_back_to_the_claim_as_it_was():
    claim = "It opened in 1998."
    resolved = resolve_subject(claim, "The Elbe Bridge was closed.")
    at = resolved.text.index("1998")
    start, end = resolved.original(at, at + 4)
    assert claim[start:end] == "1998"
    start, end = resolved.original(0, 3)
    assert claim[start:end] == "It"
