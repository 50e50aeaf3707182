#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All bundled programs with wrong arguments, killed, without space, run twice at once, with damaged input and hostile
names.

usage: driver.py BUILD_FOLDER [--seed N] [--times K] [--jobs N] [--only REGEX] [--list] [PART...]

Prints a table of the parts at the end; all its columns should be 0. To repeat a case, pass its name to --only with the
same --seed and --times.
"""
import argparse
import collections
import concurrent.futures
import importlib
import os
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import part  # noqa: E402
import programs  # noqa: E402

PARTS = {"command_lines": "command lines", "kills": "kills", "limits": "disks, memory, files",
         "two_launches": "two launches",
         "damaged": "damaged input", "names": "hostile names"}
ALONE = {"kills", "limits", "two_launches"}  # these become many times slower if other cases share their cores

# Known failures: part, column, pattern of the case's name, pattern of the finding, reason.
EXCEPTIONS = [
    ("limits", "wrong words", r"^measure archive add .* with (fsize|nofile)=", r"disk I/O error",
     "measure archive: SQLite does not keep the system's reason of every failure"),
    ("kills", "wrong codes", r": SIG\w+ to (a rank|the launcher) after ", r"control_cb .*assert \(!closed\) failed",
     "mpiexec of MPICH 4.0.2 fails its own assertion if a signal comes while a rank connects"),
    ("kills", "hangs", r": SIG\w+ to the launcher after ", r"waits for ranks that wait",
     "mpiexec of MPICH 4.0.2 loses a signal that comes while it starts the ranks"),
    ("kills", "wrong codes", r": SIG\w+ to the launcher after ", r"exit code (-6|-11|11, .*, before a rank ran:)",
     "mpiexec of MPICH 4.0.2 or a child that has not become a rank crashes in the signal handler of MPICH"),
]


def known(name, case, column, text):
    return any(name == of and column == under and re.search(which, case) and re.search(what, text)
               for of, under, which, what, _ in EXCEPTIONS)


def try_part(name, cases, jobs, failures):
    """Appends a line for each unknown fault to `failures`. \\return the counts of the part's row"""
    counts = collections.Counter()
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(1 if name in ALONE else jobs) as pool:
        for case in pool.map(lambda case: case.try_it(), cases):
            counts["cases"] += not case.skipped
            if case.skipped:
                counts["skipped"] += 1
                print(f"{PARTS[name]}: {case.name}: skipped: {case.skipped}", flush=True)
            for column, text in case.faults:
                excepted = known(name, case.name, column, text)
                counts["excepted" if excepted else column] += 1
                line = f"{PARTS[name]}: {case.name}: {'known: ' if excepted else ''}{column}: {text}"
                print(line, flush=True)
                if not excepted:
                    failures.append(line)
    slowest = sorted(cases, key=lambda case: -case.seconds)[:3]
    print(f"{PARTS[name]}: slowest: " + ", ".join(f"{case.name[:60]} {case.seconds:.1f} s" for case in slowest))
    counts["seconds"] = round(time.monotonic() - begun)
    return counts


def table(rows):
    columns = ["cases", *part.COLUMNS, "excepted", "skipped", "seconds"]
    print("\n" + "part".ljust(22) + "  ".join(columns))
    for name, counts in rows.items():
        print(PARTS[name].ljust(22) + "  ".join(str(counts[column]).rjust(len(column)) for column in columns))


def main(times=1):
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=times, help="repeat the short form this often")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="cases whose names match this regular expression")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("parts", nargs="*")
    options = parser.parse_intermixed_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(unknown)}: {', '.join(PARTS)}")
    world = programs.World(options.build.resolve())
    rows, failures = {}, []
    for name in options.parts or PARTS:
        random.seed(f"{options.seed} {name}")  # the cases of a part do not depend on which other parts run
        cases = importlib.import_module(name).cases(world, options.times)
        cases = [case for case in cases if re.search(options.only, case.name)]
        if options.list:
            print("\n".join(f"{PARTS[name]}: {case.name}" for case in cases))
        else:
            rows[name] = try_part(name, cases, options.jobs, failures)
    if options.list:
        return
    table(rows)
    for of, under, _, _, why in EXCEPTIONS:
        print(f"excepted: {PARTS[of]}: {under}: {why}")
    bad = {name for name, counts in rows.items() if any(counts[column] for column in part.COLUMNS)}
    tried = sum(counts["cases"] for counts in rows.values())
    if failures:  # printed again, because a log may show only the end of the output
        print(*failures, sep="\n")
    print(f"seed {options.seed}, times {options.times}")
    print(f"{len(rows) - len(bad)} passed, {len(bad)} failed")
    sys.exit(bool(bad) or not tried)


if __name__ == "__main__":
    main()
