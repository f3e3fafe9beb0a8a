"""README.md and LICENSE.txt: the card of a data set, whose head tells Hugging Face’s `datasets` its files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.dataset.columns import TABLES
from annotation.dataset.describing.package import Written
from common.tables.json import compact

LICENCES = {
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "CC-BY-SA-4.0": "Creative Commons Attribution-ShareAlike 4.0 International",
    "CC-BY-NC-4.0": "Creative Commons Attribution-NonCommercial 4.0 International",
    "CC0-1.0": "Creative Commons Zero 1.0: no rights reserved",
    "ODC-By-1.0": "Open Data Commons Attribution 1.0",
    "ODbL-1.0": "Open Data Commons Open Database 1.0",
}
"""Offered on the page, by SPDX id."""


def head(said: Mapping[str, Any], files: Mapping[str, Written]) -> str:
    """Return the head of the card in YAML; strings are written as JSON, which YAML reads."""
    shown = [each for each in TABLES if files[each.path].rows]
    lines = ["---", f"pretty_name: {compact(said['title'])}"]
    if said["licence"]:
        lines.append(f"license: {compact(said['licence'].lower())}")
    lines.append("configs:" if shown else "configs: []")
    for number, each in enumerate(shown):
        path = each.parquet if each.parquet in files else each.path
        lines += [f"- config_name: {each.name}", f"  data_files: {compact(path)}"]
        lines += [] if number else ["  default: true"]
    return "\n".join([*lines, "---"])


def card(said: Mapping[str, Any], files: Mapping[str, Written]) -> str:
    """Return README.md: what this is, what each file holds, and how it is read."""
    title = " ".join(said["title"].split())
    rows = "\n".join(f"| `{each.path}` | {files[each.path].rows:,} | {each.meaning} |" for each in TABLES)
    return f"""{head(said, files)}

# {title}

A study of the task *{said["task_label"]}*: {said["asks"]}

Every item of work was to get {said["overlap"]} independent readings. Readers are named by pseudonyms; no
account, address or name of a person is in these files. Withdrawn judgments are not in them either.

| file | lines | a line is |
| --- | ---: | --- |
{rows}

`study.json` holds what is no table: the settings and seeds, the guidelines and consents by version, prompts
and machine readers, and the books, sources and jobs behind the items by digest and citation. What each column
means stands in `datapackage.json`, which describes the files as a Frictionless Data Package with their
digests; `ro-crate-metadata.json` describes them as an RO-Crate.
{parquet_note(files)}
Numbers are made of judgments that are `current`, of items of kind `work` that are not `replaced`.

## Licence

{licence_line(said["licence"])}
"""


def parquet_note(files: Mapping[str, Written]) -> str:
    """Return a sentence on the Parquet files, where there are any."""
    if not any(path.endswith(".parquet") for path in files):
        return ""
    return (
        "\nThe same tables stand under `parquet/`, where objects and lists are JSON texts; "
        '`load_dataset(FOLDER, "judgments")` of Hugging Face’s `datasets` reads those.\n'
    )


def licence_line(name: str) -> str:
    """Return under what the data may be used, in a sentence."""
    if not name:
        return "None was chosen: ask whoever gave you these files before you pass them on."
    return f"{LICENCES.get(name, name)} ({name}), https://spdx.org/licenses/{name}.html"


def licence_text(said: Mapping[str, Any]) -> str:
    """Return LICENSE.txt."""
    return f"{' '.join(said['title'].split())}\n\n{licence_line(said['licence'])}\n"
