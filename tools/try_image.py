"""Follow deploy/Dockerfile where there is no container engine, and use what comes of it.

    python tools/try_image.py [--python PREFIX] [--base FOLDER] [--bind PATH ...]

Needs root on Linux, and `mmdebstrap` unless FOLDER has a base already. In place of the base image
stands a minimal Debian with the Python of PREFIX in /usr/local. Each instruction is run there as
the builder would; what pip needs to reach its index (settings, certificates) is bound by --bind.
Then the image is served as docs/container.md says: as its user, without capabilities, on a
read-only root, without a network. It is looked at whether it refuses to start without a key, gets
healthy by its own health check, reads a document, writes nowhere else, and stops when told to.
Prints what it did; exits with 1 at the first thing that is not as it should be.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
SUITE = "bookworm"
# What python:slim installs beside Debian's smallest.
PACKAGES = (
    "ca-certificates,netbase,tzdata,libbz2-1.0,libexpat1,libffi8,libgdbm6,liblzma5,libncursesw6,"
    "libreadline8,libsqlite3-0,libssl3,libuuid1,zlib1g"
)
KEY = "a-key-for-trying-the-image"
HEALTHY_TIMEOUT_S = 900.0  # a busy machine loads the models
CLONE_NEWNS, CLONE_NEWNET = 0x20000, 0x40000000
_STORE = "v1/projects/default/locations/global/collections/default_collection/dataStores"


@dataclass
class Stage:
    """What one FROM begins.

    Attributes:
        root: Its file system.
        env: Of ENV, on top of the base image's.
        said: The last of each other instruction: USER, CMD and so on.
    """

    root: Path
    env: dict[str, str] = field(
        default_factory=lambda: {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    )
    said: dict[str, str] = field(default_factory=dict)

    def run(self, command: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a shell command in it, as the builder does."""
        folder = self.said.get("WORKDIR", "/")
        line = ["chroot", str(self.root), "/bin/sh", "-ec", f"cd {folder}; {command}"]
        return subprocess.run(line, env=self.env | _pip_settings(), check=True, **more)


def _pip_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def instructions(text: str) -> list[tuple[str, str]]:
    """Return a Dockerfile's instructions: (word, rest), lines joined."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [
        (line.split()[0], line.split(maxsplit=1)[1])
        for line in lines
        if line.strip() and not line.startswith("#")
    ]


def context() -> list[str]:
    """Return the tracked files that Dockerfile.dockerignore lets through."""
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").split("\n")
    sent = tuple(line[1:] for line in lines if line.startswith("!"))
    kept = tuple(line for line in lines if line and line[0] not in "#!*")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    return [
        name
        for name in listed.stdout.decode().split("\0")
        if name.startswith(tuple(f"{one}/" for one in sent)) or name in sent
        if not name.startswith(tuple(f"{one}/" for one in kept))
    ]


def mount(*arguments: str) -> None:
    """Mount; all mounts are this process's own and end with it."""
    subprocess.run(["mount", *arguments], check=True)


def begin(base: Path, python: Path, scratch: Path, binds: list[str]) -> Stage:
    """Return a stage on a layer of its own above the base image's stand-in."""
    for name in ("upper", "work", "root"):
        (scratch / name).mkdir(parents=True)
    layers = f"lowerdir={base},upperdir={scratch}/upper,workdir={scratch}/work"
    root = scratch / "root"
    mount("-t", "overlay", "-o", layers, "overlay", str(root))
    mount("--bind", str(python), str(root / "usr/local"))
    mount("-o", "remount,bind,ro", str(root / "usr/local"))
    mount("-t", "proc", "proc", str(root / "proc"))
    mount("--rbind", "/dev", str(root / "dev"))
    for path in ["/etc/resolv.conf", *binds]:
        inside = root / path.lstrip("/")
        if Path(path).is_dir():
            inside.mkdir(parents=True, exist_ok=True)
        else:
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.touch()
        mount("--bind", str(Path(path).resolve()), str(inside))
        mount("-o", "remount,bind,ro", str(inside))
    stage = Stage(root)
    stage.run("ldconfig")  # libpython is in /usr/local/lib
    return stage


