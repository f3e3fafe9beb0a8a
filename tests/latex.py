"""A LaTeX report compiled by pdfLaTeX, for tests: what its log complains of."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

CLASSES = {"latex": "11pt,a4paper", "latex-twocolumn": "11pt,a4paper,twocolumn"}
"""The options of `article` that each format is for."""
DOCUMENT = r"""\documentclass[%s]{article}
\usepackage[T1]{fontenc}
\usepackage{array,booktabs,graphicx}
\begin{document}
%s
\end{document}
"""
COMPLAINTS = re.compile(
    r"^(?:! .*|Overfull \\[hv]box \(\d.*|LaTeX Warning: Float too large.*|.*undefined.*)$", re.M
)
WIDER = re.compile(r"\\hbox \((\d+\.\d+)pt")


@cache
def missing() -> str:
    """Return why nothing can be compiled here; empty where it can."""
    if not shutil.which("pdflatex"):
        return "no pdflatex: apt-get install --no-install-recommends texlive-latex-recommended"
    found = subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False)
    return "" if found.stdout else "no booktabs.sty: Debian has it in texlive-latex-recommended"


needed = pytest.mark.skipif(bool(missing()), reason=missing())


def complaints(tables: list[str], form: str, folder: Path) -> list[str]:
    """Compile a document of these tables and return its errors, and boxes that are more than 1 pt too wide.

    form: the format's name, ``latex`` or ``latex-twocolumn``.
    """
    text = "\n\\clearpage\n".join(tables)
    (folder / "paper.tex").write_text(DOCUMENT % (CLASSES[form], text), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "paper.log").read_text(encoding="latin-1")
    return [each for each in COMPLAINTS.findall(log) if _is_wrong(each)]


def _is_wrong(line: str) -> bool:
    wider = WIDER.search(line)
    return "There were undefined" not in line and (wider is None or float(wider[1]) > 1)
