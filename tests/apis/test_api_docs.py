"""docs/api.md lists every RPC with its state."""

from __future__ import annotations

import re

import pytest

from tests.apis.schema.test_contract import ROOT, load_tool
from toulmin.apis.aip.registry import Registry


@pytest.fixture(scope="module")
def tool():
    return load_tool("generate_api_docs")


def rows(page):
    return [line for line in page.splitlines() if line.startswith("| ") and "HTTP" not in line]


def test_without_handlers_every_rpc_is_listed_as_unimplemented(tool, schema):
    page = tool.generate(Registry(schema))
    states = [row.rsplit("|", 2)[1].strip() for row in rows(page) if row.count("|") == 5]
    methods = {(rpc.api, rpc.service_name, rpc.method) for rpc in schema.rpcs.values()}
    table_rows = [state for state in states if not re.fullmatch(r"\d+|built", state)]
    assert len(table_rows) == len(methods)
    assert set(table_rows) == {"UNIMPLEMENTED"}
    assert page.endswith("|\n")


def test_a_handler_shows_in_its_versions_only(tool, schema):
    registry = Registry(schema)
    registry.register(
        "discoveryengine",
        "GroundedGenerationService",
        "CheckGrounding",
        lambda request, context: request,
        versions=["v1", "v1beta"],
    )
    page = tool.generate(registry)
    row = next(row for row in rows(page) if row.startswith("| CheckGrounding "))
    assert row == (
        "| CheckGrounding | `POST /{v}/{grounding_config=projects/*/locations/*/groundingConfigs/*}"
        ":check` | v1, v1beta, v1alpha | built in v1, v1beta |"
    )
    assert "| discoveryengine | v1 | 119 | 1 |" in page
    assert "| discoveryengine | v1alpha | 151 | 0 |" in page


def test_the_page_is_up_to_date(tool):
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert page == tool.generate(tool.shipped_registry()), f"run `{tool.COMMAND}`"
