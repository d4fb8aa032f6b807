import pytest

from toulmin.apis.generativelanguage.names import check_new_id, made_id
from toulmin.errors import InvalidArgument


@pytest.mark.parametrize("id_", ["a", "0", "a-b", "a--b", "a" * 40])
def test_ids(id_):
    check_new_id(id_, field="name")


@pytest.mark.parametrize("id_", ["", "-", "a-", "-a", "A", "a_b", "é", "\u0661", "a" * 41, "a\n"])
def test_what_no_id_can_be(id_):
    with pytest.raises(InvalidArgument, match="name"):
        check_new_id(id_, field="name")


@pytest.mark.parametrize("name", ["", "Notes", "x" * 512, "a" * 26 + "-b", "  --  ", "日本語", "é"])
def test_a_made_id_is_one(name):
    made = made_id(name)
    check_new_id(made, field="name")
    assert made != made_id(name)
