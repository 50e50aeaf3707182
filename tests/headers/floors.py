#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The floors of the library's public headers: who may include whom.

A header includes headers of a lower floor or of an earlier place on its own floor, nothing else of the library.
measure.hpp includes all of it for users; the project itself includes what it uses.

usage: floors.py TOP          checks the source tree TOP
       floors.py --list TOP   prints the public headers that exist, low to high
"""
import pathlib
import re
import sys

FLOORS = [
    ["units", "keep", "kernel_counts", "error", "callback", "shuffle", "comm", "agree"],
    ["timer"],
    ["clock_model", "clock_offset", "own_sync", "clock_sync"],
    ["schedule", "harmonize", "window"],
    ["sample"],
    ["statistics", "two_samples", "settle", "stopping", "noise", "cost_model", "cost_over_ranks", "fixed_work"],
    ["refine"],
    ["control", "batch", "operation", "loop", "timed_loop", "plan", "measurement", "run", "pattern"],
    ["semantics", "record", "journal", "benchmark", "sweep", "fold", "launches"],
    ["table", "environment", "report", "read", "regions"],
]
ORDER = [header for floor in FLOORS for header in floor]
UMBRELLA = "measure"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]measure/(\w+)\.hpp[>"]')


def includes(path):
    """(line number, header name) of each include of a public header."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1]


def faults_of_header(path):
    if path.stem not in ORDER:
        yield f"{path}: stands on no floor: add it to FLOORS in tests/headers/floors.py"
        return
    for number, name in includes(path):
        if name not in ORDER or ORDER.index(name) >= ORDER.index(path.stem):
            yield f"{path}:{number}: measure/{name}.hpp is not below measure/{path.stem}.hpp"


def faults_of_umbrella(path):
    missing = [name for name in ORDER if name not in {name for _, name in includes(path)}]
    if missing:
        yield f"{path}: does not include {', '.join(missing)}"


def faults_of_user(path):
    for number, name in includes(path):
        if name == UMBRELLA:
            yield f"{path}:{number}: include what is used, not measure/{UMBRELLA}.hpp"


def faults(top):
    folder = top / "libmeasure/include/measure"
    for name in ORDER:
        if not (folder / f"{name}.hpp").exists():
            yield f"{folder / name}.hpp: on a floor, but not there"
    for path in sorted(folder.glob("*.hpp")):
        yield from faults_of_umbrella(path) if path.stem == UMBRELLA else faults_of_header(path)
    for part in ("libmeasure", "frontends", "tests"):
        for path in sorted((top / part).rglob("*.[ch]pp")):
            yield from faults_of_user(path)


def main(arguments):
    if arguments[:1] == ["--list"]:
        folder = pathlib.Path(arguments[1]) / "libmeasure/include/measure"
        print("\n".join(name for name in [*ORDER, UMBRELLA] if (folder / f"{name}.hpp").exists()))
        return 0
    found = list(faults(pathlib.Path(arguments[0])))
    print("\n".join(found) or "all includes go down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
