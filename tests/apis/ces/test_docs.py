"""What docs/conversations.md shows is what comes out."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/conversations.md"


@pytest.mark.client
@pytest.mark.model
def test_the_pages_program_prints_what_the_page_says(backend):
    text = PAGE.read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    printed = re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program.replace("127.0.0.1:8080", f"127.0.0.1:{backend.server.port}"), {})
    assert output.getvalue() == printed
