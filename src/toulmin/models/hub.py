"""Where a model's files are: a folder on this machine, or a repository of a model hub.

    ./my-model                       a folder
    ./my-model#onnx/model_int8.onnx  a folder, and which of its networks
    hub:owner/name                   the newest revision of a repository
    hub:owner/name@revision#file     a branch, tag or commit of it, and which of its networks

Only configuration, the tokenizer and ONNX files are ever fetched: no code, no pickles. Fetching,
the cache, mirrors and work without a network are huggingface_hub's (`HF_ENDPOINT`, `HF_HOME`,
`HF_TOKEN`, `HF_HUB_OFFLINE`).
"""

from __future__ import annotations

import importlib
import logging
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType

from toulmin.errors import FailedPrecondition, Unavailable

HUB_PREFIX = "hub:"
DEFAULT_NETWORKS = ("onnx/model.onnx", "model.onnx")
_CONFIGURATION = ("config.json", "tokenizer.json", "tokenizer_config.json")
_REPOSITORY = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on this machine.

    Attributes:
        folder: Holds `config.json` and `tokenizer.json`.
        network: The ONNX file.
        source: As it was asked for; for a hub, with the commit that it turned out to be.
    """

    folder: Path
    network: Path
    source: str


def find_model(reference: str) -> ModelFiles:
    """Return the files of a model, fetched first if they are on a hub and not in its cache.

    Args:
        reference: As at the top of this file.

    Raises:
        FailedPrecondition: The reference is not of these forms, or there is no such folder,
            repository, revision or file, or no right to it, or the `hub` extra is missing.
        Unavailable: The hub cannot be reached and its cache does not have the model.
    """
    place, _, network = reference.partition("#")
    path = PurePosixPath(network)
    if network and (path.is_absolute() or ".." in path.parts or path.suffix != ".onnx"):
        raise FailedPrecondition(
            f"support_model {reference!r}: {network!r} must be an .onnx file inside the model's "
            "folder, such as onnx/model_quantized.onnx"
        )
    wanted = (network,) if network else DEFAULT_NETWORKS
    if place.startswith(HUB_PREFIX):
        folder = _fetch(place.removeprefix(HUB_PREFIX), wanted)
        source = f"{place.partition('@')[0]}@{folder.name}"
    else:
        folder = Path(place).expanduser()
        source = place
        if not place or not folder.is_dir():
            raise FailedPrecondition(
                f"support_model {reference!r}: there is no folder {place!r}; for a model of a hub "
                f"write {HUB_PREFIX}owner/name"
            )
    return ModelFiles(folder, _network_in(folder, wanted, reference), source)


def _network_in(folder: Path, wanted: tuple[str, ...], reference: str) -> Path:
    for name in wanted:
        if (folder / name).is_file():
            return folder / name
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx"))
    others = f"; it has {', '.join(found)}: name one after a #" if found else ""
    raise FailedPrecondition(
        f"support_model {reference!r} has no {' or '.join(wanted)}{others}. Models are read as "
        "ONNX only; docs/larger-models.md says how to export one"
    )


def _fetch(repository: str, wanted: tuple[str, ...]) -> Path:
    """Return the folder of a repository's files in the cache."""
    match = _REPOSITORY.fullmatch(repository)
    if match is None:
        raise FailedPrecondition(
            f"support_model {HUB_PREFIX}{repository}: write {HUB_PREFIX}owner/name, with "
            "@revision or #file after it if need be"
        )
    revision = match["revision"]
    hub = _hub_module()
    errors = hub.errors
    try:
        folder = Path(
            hub.snapshot_download(
                match["name"],
                revision=revision,
                allow_patterns=[*_CONFIGURATION, *wanted, *_weights_beside(wanted)],
                library_name="toulmin",
            )
        )
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        raise FailedPrecondition(
            f"the hub has no model {repository}, or you may not see it (HF_TOKEN): "
            f"{_first_line(error)}"
        ) from error
    except Exception as error:  # its HTTP client and its storage have errors of their own
        raise Unavailable(
            f"the model {repository} could not be fetched and is not in the cache: "
            f"{_first_line(error)}"
        ) from error
    if revision is None or not _COMMIT.fullmatch(revision):
        logger.warning(
            "The model %s may change on the hub; to keep what was just loaded, write %s%s@%s",
            repository,
            HUB_PREFIX,
            match["name"],
            folder.name,
        )
    return folder


def _weights_beside(networks: tuple[str, ...]) -> list[str]:
    """Return patterns of the files in which networks over 2 GB keep their weights."""
    return [f"{network}{ending}" for network in networks for ending in ("_data*", ".data*")]


def _hub_module() -> ModuleType:
    try:
        importlib.import_module("huggingface_hub.errors")
        return importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise FailedPrecondition(
            f"models of a hub need the `hub` extra: pip install 'toulmin[hub]' ({error})"
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
