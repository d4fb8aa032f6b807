"""How many heaps the C library keeps: a setting of this machine's memory, not of what is computed.

glibc gives threads heaps of their own, up to eight for each core. What a model run gives back to
one of them serves no thread of another, so that with dozens of threads a server grows to several
times what it uses: 64 clients left as much unused in them as was in use.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping

_M_ARENA_MAX = -8
_HEAPS = 2


def keep_few_heaps(environment: Mapping[str, str] = os.environ) -> bool:
    """Let all threads share two heaps; return whether that was done.

    To be called before threads are started. Whoever set it in the environment knows better; other
    C libraries than glibc have no such heaps.
    """
    if sys.platform != "linux" or {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES"} & environment.keys():
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return False
    return bool(mallopt(_M_ARENA_MAX, _HEAPS))
