import pytest

from toulmin.apis.aip.paging import page_size
from toulmin.errors import InvalidArgument


@pytest.fixture
def request_of(message_class):
    return message_class("discoveryengine.v1.ListDataStoresRequest")


@pytest.mark.parametrize(("asked", "given"), [(0, 10), (1, 1), (50, 50), (51, 50), (2**31 - 1, 50)])
def test_sizes(request_of, asked, given):
    assert page_size(request_of(page_size=asked), default=10, maximum=50) == given


def test_a_negative_size_is_refused(request_of):
    with pytest.raises(InvalidArgument, match="page_size: -1 is negative; give 1 to 50"):
        page_size(request_of(page_size=-1), default=10, maximum=50)
