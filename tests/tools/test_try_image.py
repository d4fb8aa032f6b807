"""What tools/try_image.py reads out of deploy/."""

from tools.try_image import ROOT, context, instructions


def test_lines_of_an_instruction_are_joined_and_comments_left_out():
    text = "# first\nFROM a AS build\nRUN one \\\n    && two\n\n# between\nCOPY . .\n"
    assert instructions(text) == [("FROM", "a AS build"), ("RUN", "one  && two"), ("COPY", ". .")]


def test_the_context_is_what_the_builder_is_sent():
    names = set(context())
    assert {"pyproject.toml", "src/toulmin/__init__.py", "requirements/container.txt"} <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/images/", "deploy/"))]
    assert all((ROOT / name).exists() for name in names)
