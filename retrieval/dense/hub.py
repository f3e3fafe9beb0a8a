"""A published model fetched by its name, once, when staff ask for it: never by a worker or a page.

`huggingface_hub` fetches: it asks again where a connection breaks, and draws the bar. Here stands what may
come: only the files named here, at one commit, which is shown and kept in the card; weights only as
safetensors, or as a pickle where its conversion is asked for, and not before the configuration has been
looked at. What arrives is a checkpoint's folder like any other: `checkpoints.add` judges it and pins its
sha256.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from huggingface_hub import HfApi, errors, hf_hub_download

from common.errors import BadInput
from retrieval.dense import converting
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import presets
from retrieval.engine.dense.folder import CONFIG, TOKENISER, TOWERS, WEIGHTS

COMMIT = re.compile(r"[0-9a-f]{40}")
BESIDE = (presets.MODULES, presets.LIMIT, f"1_Pooling/{presets.POOLING}")
"""What sentence-transformers say about the use of a model; fetched where it is there."""
PICKLED = "pytorch_model.bin"
VOCABULARY = ("vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json")
"""What a tokeniser is made of where its one file is not there."""
ENDPOINT: str | None = None
"""The hub's address; None: that of the library, which reads HF_ENDPOINT."""

Tell = Callable[[str], object]


class Model(NamedTuple):
    """A model on the hub.

    name: `owner/name`.
    revision: a commit, a tag or a branch.
    """

    name: str
    revision: str = "main"


class Pinned(NamedTuple):
    """A model at one commit.

    name: `owner/name`.
    commit: 40 hexadecimal digits.
    files: the names of its files there.
    """

    name: str
    commit: str
    files: frozenset[str]

    @property
    def weights(self) -> str:
        """Return the file of its weights."""
        return WEIGHTS if WEIGHTS in self.files else PICKLED

    @property
    def words(self) -> tuple[str, ...]:
        """Return the files of its tokeniser."""
        if TOKENISER in self.files:
            return (TOKENISER,)
        return tuple(name for name in VOCABULARY if name in self.files)


def fetch(
    slug: str, models: Sequence[Model], tell: Tell = lambda line: None, *, convert: bool = False
) -> Path:
    """Fetch one model, or one for contexts and one for quotations, into a new checkpoint's folder.

    `convert`: weights that there are only as a pickle are fetched too, and converted to safetensors. Nothing
    is kept of a folder that is refused. A file that came whole is not fetched a second time.

    Raises:
        BadInput: a name is none, the hub does not answer or has no such model, a needed file is not there,
            or what came is refused.
    """
    target = settings.DATA_DIR / "checkpoints" / slug
    if target.exists():
        raise BadInput(f"There is a folder {target} already; remove it, or choose another name.")
    pinned = [_pinned(each, tell, convert) for each in models]
    kept, making = target.parent / f".hub-{slug}", target.parent / f".making-{slug}"
    shutil.rmtree(making, ignore_errors=True)
    towers = [making] if len(pinned) == 1 else [making / tower for tower in TOWERS]
    try:
        for each, folder in zip(pinned, towers, strict=True):
            for name in (CONFIG, *each.words, *(name for name in BESIDE if name in each.files)):
                _download(each, name, folder, kept)
        dense_folder.refuse_code(making)
        if len(pinned) > 1 and all(TOKENISER in each.files for each in pinned):
            converting.one_tokeniser(making, [each.name for each in pinned])
        converted = []
        for each, folder in zip(pinned, towers, strict=True):
            tell(f"Fetching {each.weights} of {each.name} …")
            _download(each, each.weights, folder, kept)
            if each.weights == PICKLED:
                tell(f"Converting {PICKLED} …")
                converted.append({"of": each.name, **_converted(folder)})
        if not (making / TOKENISER).is_file():
            converting.one_tokeniser(making, [each.name for each in pinned])
        told = _card(pinned, making)
        converting.write_card(making, told | ({"converted": converted} if converted else {}))
        dense_folder.checked(making)
        making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    shutil.rmtree(kept, ignore_errors=True)
    return target


def _converted(folder: Path) -> dict[str, object]:
    """Convert a fetched folder in its place; return what the card says of it."""
    fetched = folder.with_name(f"{folder.name}.fetched")
    folder.rename(fetched)
    try:
        return converting.encoder(fetched, folder)
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _pinned(model: Model, tell: Tell, convert: bool) -> Pinned:
    """The commit that a revision names now."""
    with _said(*model):
        # No token: what is fetched is public, and nobody's key leaves this machine.
        found = HfApi(endpoint=ENDPOINT, token=False).model_info(model.name, revision=model.revision)
    commit = str(found.sha or "")
    asked = model.revision if COMMIT.fullmatch(model.revision) else commit
    if not COMMIT.fullmatch(commit) or commit != asked:
        raise BadInput(f"The hub answers with the commit {commit!r:.60} of {model.name}, not with {asked}.")
    files = frozenset(each.rfilename for each in found.siblings or ())
    there = Pinned(model.name, commit, files)
    takes_pickles = convert and WEIGHTS not in files and PICKLED in files
    needed = (CONFIG, *(there.words or (TOKENISER,))) if takes_pickles else (CONFIG, TOKENISER, WEIGHTS)
    for need in needed:
        if need not in files:
            others = ", ".join(
                sorted(name for name in files if name.endswith((".bin", ".safetensors", ".pt")))
            )
            raise BadInput(
                f"{model.name} has no {need} at {commit[:12]}"
                f"{f' (its weights: {others})' if need == WEIGHTS and others else ''}; "
                "only a revision with safetensors and the fast tokeniser's file can be fetched"
                f"{f', or with --convert one with {PICKLED}' if not convert else ''}."
            )
    tell(f"{model.name}: {model.revision} is commit {commit}.")
    return there


def _download(each: Pinned, name: str, folder: Path, kept: Path) -> None:
    with _said(each.name, each.commit):
        got = hf_hub_download(
            each.name, name, revision=each.commit, cache_dir=kept, token=False, endpoint=ENDPOINT
        )
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(got, target)


@contextmanager
def _said(name: str, revision: str) -> Iterator[None]:
    """What goes wrong at the hub, in one sentence."""
    try:
        yield
    except errors.HFValidationError:
        raise BadInput(f"{name!r:.60} is no name of a model; write OWNER/NAME as on its page.") from None
    except errors.RepositoryNotFoundError:
        raise BadInput(
            f"The hub has no public model {name}; look at its name, or download its folder yourself."
        ) from None
    except errors.RevisionNotFoundError:
        raise BadInput(
            f"{name} has no revision {revision!r:.60}; take a commit, tag or branch from its page."
        ) from None
    except Exception as error:  # noqa: BLE001 - the library's other errors, its HTTP client's, the system's
        first = (str(error).strip().splitlines() or ["no more is known"])[0]
        raise BadInput(
            f"{name} could not be fetched ({type(error).__name__}: {first[:200]}). Is there a network? "
            "Files that came whole are kept."
        ) from None


def _card(pinned: Sequence[Pinned], folder: Path) -> dict[str, object]:
    sums = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                sums[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return {"hub": [{"name": each.name, "commit": each.commit} for each in pinned], "files": sums}
