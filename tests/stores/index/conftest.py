import pytest

from tests.stores.index.chunks import DIMENSIONS
from toulmin.stores.index.embedded import EmbeddedIndex


@pytest.fixture
def open_index(tmp_path):
    """Opens indexes and closes them at the end."""
    opened = []

    def open_one(folder=tmp_path / "index", lineage="a"):
        opened.append(EmbeddedIndex(folder, lineage=lineage, dimensions=DIMENSIONS))
        return opened[-1]

    yield open_one
    for index in opened:
        index.close()
