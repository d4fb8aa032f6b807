"""Resource names."""

from __future__ import annotations

import pytest

from toulmin.apis.aip.names import ResourcePattern, parse_name
from toulmin.errors import InvalidArgument

CONFIG = "projects/{project}/locations/{location}/groundingConfigs/{grounding_config}"
LOCATION = "projects/{project}/locations/{location}"


def test_a_name_is_taken_apart_and_put_together():
    name = parse_name("projects/p/locations/global/groundingConfigs/c:d", CONFIG, field="name")
    assert name.ids == {"project": "p", "location": "global", "grounding_config": "c:d"}
    assert name["location"] == "global"
    assert name.pattern.text == CONFIG
    assert str(name) == "projects/p/locations/global/groundingConfigs/c:d"


def test_the_first_pattern_that_matches_counts():
    name = parse_name("projects/p/locations/l", [CONFIG, LOCATION], field="name")
    assert name.pattern.text == LOCATION


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "projects/p",
        "projects//locations/l/groundingConfigs/c",
        "projects/p/locations/l/groundingConfigs/",
        "projects/p/locations/l/groundingconfigs/c",
        "projects/p/locations/l/groundingConfigs/c/d",
        "/projects/p/locations/l/groundingConfigs/c",
        "projects/p/locations/l/groundingConfigs/c\n",
    ],
)
def test_a_wrong_name_names_field_value_and_pattern(name):
    with pytest.raises(InvalidArgument) as caught:
        parse_name(name, CONFIG, field="grounding_config")
    assert caught.value.message == f'grounding_config: "{name}" must have the form {CONFIG}'
    assert caught.value.violations[0].field == "grounding_config"


def test_a_long_wrong_name_is_cut_off():
    with pytest.raises(InvalidArgument) as caught:
        parse_name("x" * 100_000, CONFIG, field="name")
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("text", ["", "a//b", "projects/{p", "a/{B}", "a/x{b}", "{a}/{a}"])
def test_a_pattern_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match=r"segment|twice"):
        ResourcePattern.of(text)


@pytest.mark.parametrize(
    "ids",
    [
        {},
        {"project": "p"},
        {"project": "p", "location": "l", "x": "y"},
        {"project": "p", "location": ""},
        {"project": "p", "location": "a/b"},
        {"project": "p\0", "location": "a"},
    ],
)
def test_ids_that_make_no_name_are_refused(ids):
    with pytest.raises(ValueError, match=r"takes|cannot be"):
        ResourcePattern.of(LOCATION).format(**ids)
