#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The floors of the library's public headers, and the rooms of the tool `measure`: which file may include which.

A header includes headers of lower floors or of earlier places on its own floor, and nothing else of the library. The
lowest floors form libmeasure-analysis, which does not include mpi.h. The highest floor is libmeasure-regions, which the
sources of the libraries below do not include. For users analysis.hpp includes the headers of libmeasure-analysis, and
measure.hpp the headers that measure a point; the project itself includes only what it uses.

The folders of libmeasure/analysis and of frontends/measure are rooms. A room includes only rooms of a lower floor. A
command of `measure` includes its own folder and rooms, but no other command. The exception is `run`, which does the
work of several commands one after another. The command line (program/cli) does not include the runtime
(program/runtime).

usage: floors.py TOP                                checks the source tree TOP
       floors.py --list TOP                         prints the public headers that exist, low to high
       floors.py --list TOP analysis|core|regions   prints those of one library
"""
import pathlib
import re
import sys

ANALYSIS = [
    ["units", "error", "callback", "shuffle"],
    ["timer_info", "sync_report", "sample"],
    ["statistics", "two_samples", "signed_rank", "machine_states", "settle", "stopping", "cost_model",
     "cost_over_ranks", "refine"],
    ["measurement", "semantics", "record", "fold", "launches"],
    ["table", "environment_info", "report", "read", "not_known", "compare"],
]
MEASURING = [
    ["mpi_error", "comm", "agree", "keep", "kernel_counts", "heartbeat"],
    ["timer", "detours", "fwq"],
    ["clock_model", "clock_offset", "own_sync", "clock_sync"],
    ["slot_length", "schedule", "harmonize", "window_sync"],
    ["control", "batch", "operation", "time_iterations", "stonewall", "plan", "run", "run_each", "pattern"],
]
SERIES = [
    ["benchmark", "sweep", "journal", "environment"],
]
REGIONS = [
    ["regions"],
]
FLOORS = ANALYSIS + MEASURING + SERIES + REGIONS
ORDER = [header for floor in FLOORS for header in floor]
PURE = [header for floor in ANALYSIS for header in floor]
WITHOUT_MPI = [*PURE, "analysis"]
ABOVE = [header for floor in REGIONS for header in floor]
UMBRELLAS = {"analysis": PURE, "measure": [header for floor in MEASURING for header in floor]}
ANALYSIS_ROOMS = [["core"], ["record"], ["statistics"], ["runs"], ["compare", "guidelines", "models"]]
TOOL_ROOMS = [["converters", "machine"], ["shared"], ["launching", "models"]]
CONDUCTOR = "run"
LIBRARIES = {"analysis", "measure", "boost", "fmt", "nlohmann", "sys"}  # allowed in libmeasure/analysis
LOCAL = re.compile(r'^\s*#\s*include\s*["<]([\w./-]+)/[\w.-]+[">]')
MPI = re.compile(r'^\s*#\s*include\s*[<"]mpi\.h[>"]')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]measure/(\w+)\.hpp[>"]')
OF_REGIONS = re.compile(r'^\s*#\s*include\s*[<"]regions/')


def includes(path):
    """Yields (line number, header name) of each include of a public header."""
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
    there, wanted = {name for _, name in includes(path)}, set(UMBRELLAS[path.stem])
    if there != wanted:
        yield f"{path}: lacks {sorted(wanted - there)}, and has {sorted(there - wanted)} too much"


def faults_of_user(path):
    for number, name in includes(path):
        if name in UMBRELLAS:
            yield f"{path}:{number}: include what is used, not measure/{name}.hpp"


def faults_of_analysis(path):
    """Checks a header or source that must not need MPI."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if MPI.match(line):
            yield f"{path}:{number}: there is no MPI in libmeasure-analysis"
    for number, name in includes(path):
        if name not in WITHOUT_MPI:
            yield f"{path}:{number}: measure/{name}.hpp is not on a floor of libmeasure-analysis"


