#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles each source of a configured build folder alone, without code, and counts those that do not compile.

A build that compiles sources together hides an include that one of them lacks. The build folder is configured, not
built; its options say compiler and warnings.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def compile_alone(entry):
    """The compiler's words where the source does not compile."""
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        del words[0]  # it keeps objects, and there are none
    for option in ("-o", "-MF", "-MQ"):
        at = words.index(option)
        del words[at:at + 2]
    words.remove("-MD")
    done = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], text=True, capture_output=True)
    return done.stderr if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="build folder of Meson, configured with -Dunity=off")
    args = parser.parse_args()
    entries = json.loads((args.folder / "compile_commands.json").read_text())
    sources = {entry["file"]: entry for entry in entries if entry["file"].endswith((".cpp", ".c"))}
    if not sources:
        sys.exit(f"{args.folder}: no sources")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        failures = [words for words in workers.map(compile_alone, sources.values()) if words]
    for words in failures:
        print(words, end="")
    print(f"{len(sources)} sources, {len(failures)} do not compile alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
