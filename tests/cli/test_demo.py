"""`toulmin demo` imports the samples into `sample` and serves."""

from pathlib import Path

import pytest

import toulmin
from toulmin.cli import demo, main
from toulmin.errors import FailedPrecondition
from toulmin.ingestion.parsing.parse import parse

ROOT = Path(__file__).parent.parent.parent


def with_samples(folder):
    for name in ("docs", "examples/library"):
        (folder / name).mkdir(parents=True)
    (folder / "README.md").write_text("# Sample\n")
    return folder


def test_a_checkout_has_its_samples_where_they_are_written():
    paths = demo.sample_paths(Path(toulmin.__file__).parent)
    assert paths == [ROOT / "docs", ROOT / "README.md", ROOT / "examples" / "library"]


def test_all_samples_can_be_read():
    folder, *others = demo.sample_paths(Path(toulmin.__file__).parent)
    for path in (*folder.rglob("*.md"), *others):
        for file in path.iterdir() if path.is_dir() else (path,):
            assert parse(file.read_bytes(), name=file.name).blocks, file


def test_an_installation_has_its_samples_in_the_package(tmp_path):
    package = tmp_path / "toulmin"
    inside = with_samples(package / "samples")
    assert demo.sample_paths(package)[0] == inside / "docs"


def test_without_samples_it_says_where_it_looked(tmp_path):
    with pytest.raises(FailedPrecondition, match=r"toulmin/samples"):
        demo.sample_paths(tmp_path / "site" / "toulmin")


@pytest.mark.model
def test_the_samples_are_imported_with_the_same_settings_that_are_served(
    tmp_path, monkeypatch, capsys
):
    folder = with_samples(tmp_path / "samples")
    (folder / "examples" / "library" / "tower.md").write_text("The tower was opened in 1889.\n")
    (folder / "docs" / "index.md").write_text("# Manual\n\nRead it.\n")
    (folder / "docs" / "console.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    paths = [folder / name for name in ("docs", "README.md", "examples/library")]
    monkeypatch.setattr(demo, "sample_paths", lambda _package: paths)
    served = []
    monkeypatch.setattr(demo.serve, "run", lambda arguments: served.append(arguments) or 0)
    data = ["--data-dir", str(tmp_path / "data")]
    assert main(["demo", "--port", "0", *data]) == 0
    assert [arguments.port for arguments in served] == ["0"]
    said = capsys.readouterr()
    assert "failed" not in said.out + said.err
    assert main(["search", "tower opened", "--store", "sample", *data]) == 0
    assert "1889" in capsys.readouterr().out


def test_a_wrong_setting_starts_nothing(capsys, tmp_path):
    assert main(["demo", "--port", "http", "--data-dir", str(tmp_path / "data")]) == 2
    assert "flag --port" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