def faults_of_core(path):
    """Checks a source of libmeasure, which must not include the regions."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if OF_REGIONS.match(line) or match and match[1] in ABOVE:
            yield f"{path}:{number}: libmeasure stands below libmeasure-regions"


def local_includes(path):
    """Yields (line number, folder) of each include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := LOCAL.match(line):
            yield number, match[1]


def faults_of_room(path, room, rooms, named):
    """Checks a file of a room. \\param named  returns the room of an included folder, or None"""
    height = {name: floor for floor, names in enumerate(rooms) for name in names}
    for number, folder in local_includes(path):
        other = named(folder)
        if ".." in folder:
            yield f"{path}:{number}: name the header by its folder, without .."
        if other in height and other != room and height[other] >= height[room]:
            yield f"{path}:{number}: {other} is not below {room}"


def faults_of_tool(top):
    folder = top / "frontends/measure"
    rooms = {name for names in TOOL_ROOMS for name in names}
    commands = {path.name for path in folder.iterdir() if path.is_dir()} - rooms
    for path in sorted(folder.rglob("*.[ch]*")):
        own = path.relative_to(folder).parts[0]
        if own in rooms:
            yield from faults_of_room(path, own, TOOL_ROOMS, lambda name: name.split("/")[0])
        for number, name in local_includes(path):
            other = name.split("/")[0]
            if other in commands and other != own and own != CONDUCTOR:
                yield f"{path}:{number}: {own} includes the command {other}"


def faults_of_rooms(top):
    folder = top / "libmeasure/analysis"

    def room_of_analysis(name):
        parts = name.split("/")
        return parts[1] if parts[0] == "analysis" and len(parts) > 1 else parts[0]

    rooms = {name for names in ANALYSIS_ROOMS for name in names}
    for path in sorted(folder.rglob("*.[ch]pp")):
        own = path.relative_to(folder).parts[0]
        if own not in rooms:
            yield f"{path}: {own} is no room: add it to ANALYSIS_ROOMS in tests/headers/floors.py"
            continue
        yield from faults_of_room(path, own, ANALYSIS_ROOMS, room_of_analysis)
        for number, name in local_includes(path):
            if name.split("/")[0] not in rooms | LIBRARIES:
                yield f"{path}:{number}: {name} is above libmeasure/analysis"
    for path in sorted((top / "libmeasure/program/cli").rglob("*.[ch]pp")):
        for number, name in local_includes(path):
            if name.startswith("program/") and name != "program/cli":
                yield f"{path}:{number}: the command line includes {name}"


def library_of(name):
    return "analysis" if name in WITHOUT_MPI else "regions" if name in ABOVE else "core"


def faults(top):
    folder = top / "libmeasure/include/measure"
    for name in ORDER:
        if not (folder / f"{name}.hpp").exists():
            yield f"{folder / name}.hpp: on a floor, but not there"
    for path in sorted(folder.glob("*.hpp")):
        yield from faults_of_umbrella(path) if path.stem in UMBRELLAS else faults_of_header(path)
    pure = [path for name in WITHOUT_MPI if (path := folder / f"{name}.hpp").exists()]
    for path in [*pure, *sorted((top / "libmeasure/analysis").rglob("*.[ch]pp"))]:
        yield from faults_of_analysis(path)
    for path in sorted((top / "libmeasure/src").rglob("*.[ch]pp")):
        yield from faults_of_core(path)
    yield from faults_of_rooms(top)
    yield from faults_of_tool(top)
    for part in ("libmeasure", "frontends", "tests"):
        for path in sorted((top / part).rglob("*.[ch]pp")):
            yield from faults_of_user(path)


def main(arguments):
    if arguments[0] == "--list":
        folder = pathlib.Path(arguments[1]) / "libmeasure/include/measure"
        names = [*ORDER, *UMBRELLAS]
        if len(arguments) > 2:
            names = [name for name in names if library_of(name) == arguments[2]]
        print("\n".join(name for name in names if (folder / f"{name}.hpp").exists()))
        return 0
    found = list(faults(pathlib.Path(arguments[0])))
    print("\n".join(found) or "all includes go down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
