"""Which numbers the wheels of a release have; `make test-dist` builds and installs them."""

import json
import subprocess
from pathlib import Path

import pytest

from tools import dist

NAMES = tuple(dist.MODELS)
FIRST = dict.fromkeys(NAMES, "1.0.0.1")


class Checkout:
    """A small repository with all that tools/dist.py stages."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "main")
        for name in NAMES:
            self.write(
                dist.WEIGHTS / dist.MODELS[name] / "spec.json", json.dumps({"version": "1.0.0"})
            )
            package = dist.project_of(name) / f"toulmin_{name}_model"
            self.write(package / "__init__.py", "")
        for path in (*dist.NOTICES, "src/toulmin/code.py"):
            self.write(path, "")
        self.write("pyproject.toml", '[project]\ndependencies = [\n  "numpy",\n]\n')
        self.commit()

    def git(self, *arguments):
        person = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *person, *arguments], cwd=self.folder, check=True)

    def write(self, path, text):
        whole = self.folder / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")

    def required(self, scratch):
        """Return what the first wheel requires, and what the others say that they are."""
        dist.stage(scratch)
        text = (scratch / "pyproject.toml").read_text()
        numbers = {}
        for name in NAMES:
            number = (scratch / dist.project_of(name) / dist.VERSION_FILE).read_text().strip()
            assert f'  "toulmin-{name}-model=={number}",\n' in text
            numbers[name] = number
        return numbers


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "checkout").mkdir()
    made = Checkout(tmp_path / "checkout")
    monkeypatch.setattr(dist, "ROOT", made.folder)
    return made


@pytest.fixture
def numbers(checkout, tmp_path):
    def numbers_of_a_build():
        scratch = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        scratch.mkdir()
        return checkout.required(scratch)

    return numbers_of_a_build


@pytest.mark.parametrize("path", ["calibration.json", "embedder/model.onnx"])
def test_other_contents_have_another_number_though_the_model_is_the_same(checkout, numbers, path):
    assert numbers() == FIRST
    checkout.write(dist.WEIGHTS / "multilingual" / path, "new")
    checkout.commit()
    assert numbers() == FIRST | {"multilingual": "1.0.0.2"}


def test_a_reader_in_the_folder_of_another_model_is_in_its_own_wheel_alone(checkout, numbers):
    checkout.write(dist.WEIGHTS / "grounding" / "reader" / "answerability.json", "new")
    checkout.commit()
    assert numbers() == FIRST | {"reader": "1.0.0.2"}


def test_what_is_not_in_a_models_wheel_leaves_its_number(checkout, numbers):
    checkout.write("src/toulmin/code.py", "new")
    checkout.commit()
    assert numbers() == FIRST


def test_notices_are_in_all_wheels(checkout, numbers):
    checkout.write("NOTICE", "new")
    checkout.commit()
    assert numbers() == dict.fromkeys(NAMES, "1.0.0.2")


def test_a_shallow_clone_cannot_count(checkout, numbers, tmp_path, monkeypatch):
    checkout.write("NOTICE", "new")
    checkout.commit()
    shallow = tmp_path / "shallow"
    address = checkout.folder.as_uri()
    checkout.git("clone", "--quiet", "--depth", "1", address, str(shallow))
    monkeypatch.setattr(dist, "ROOT", shallow)
    with pytest.raises(SystemExit, match="unshallow"):
        numbers()


def test_the_projects_read_the_file_that_is_written():
    for name in NAMES:
        project = Path(__file__).parents[2] / dist.project_of(name) / "pyproject.toml"
        assert f'path = "{dist.VERSION_FILE}"' in project.read_text("utf-8")
