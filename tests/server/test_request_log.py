import json
import logging
import subprocess
import sys

import pytest

from toulmin.server.request_log import JsonFormatter, RequestRecord, TextFormatter


def entry(**extra):
    record = logging.LogRecord("toulmin.request", logging.INFO, "f", 1, "request", (), None)
    record.created = 1_700_000_000.25
    for name, value in extra.items():
        setattr(record, name, value)
    return record


def failing():
    try:
        int("gold under the oak")
    except ValueError:
        return sys.exc_info()
    return None


def test_a_line_is_one_json_object():
    line = JsonFormatter().format(entry(columns={"code": "OK", "path": 'GET /"\n'}))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "info",
        "message": "request",
        "code": "OK",
        "path": 'GET /"\n',
    }


def test_a_line_for_people():
    line = TextFormatter().format(entry(columns={"code": "OK", "duration_ms": 1.5}))
    assert line == "2023-11-14T22:13:20.250Z INFO request code=OK duration_ms=1.5"


@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_the_text_of_an_error_is_left_out_for_it_may_quote_the_user(formatter):
    line = formatter.format(entry(exc_info=failing()))
    assert "ValueError" in line
    assert "in failing" in line
    assert "invalid literal" not in line


def test_columns_that_say_nothing_are_left_out():
    record = RequestRecord("id", "grpc", rpc="a.B.C", timings={"queue_ms": 0.12345})
    fields = record.fields()
    assert "path" not in fields
    assert fields["queue_ms"] == 0.123
    assert list(fields)[:3] == ["request_id", "protocol", "rpc"]


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_the_log_goes_to_standard_error(log_format):
    code = (
        "from toulmin.server.request_log import *\n"
        f"configure_logging({log_format!r})\n"
        "log_request(RequestRecord('id-1', 'rest'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == ""
    assert "id-1" in done.stderr
    assert done.stderr.count("\n") == 1
