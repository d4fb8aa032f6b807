import pytest

from toulmin.apis.discoveryengine.names import (
    ServingConfigName,
    canonical_name,
    check_id,
    chunk_name,
    document_name,
    parse_branch,
    parse_chunk,
    parse_collection,
    parse_control,
    parse_data_store,
    parse_document,
    parse_engine,
    parse_owner,
    parse_schema,
    parse_serving_config,
)
from toulmin.domain import Branch
from toulmin.errors import InvalidArgument, NotFound

SHORT = "projects/p/locations/eu"
LONG = f"{SHORT}/collections/default_collection"
BRANCH = Branch(f"{LONG}/dataStores/d", "0")


@pytest.mark.parametrize("above", [SHORT, LONG])
def test_names_with_and_without_the_collection_are_the_same(above):
    assert parse_collection(above) == LONG
    assert parse_data_store(f"{above}/dataStores/d", field="name") == f"{LONG}/dataStores/d"
    assert parse_engine(f"{above}/engines/e", field="name") == f"{LONG}/engines/e"
    assert parse_owner(f"{above}/engines/e", field="parent") == f"{LONG}/engines/e"
    assert parse_branch(f"{above}/dataStores/d/branches/0", field="parent") == BRANCH
    document = f"{above}/dataStores/d/branches/default_branch/documents/x.y"
    assert parse_document(document, field="name") == (BRANCH, "x.y")
    assert parse_chunk(f"{document}/chunks/c7", field="name") == (BRANCH, "x.y", "c7")
    assert parse_schema(f"{above}/dataStores/d/schemas/s", field="name") == (
        f"{LONG}/dataStores/d",
        "s",
    )
    assert parse_control(f"{above}/engines/e/controls/c", field="name") == (
        f"{LONG}/engines/e",
        "c",
    )
    config = parse_serving_config(f"{above}/engines/e/servingConfigs/s", field="name")
    assert config == ServingConfigName(f"{LONG}/engines/e", "engines", "s")
    assert config.name == f"{LONG}/engines/e/servingConfigs/s"
    config = parse_serving_config(f"{above}/dataStores/d/servingConfigs/s", field="name")
    assert config.parent_kind == "dataStores"


def test_another_collection_stays():
    name = f"{SHORT}/collections/c/dataStores/d"
    assert parse_data_store(name, field="name") == name


def test_names_are_put_together_as_they_are_taken_apart():
    name = chunk_name(BRANCH, "x", "c1")
    assert name.startswith(document_name(BRANCH, "x"))
    assert parse_chunk(name, field="name") == (BRANCH, "x", "c1")


def test_there_is_no_other_branch():
    with pytest.raises(NotFound, match="branches/1 does not exist"):
        parse_branch(f"{LONG}/dataStores/d/branches/1", field="parent")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "d",
        SHORT,
        f"{LONG}/engines/e",
        f"{LONG}/dataStores/",
        f"{LONG}/dataStores/d/x",
        "é" * 1025,
    ],
)
def test_a_wrong_name_is_refused_with_its_field(name):
    with pytest.raises(InvalidArgument) as caught:
        parse_data_store(name, field="parent")
    assert caught.value.violations[0].field == "parent"


@pytest.mark.parametrize("id_", ["a", "0", "a_b-c", "x" * 63])
def test_right_ids(id_):
    assert check_id(id_, field="data_store_id") == id_


@pytest.mark.parametrize("id_", ["", "-a", "_a", "A", "a b", "a/b", "a\n", "é", "x" * 64])
def test_wrong_ids(id_):
    with pytest.raises(InvalidArgument, match="1 to 63 characters"):
        check_id(id_, field="data_store_id")


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        (
            f"{SHORT}/dataStores/d/branches/default_branch/operations/o",
            f"{BRANCH.name}/operations/o",
        ),
        (f"{SHORT}/operations/o", f"{LONG}/operations/o"),
        (SHORT, LONG),
        (f"{LONG}/operations/o", f"{LONG}/operations/o"),
        ("batches/b", "batches/b"),
        ("", ""),
    ],
)
def test_canonical_names(name, canonical):
    assert canonical_name(name) == canonical
