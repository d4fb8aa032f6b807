import gzip
import io
import json

import pytest

from toulmin.cli import main
from toulmin.cli.evaluate import Progress

ROWS = [
    {"premise": "The bridge opened in 1998.", "claim": "The bridge opened in 1998.", "label": 1},
    {
        "premise": "The bridge opened in 1998.",
        "claim": "The bridge opened in 1975.",
        "label": 0,
        "contradiction": True,
    },
    {
        "premise": ["Water boils at 100 degrees.", "The bridge is 300 metres long."],
        "claim": "The bridge is 300 metres long. Its architect was born in Peru.",
        "label": 0,
        "contradiction": False,
    },
    {
        "premise": "The bridge opened in 1998.\n\n" * 400,
        "claim": "The bridge opened in 1998.",
        "label": 1,
        "id": "long",
        "kind": "copy",
        "lang": "en",
    },
]


@pytest.fixture
def dev(tmp_path):
    path = tmp_path / "dev.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(row) for row in ROWS).encode()))
    return path


@pytest.mark.model
def test_a_file_is_measured_by_the_products_own_check(dev, tmp_path, capsys):
    from toulmin import check_grounding

    out = tmp_path / "report.json"
    assert main(["evaluate", str(dev), "--format", "json", "--out", str(out)]) == 0
    streams = capsys.readouterr()
    assert (streams.out, streams.err) == ("", ""), "no bar where there is no terminal"
    content = json.loads(out.read_text())
    for row, score in zip(ROWS[:3], content["scores"], strict=False):
        facts = row["premise"] if isinstance(row["premise"], list) else [row["premise"]]
        report = check_grounding(row["claim"], facts, anti_citations=True)
        assert score["supports"] == [claim.score for claim in report.claims]
        assert score["contradictions"] == [claim.contradiction_score for claim in report.claims]
    assert content["scores"][3]["id"] == "long"
    assert content["files"][0]["items"] == 4
    assert [score["kind"] for score in content["scores"]] == [None, None, None, "copy"]
    found = [score["words_found"] for score in content["scores"]]
    # Of the third: bridge, 300, metres, long; not architect, born, Peru.
    assert found == pytest.approx([1, 2 / 3, 4 / 7, 1], abs=1e-6)
    assert "Counting words gets 1.00 here, on 4 examples only" in content["files"][0]["verdicts"][0]
    assert content["mean"]["auroc"] == 1
    assert content["setup"]["aggregate"] == "mean"
    assert content["setup"]["models"]
    assert content["mean"]["latency_p50_ms"] > 0


@pytest.mark.model
def test_the_gate_and_every_format(dev, capsys):
    command = ["evaluate", str(dev), "--items", "3", "--workers", "2"]
    assert main([*command, "--fail-under", "auroc=0.9"]) == 0
    assert "balanced accuracy" in capsys.readouterr().out
    wanted = ["--fail-under", "latency_mean_ms=0", "--fail-under", "auroc=1.5"]
    assert main([*command, "--format", "html", *wanted]) == 1
    streams = capsys.readouterr()
    assert streams.out.startswith("<!DOCTYPE html>")
    assert "above 0" in streams.err
    assert "auroc is 1.0000, 0.5000 below 1.5" in streams.err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--threshold", "2"], "--threshold: is 2"),
        (["--items", "0"], "--items: is 0"),
        (["--workers", "-1"], "--workers: is -1"),
        (["--fail-under", "beauty=1"], "'beauty' is no figure"),
        (["--out", "nowhere/report.txt"], "does not exist"),
        (["--calibration", "nowhere.json"], "nowhere.json"),
    ],
)
def test_a_wrong_option_is_refused_before_the_work(dev, capsys, options, complaint):
    assert main(["evaluate", str(dev), *options]) == 2
    assert complaint in capsys.readouterr().err


def test_a_wrong_line_is_named(tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"premise": "a.", "claim": "b.", "label": "yes"}')
    assert main(["evaluate", str(path)]) == 2
    assert f'{path}:1: label is "yes"' in capsys.readouterr().err
    assert main(["evaluate", str(path), str(path)]) == 2
    assert "twice" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_drawn_on_a_terminal_only():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = Progress(2, stream)
        progress.advance()
        progress.advance()
        progress.close()
    assert "2/2" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K"), "and removed at the end"
    assert pipe.getvalue() == ""


def test_the_bar_says_count_speed_and_time_left():
    progress = Progress(1200, io.StringIO())
    for _ in range(300):
        progress.advance()
    line = progress.line(30.0)
    assert line.startswith("██████░░")
    assert line.endswith("300/1,200  10.0 items/s  1:30 left")
