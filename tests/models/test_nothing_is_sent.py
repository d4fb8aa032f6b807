"""Libraries that would tell their makers what is run with them are kept from it."""

import os
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

_CHECK = """\
import toulmin
print(toulmin.check_grounding("It opened in 1998.", ["It opened in 1998."]).support_score)
"""


@pytest.mark.model
@pytest.mark.slow
def test_a_check_leaves_nothing_in_the_home_and_in_the_temporary_folder(tmp_path):
    """ONNX Runtime keeps there what it is going to upload, and the id that it made."""
    places = {name: str(tmp_path / name) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    for name in places:
        (tmp_path / name).mkdir()
    given = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", _CHECK],
        env=given | places,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert float(done.stdout) > 0.5
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
