"""`variorum-verify FILE`: check a bundle. No database, no settings, no network; nothing is written but what
is unpacked into a folder of its own for as long as the check takes.

Ends with 0 where everything holds, with 1 where something does not, with 2 where the file is no bundle or
cannot be read.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from secrets import token_urlsafe

import django
from django.conf import settings
from tqdm import tqdm

from common.console import bar
from common.errors import BadInput
from evaluation.bundle.verify import Failed, verify
from variorum import __version__

APPS = ("evaluation", "annotation", "retrieval", "retrieval.corpora", "machines", "common")
CONTRIB = ("auth", "contenttypes", "sessions")


def main(given: Sequence[str] | None = None) -> int:
    """Check the file that the command line names, and return how it ended."""
    parser = ArgumentParser(
        "variorum-verify", description="Check a bundle: whose it is, and every number in it."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="as manage.py bundle writes it")
    parser.add_argument(
        "--key",
        type=Path,
        metavar="PEM",
        help="the public key that must have signed, as its owner published it",
    )
    parser.add_argument("--version", action="version", version=f"Variorum {__version__}")
    options = parser.parse_args(given)
    set_up()
    try:
        with bar() as progress:
            verify(options.file, options.key, _say, progress)
    except BadInput as error:
        return _ended(2, f"NO BUNDLE THAT CAN BE CHECKED. {error}")
    except Failed as error:
        return _ended(1, f"IT DOES NOT HOLD. {error}")
    except KeyboardInterrupt:
        return _ended(130, "Stopped: nothing was decided.")
    _say(
        "IT HOLDS: whoever has this key signed these data, and the report is what they give. Whether the "
        "data are what people said, no program can tell; whose key it is, one must know from elsewhere."
    )
    return 0


def set_up() -> None:
    """Set Django up for this process alone, with empty tables in memory, whatever the environment says."""
    settings.configure(
        VERSION=__version__,
        SECRET_KEY=token_urlsafe(50),
        DEVICE="cpu",
        MODELS="",
        INSTALLED_APPS=[*APPS, *(f"django.contrib.{name}" for name in CONTRIB)],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        USE_I18N=False,
        LOGGING_CONFIG=None,
    )
    django.setup()
    from evaluation.bundle.recompute import make_tables

    make_tables()


def _say(sentence: str) -> None:
    tqdm.write(sentence, file=sys.stdout)
    sys.stdout.flush()


def _ended(code: int, sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
