#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""User seconds that the compiler needs for small programs, and their ratios to a program without the library.

The programs are compiled in turn, so that all of them see the same load. The compiler and its flags are those of the
example ten_lines in the build folder, with -O2, and without a compiler cache or a precompiled header.

usage: compile_time.py BUILD COUNT REFERENCE.cpp PROGRAM.cpp..
"""
import json
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys


def command(build):
    """The command that compiles ten_lines in the build folder, without file names."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    words = next(shlex.split(e["command"]) for e in entries if "examples/ten_lines.p" in e["output"])
    while pathlib.Path(words[0]).name in ("ccache", "sccache"):
        del words[0]
    kept = [words[0], "-O2"]
    for word, following in zip(words[1:], words[2:] + [""]):
        if word in ("-isystem", "-I"):
            kept += [word, following]
        elif word.startswith(("-I", "-D", "-std=", "-isystem")):
            kept.append(word)
    return kept


def user_seconds(words, build):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(words, cwd=build, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(arguments):
    build, count, programs = pathlib.Path(arguments[0]), int(arguments[1]), arguments[2:]
    words = command(build)
    # The name of the compiler may be a link to the compiler cache, so the cache is disabled.
    environment_free = ["env", "CCACHE_DISABLE=1", *words]
    times = {program: [] for program in programs}
    for _ in range(count):
        for program in programs:
            times[program].append(user_seconds([*environment_free, "-c", "-o", "/dev/null", program], build))
    reference = times[programs[0]]
    print(f"{'user s':>8} {'min':>8} {'ratio':>8}  program ({count} compilations each, medians)")
    for program in programs:
        ratio = statistics.median(t / r for t, r in zip(times[program], reference))
        print(f"{statistics.median(times[program]):8.2f} {min(times[program]):8.2f} {ratio:8.2f}  "
              f"{pathlib.Path(program).name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