def copy(stage: Stage, rest: str, stages: dict[str, Stage]) -> None:
    """Follow COPY, from the context or from another stage."""
    *given, source, target = shlex.split(rest)
    to = stage.root / (Path(stage.said.get("WORKDIR", "/")) / target).as_posix().lstrip("/")
    if given:
        other = stages[given[0].removeprefix("--from=")].root
        to.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", f"{other}{source}/.", str(to)], check=True)
        return
    for name in context():
        if source == "." or name == source:
            path = to / (name if source == "." else Path(name).name)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path)


def build(base: Path, python: Path, scratch: Path, binds: list[str]) -> Stage:
    """Follow the Dockerfile; return its last stage."""
    stages: dict[str, Stage] = {}
    stage = None
    for word, rest in instructions((DEPLOY / "Dockerfile").read_text("utf-8")):
        print(f"{word} {rest[:100]}", flush=True)
        if word == "FROM":
            name = rest.split(" AS ")[1] if " AS " in rest else "last"
            stage = stages[name] = begin(base, python, scratch / name, binds)
            continue
        assert stage is not None, "a Dockerfile begins with FROM"
        if word == "COPY":
            copy(stage, rest, stages)
        elif word == "RUN":
            stage.run(rest)
        elif word == "ENV":
            for one in shlex.split(rest):
                name, _, value = one.partition("=")
                stage.env[name] = value.replace("$PATH", stage.env["PATH"])
        else:
            stage.said[word] = rest
            if word == "WORKDIR":
                (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
    assert stage is not None
    return stage


def program(stage: Stage, verb: list[str]) -> list[str]:
    """Return the command that runs the image as `docker run --cap-drop ALL` does."""
    user = stage.said["USER"]
    found = subprocess.run(
        ["chroot", str(stage.root), "id", "--group", "toulmin"], check=True, capture_output=True
    )
    drop = ["--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    who = [f"--reuid={user}", f"--regid={found.stdout.decode().strip()}", *drop]
    return ["chroot", str(stage.root), "setpriv", *who, *verb]


def seal(stage: Stage, scratch: Path) -> None:
    """Make the root read-only but for /data and /tmp, and take the network away."""
    data = scratch / "volume"
    shutil.copytree(stage.root / "data", data)  # as an engine fills a new volume
    shutil.copystat(stage.root / "data", data)
    about = (stage.root / "data").stat()
    os.chown(data, about.st_uid, about.st_gid)
    mount("--bind", str(data), str(stage.root / "data"))
    mount("-t", "tmpfs", "tmpfs", str(stage.root / "tmp"))
    mount("-o", "remount,ro", str(stage.root))
    unshare(CLONE_NEWNET)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def unshare(what: int) -> None:
    """Give this process a namespace of its own; `os.unshare` is of Python 3.12."""
    if ctypes.CDLL(None, use_errno=True).unshare(what):
        sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}; this needs root")


def call(port: str, path: str, body: Any = None) -> Any:
    """Return what a path of the API answers."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/{path}",
        None if body is None else json.dumps(body).encode(),
        {"content-type": "application/json", "x-goog-api-key": KEY},
    )
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


def use(stage: Stage) -> None:
    """Serve the image and look at what it does."""
    entry = json.loads(stage.said["ENTRYPOINT"])
    serve = program(stage, [*entry, *json.loads(stage.said["CMD"])])
    refused = subprocess.run(serve, env=stage.env, capture_output=True, text=True, timeout=600)
    expect(refused.returncode != 0 and "key" in refused.stderr, f"without a key: {refused.stderr}")
    print(f"without a key it ends with {refused.returncode}: {refused.stderr.strip()[:200]}")
    server = subprocess.Popen(serve, env=stage.env | {"TOULMIN_API_KEYS": KEY})
    try:
        wait_until_healthy(stage, server)
        look_at(stage, server)
    finally:
        server.send_signal(getattr(signal, stage.said["STOPSIGNAL"]))
        code = server.wait(60)
    expect(code == 0, f"told to stop, it ended with {code}")
    print("told to stop, it ended with 0")


def wait_until_healthy(stage: Stage, server: subprocess.Popen[bytes]) -> None:
    """Run the image's own health check until it is content."""
    check = program(stage, json.loads(stage.said["HEALTHCHECK"].partition("CMD ")[2]))
    began = time.monotonic()
    while subprocess.run(check, env=stage.env, stderr=subprocess.DEVNULL).returncode:
        expect(server.poll() is None, f"the server ended with {server.returncode}")
        expect(time.monotonic() < began + HEALTHY_TIMEOUT_S, "it did not become healthy")
        time.sleep(1)
    print(f"healthy after {time.monotonic() - began:.0f} s")


def look_at(stage: Stage, server: subprocess.Popen[bytes]) -> None:
    """Expect the rights of the process, and an import that is read and found."""
    about = Path(f"/proc/{server.pid}/status").read_text("utf-8")
    said = dict(re.findall(r"^(\w+):\s+(\S+)", about, re.MULTILINE))
    rights = (said["Uid"], said["CapEff"], said["NoNewPrivs"])
    expect(rights == (stage.said["USER"], "0" * 16, "1"), f"its rights are {rights}")
    wrote = subprocess.run(program(stage, ["touch", "/opt/toulmin/x"]), stderr=subprocess.DEVNULL)
    expect(wrote.returncode != 0, "it can write into its own programs")
    port = stage.env["TOULMIN_PORT"]
    kind = {"displayName": "s", "industryVertical": "GENERIC", "contentConfig": "CONTENT_REQUIRED"}
    call(port, f"{_STORE}?dataStoreId=s", kind | {"solutionTypes": ["SOLUTION_TYPE_SEARCH"]})
    content = {"mimeType": "text/html", "rawBytes": "PHA+VGhlIHB1bXAgcnVucyBhdCAzIGJhci48L3A+"}
    call(port, f"{_STORE}/s/branches/0/documents?documentId=pump", {"content": content})
    found = call(port, f"{_STORE}/s/servingConfigs/default_search:search", {"query": "pump"})
    expect(found.get("totalSize") == 1, f"the document was not found: {found}")
    print(f"as user {rights[0]} without capabilities it read a document and found it")


def expect(found: object, otherwise: str) -> None:
    """End with what is wrong."""
    if not found:
        sys.exit(f"FAILED: {otherwise}")


def clear(scratch: Path) -> None:
    """Delete the scratch folder, once nothing of the machine is mounted in it."""
    for root in scratch.glob("*/root"):
        subprocess.run(["umount", "--recursive", "--lazy", str(root)], check=False)
    if str(scratch) in Path("/proc/self/mounts").read_text("utf-8"):
        sys.exit(f"FAILED: something is still mounted in {scratch}")
    shutil.rmtree(scratch, ignore_errors=True)


def main() -> None:
    """Build and use."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, default=Path(sys.base_prefix))
    parser.add_argument("--base", type=Path, help="a folder with a minimal Debian; made if missing")
    parser.add_argument("--bind", action="append", default=[], help="a path that pip needs")
    chosen = parser.parse_args()
    scratch = Path(tempfile.mkdtemp())
    base = chosen.base or scratch / "base"
    if not base.is_dir():
        made = ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(base)]
        subprocess.run(made, check=True)
    unshare(CLONE_NEWNS)
    mount("--make-rprivate", "/")
    try:
        stage = build(base, chosen.python.resolve(), scratch, chosen.bind)
        seal(stage, scratch)
        use(stage)
    finally:
        clear(scratch)
    print("all is as it should be")


if __name__ == "__main__":
    main()
