#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of fields in docs/ equal the output of `measure schema NAME --format markdown`.

A table is enclosed by "<!-- fields of NAME -->" and "<!-- end of fields -->".

usage: fields_test.py MEASURE [--write]     --write writes the tables into docs/
"""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema

MEASURE = sys.argv[1]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"(<!-- fields of ([\w ]+) -->\n)(.*?)(<!-- end of fields -->\n)", re.DOTALL)


def schema(*words):
    return subprocess.run([MEASURE, "schema", *words], check=True, capture_output=True, text=True).stdout


def main():
    faults = []
    documented = set()
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for _, name, _, _ in BLOCK.findall(text):
            documented.add(name)
        wanted = BLOCK.sub(lambda m: f"{m[1]}\n{schema(m[2], '--format', 'markdown')}\n{m[4]}", text)
        if wanted == text:
            continue
        if "--write" in sys.argv:
            path.write_text(wanted, encoding="utf-8")
        else:
            faults.append(f"{path.name}: a table of fields is out of date: {sys.argv[0]} MEASURE --write")
    names = [re.split(r"  +", line)[0] for line in schema().splitlines()]
    faults += [f"docs/ has no fields of '{name}'" for name in names if name not in documented]
    for name in names:
        jsonschema.Draft202012Validator.check_schema(json.loads(schema(name)))
    print("\n".join(faults) or f"{len(names)} documents are described")
    return 1 if faults or len(names) < 6 else 0


if __name__ == "__main__":
    sys.exit(main())
