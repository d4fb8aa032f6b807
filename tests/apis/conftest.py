"""The shipped contract, and the cases that are kept as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toulmin.apis.schema import load_schema

DATA = Path(__file__).parent / "data"


def cases(file_name: str):
    """Return the rows of a data file as pytest parameters, named by their `name`."""
    rows = json.loads((DATA / file_name).read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["name"]) for row in rows]


def violations(error):
    """Return the faults of an error as lists, as the data files have them."""
    return [[violation.field, violation.description] for violation in error.violations]


@pytest.fixture(scope="session")
def schema():
    return load_schema()


@pytest.fixture(scope="session")
def message_class(schema):
    """Return the class of a message by its name after "google." or "google.cloud."."""

    def find(short_name):
        prefix = "google.cloud." if short_name.startswith("discoveryengine.") else "google."
        return schema.message_class(prefix + short_name)

    return find
