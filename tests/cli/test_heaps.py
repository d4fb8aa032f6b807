import platform

import pytest

from toulmin.cli.heaps import keep_few_heaps


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no heaps")
def test_threads_share_heaps():
    assert keep_few_heaps({})


@pytest.mark.parametrize("name", ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_who_set_it_knows_better(name):
    assert not keep_few_heaps({name: "1"})
