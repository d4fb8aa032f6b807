"""The audit log: who, what, when, outcome; never content."""

import json
import os
import stat

import grpc
import pytest

from tests.patience import PATIENCE_S, wait_for
from tests.server.conftest import CHECK, check, request
from toulmin.cli import main
from toulmin.errors import FailedPrecondition
from toulmin.server.audit import AuditLog

KEY = "correct-horse-battery"
SECRET = "the-patient-is-called-Mo"
NAME = "projects/p/locations/global/groundingConfigs/default_grounding_config"
RPC = "google.cloud.discoveryengine.v1.GroundedGenerationService.CheckGrounding"


def lines(path, count):
    """Return the lines, at least `count`; they follow the responses."""

    def enough():
        found = path.read_text().splitlines() if path.exists() else []
        return found if len(found) >= count else None

    return [json.loads(line) for line in wait_for(enough)]


def test_a_request_leaves_who_what_when_and_what_came_of_it(serve, tmp_path):
    path = tmp_path / "audit.log"
    server = serve(api_keys=KEY, audit_log=str(path))
    check(server, SECRET, headers={"x-goog-api-key": KEY, "x-request-id": "r1"})
    check(server, SECRET, headers={"x-goog-api-key": KEY + "x", "x-request-id": "r2"})
    request(server, "GET", f"/{SECRET}?key={SECRET}", headers={"x-request-id": "r3"})
    request(server, "GET", "/healthz")
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        call = channel.unary_unary("/" + RPC[::-1].replace(".", "/", 1)[::-1])
        call(b"", timeout=PATIENCE_S, metadata=[("x-goog-api-key", KEY), ("x-request-id", "r4")])
    found = {line["request_id"]: line for line in lines(path, 4)}
    assert {line.pop("time")[:2] for line in found.values()} == {"20"}
    assert found == {
        "r1": {"caller": "setting:1", "what": RPC, "code": "OK", "request_id": "r1",
               "protocol": "rest", "names": [NAME]},
        "r2": {"what": RPC, "code": "UNAUTHENTICATED", "request_id": "r2", "protocol": "rest",
               "reason": "API_KEY_INVALID"},
        "r3": {"code": "UNAUTHENTICATED", "request_id": "r3", "protocol": "rest",
               "reason": "API_KEY_INVALID"},
        "r4": {"caller": "setting:1", "what": RPC, "code": "OK", "request_id": "r4",
               "protocol": "grpc"},
    }  # fmt: skip
    text = path.read_text()
    assert SECRET not in text
    assert KEY not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_refused_is_noted_with_what_was_tried(serve, tmp_path):
    path = tmp_path / "audit.log"
    server = serve(audit_log=str(path))
    request(server, "POST", CHECK.replace("/p/", "/a%20b/"), b'{"answerCandidate": "hello"}')
    (line,) = lines(path, 1)
    assert "names" not in line  # it is no name, so it may be anything
    assert line["caller"] == "local"


def test_files_take_turns(tmp_path):
    path = tmp_path / "audit.log"
    log = AuditLog(str(path), max_bytes=1000, files=2)
    for number in range(100):
        log.event("something", caller="key:abc", number=number + 1)
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["audit.log", "audit.log.1", "audit.log.2"]
    assert all(file.stat().st_size <= 1000 for file in files)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    numbers = [
        json.loads(line)["number"]
        for file in (files[2], files[1], files[0])
        for line in file.read_text().splitlines()
    ]
    assert numbers == list(range(numbers[0], 101))


def test_making_and_revoking_a_key_is_noted(tmp_path, capsys):
    path = tmp_path / "audit.log"
    flags = ["--data-dir", str(tmp_path / "data"), "--audit-log", str(path)]
    assert main(["keys", "create", "--name", SECRET, "--project", "p", *flags]) == 0
    key = capsys.readouterr().out.strip()
    id_ = key.split("_")[1]
    assert main(["keys", "revoke", id_, *flags]) == 0
    assert main(["keys", *flags]) == 0
    made, revoked = lines(path, 2)
    assert (made["what"], made["key"], made["role"], made["projects"]) == (
        "keys.create", f"key:{id_}", "viewer", ["p"],
    )  # fmt: skip
    assert revoked["what"] == "keys.revoke"
    assert made["caller"].startswith("local:")
    assert key not in path.read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_written_is_said_at_once_as_user(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FailedPrecondition, match="audit_log"):
        AuditLog(str(tmp_path / "audit.log"))


def test_a_file_that_cannot_be_written_is_said_at_once(serve, tmp_path):
    with pytest.raises(FailedPrecondition, match="audit_log"):
        serve(audit_log=str(tmp_path))


def test_a_full_disk_is_said_once_and_requests_go_on(serve, log):
    server = serve(audit_log="/dev/full")
    for _ in range(3):
        assert check(server, "hello").status == 200
    assert sum("cannot be written any more" in record.getMessage() for record in log.records) == 1
