"""The commands of docs/access.md do what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
_BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)


def script_of(page, url):
    """Return the page's commands as one script, and what its comments say they print."""
    script = "".join(_BLOCK.findall(page)).replace("http://127.0.0.1:8080", url)
    return script, re.findall(r"# (\d{3})$", script, re.MULTILINE)


def test_the_commands_of_the_page_do_what_it_says(keyed_server, tmp_path):
    server, data_dir = keyed_server
    script, wanted = script_of(PAGE.read_text(encoding="utf-8"), server.url)
    shim = tmp_path / "bin" / "toulmin"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m toulmin "$@" --data-dir {data_dir}\n')
    shim.chmod(0o755)
    environment = os.environ | {"PATH": f"{shim.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^\d{3}$", done.stdout, re.MULTILINE) == wanted
    assert len(wanted) > 4
