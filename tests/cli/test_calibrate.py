import json

import pytest

from toulmin.cli import main
from toulmin.evaluation.calibrating import cautions
from toulmin.evaluation.fitting import Comparison, Fitted
from toulmin.grounding.recalibration import LogitMap


def write(tmp_path, count, name="own.jsonl"):
    rows = []
    for n in range(count):
        year = 1900 + n
        rows.append(
            {
                "premise": f"The bridge opened in {year}.",
                # Every fifth label is wrong, so that sure scores are too sure.
                "claim": f"The bridge opened in {year + n % 2}.",
                "label": int((n % 2 == 0) != (n % 5 == 0)),
            }
        )
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.thorough
def test_a_calibration_is_fitted_written_and_used(tmp_path, capsys):
    own, out = write(tmp_path, 50), tmp_path / "calibration.json"
    assert main(["calibrate", str(own), "--out", str(out)]) == 0
    streams = capsys.readouterr()
    text = streams.out
    assert "warning: 50 examples are few" in streams.err
    assert "calibration error (ECE)" in text
    assert "recommended citation threshold" in text
    assert "contradiction is left as it is" in text
    content = json.loads(out.read_text())
    assert (content["format"], content["examples"]) == (1, 50)
    assert content["models"]
    before, after = content["figures"]["support"]["ece"]
    assert after < before

    scores = {}
    for name, options in {"plain": [], "mapped": ["--calibration", str(out)]}.items():
        report = tmp_path / f"{name}.json"
        command = ["evaluate", str(own), "--items", "3", "--format", "json", "--out", str(report)]
        assert main([*command, *options]) == 0
        scores[name] = [row["supports"][0] for row in json.loads(report.read_text())["scores"]]
    mapping = LogitMap(**content["support"])
    assert scores["mapped"] == pytest.approx([mapping(s) for s in scores["plain"]], abs=2e-3)
    assert scores["mapped"] != scores["plain"]

    content["models"] = dict.fromkeys(content["models"], "0")
    out.write_text(json.dumps(content))
    for command in (["evaluate", str(own)], ["serve", "--port", "0"]):
        assert main([*command, "--calibration", str(out)]) == 2
        assert "was fitted for other models" in capsys.readouterr().err


def fitted(*, examples=120, highest=0.9, threshold=0.45, brier=(0.3, 0.2)):
    of_support = Comparison(examples, examples // 2, (0.2, 0.1), brier, (0.6, 0.7))
    return Fitted(LogitMap(), LogitMap(), threshold, highest, of_support, None)


@pytest.mark.parametrize(
    ("fit", "warning"),
    [
        (fitted(examples=51), "51 examples are few"),
        (fitted(highest=0.41), "nothing would pass: the highest score of an example is 0.41"),
        (fitted(highest=0.58), "nothing would pass at the default threshold of 0.6"),
        (fitted(brier=(0.2, 0.3)), "the scores got worse"),
    ],
)
def test_what_is_of_no_use_is_said(fit, warning):
    assert list(cautions(fitted())) == []
    (said,) = cautions(fit)
    assert said.startswith(warning)


def test_too_few_examples_are_refused_before_the_work(tmp_path, capsys):
    own = write(tmp_path, 49)
    assert main(["calibrate", str(own), "--out", str(tmp_path / "c.json")]) == 2
    assert "there are 49 examples" in capsys.readouterr().err
    assert not (tmp_path / "c.json").exists()
