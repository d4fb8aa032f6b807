import pytest

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.errors import InvalidArgument


@pytest.fixture
def engine_class(message_class):
    return message_class("discoveryengine.v1.Engine")


@pytest.fixture
def document_class(message_class):
    return message_class("discoveryengine.v1.Document")


@pytest.fixture
def mask_of(schema):
    return lambda *paths: schema.message_class("google.protobuf.FieldMask")(paths=paths)


def test_paths_in_either_spelling_once_each(mask_of, engine_class):
    mask = mask_of("displayName", "display_name", "searchEngineConfig.searchTier", "name")
    paths = masked_paths(mask, engine_class.DESCRIPTOR)
    assert paths == ("display_name", "name", "search_engine_config.search_tier")


def test_no_mask_and_all(mask_of, engine_class):
    assert masked_paths(mask_of(), engine_class.DESCRIPTOR) is None
    assert masked_paths(mask_of("name", "*"), engine_class.DESCRIPTOR) == ("*",)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "colour",
        "display_name.x",
        "data_store_ids.0",
        "search_engine_config.colour",
        "name.",
        ".",
    ],
)
def test_an_unknown_path_is_refused_by_name(mask_of, engine_class, path):
    with pytest.raises(InvalidArgument) as caught:
        masked_paths(mask_of(path), engine_class.DESCRIPTOR)
    assert caught.value.violations[0].field == "update_mask"
    assert f'"{path}"' in caught.value.message


def test_paths_go_into_struct_data_under_any_name(mask_of, document_class):
    mask = mask_of("structData.anyName.at_all")
    paths = masked_paths(mask, document_class.DESCRIPTOR)
    assert paths == ("struct_data.anyName.at_all",)


def test_named_fields_are_replaced_as_a_whole_or_cleared(engine_class):
    old = engine_class(name="n", display_name="old", data_store_ids=["a", "b"])
    old.search_engine_config.search_tier = 1
    new = engine_class(data_store_ids=["c"])
    merged = merge(old, new, ("data_store_ids", "display_name", "search_engine_config"))
    assert list(merged.data_store_ids) == ["c"]
    assert (merged.name, merged.display_name) == ("n", "")
    assert not merged.HasField("search_engine_config")
    assert list(old.data_store_ids) == ["a", "b"]


def test_without_a_mask_what_is_set_counts(engine_class):
    old = engine_class(display_name="old", data_store_ids=["a"])
    merged = merge(old, engine_class(display_name="new"), None)
    assert (merged.display_name, list(merged.data_store_ids)) == ("new", ["a"])


def test_a_star_is_everything(engine_class):
    assert merge(engine_class(name="n"), engine_class(), ("*",)) == engine_class()


def test_a_nested_path_leaves_its_neighbours(engine_class):
    old, new = engine_class(), engine_class()
    old.search_engine_config.search_tier = 1
    old.search_engine_config.search_add_ons.append(1)
    new.search_engine_config.search_tier = 2
    merged = merge(old, new, ("search_engine_config.search_tier",))
    assert merged.search_engine_config.search_tier == 2
    assert list(merged.search_engine_config.search_add_ons) == [1]
    assert merge(engine_class(), engine_class(), ("search_engine_config.search_tier",)) == (
        engine_class()
    )


def test_paths_within_struct_data(document_class):
    old, new = document_class(), document_class()
    old.struct_data.update({"a": {"x": 1, "y": 2}, "b": 3, "c": 4})
    new.struct_data.update({"a": {"x": 10}, "b": 30, "d": {"e": 5}})
    paths = ("struct_data.a.x", "struct_data.a.y", "struct_data.c", "struct_data.d.e")
    merged = dict(merge(old, new, paths).struct_data)
    assert merged == {"a": {"x": 10.0}, "b": 3.0, "d": {"e": 5.0}}


@pytest.mark.parametrize("value", [5, "words", [{"x": 1}], None])
def test_a_path_into_what_is_no_object_clears_nothing_there(document_class, value):
    old, new = document_class(), document_class()
    old.struct_data.update({"a": value})
    new.struct_data.update({"a": value})
    assert merge(old, new, ("struct_data.a.x",)) == old
