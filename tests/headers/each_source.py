#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles each source of a configured build folder alone, without generating code, and counts failures.

A build that compiles several sources together hides an include that one of them lacks. The build folder must be
configured, not built; its options determine compiler and warnings. With --since only sources that a change can affect
are compiled: sources that have changed since that revision or include a file that has. If the project's own meson.build
has changed, all are compiled, because it sets the compiler flags.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def compile_alone(entry):
    """Returns the compiler's messages if the source does not compile, otherwise an empty text."""
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        del words[0]  # ccache needs object files, which are not created
    for option in ("-o", "-MF", "-MQ"):
        at = words.index(option)
        del words[at:at + 2]
    words.remove("-MD")
    done = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], text=True, capture_output=True)
    return done.stderr if done.returncode != 0 else ""


@functools.cache
def included(path):
    """Returns the texts of a file's include lines."""
    try:
        return INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return []


def files_of(entry, top):
    """Returns the source and the files of the tree that it includes directly or indirectly."""
    folder = pathlib.Path(entry["directory"])
    words = shlex.split(entry["command"])
    places = [(folder / word[2:]).resolve() for word in words if word.startswith("-I")]
    found, left = set(), [(folder / entry["file"]).resolve()]
    while left:
        path = left.pop()
        if path in found:
            continue
        found.add(path)
        for name in included(path):
            candidates = (place / name for place in (path.parent, *places))
            target = next((c.resolve() for c in candidates if c.is_file()), None)
            if target is not None and target.is_relative_to(top):
                left.append(target)
    return found


def changed_since(revision, top):
    """Returns the files that differ from a revision, including untracked ones."""
    listed = []
    for command in (["diff", "--name-only", revision], ["ls-files", "--others", "--exclude-standard"]):
        listed += subprocess.run(["git", "-C", top, *command], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.splitlines()
    return {top / name for name in listed}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="build folder of Meson, configured with -Dunity=off")
    parser.add_argument("--since", metavar="REV", help="only sources that a change since REV affects")
    args = parser.parse_args()
    entries = json.loads((args.folder / "compile_commands.json").read_text())
    sources = {entry["file"]: entry for entry in entries if entry["file"].endswith((".cpp", ".c"))}
    if not sources:
        sys.exit(f"{args.folder}: no sources")
    chosen = list(sources.values())
    if args.since:
        top = pathlib.Path(__file__).resolve().parents[2]
        changed = changed_since(args.since, top)
        if top / "meson.build" not in changed:
            chosen = [entry for entry in chosen if files_of(entry, top) & changed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        failures = [words for words in workers.map(compile_alone, chosen) if words]
    for words in failures:
        print(words, end="")
    print(f"{len(chosen)} of {len(sources)} sources, {len(failures)} do not compile alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
