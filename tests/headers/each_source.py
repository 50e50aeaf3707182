#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles each source of a configured build folder alone, without generating code, and counts failures.

A build that compiles several sources together hides an include that one of them lacks. The build folder must be
configured, not built; its options determine compiler and warnings. With --since only sources that a change can affect
are compiled: sources whose code has changed since that revision, and sources that include, directly or indirectly, a
file that now includes other files or has other forward declarations. Comments and the text of strings are not code.
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

# A raw string, a string, a character, or a comment. Digit separators are no quotes.
TEXT = re.compile(r'''R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/''',
                  re.DOTALL)
SUFFIXES = (".cpp", ".hpp", ".c", ".h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
FORWARD = re.compile(r"^\s*(?:class|struct|enum class)\s+\w+(?=;)", re.MULTILINE)


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


def source_of(entry):
    return (pathlib.Path(entry["directory"]) / entry["file"]).resolve()


def files_of(entry, top):
    """Returns the source and the files of the tree that it includes directly or indirectly."""
    folder = pathlib.Path(entry["directory"])
    words = shlex.split(entry["command"])
    places = [(folder / word[2:]).resolve() for word in words if word.startswith("-I")]
    found, left = set(), [source_of(entry)]
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


def code(text):
    """Returns what a source includes or declares in advance, and its text without comments, white space and the text of
    strings."""
    return {*INCLUDE.findall(text), *FORWARD.findall(text)}, "".join(
        TEXT.sub(lambda found: "" if found[0][0] == "/" else '""', text).split())


def changed_since(revision, top):
    """Returns the files whose code differs from a revision, and those of them whose includes or forward declarations
    differ. Both contain new files."""
    def git(*words):
        return subprocess.run(["git", "-C", top, *words], check=True, stdout=subprocess.PIPE).stdout

    changed = set(git("ls-files", "--others", "--exclude-standard").decode().splitlines())
    with_includes = set(changed)
    for line in git("diff", "--raw", "--no-renames", "--abbrev=40", revision).decode().splitlines():
        fields, name = line.split("\t")
        before, kind = fields.split()[2], fields.split()[4]
        if kind == "D" or pathlib.Path(name).suffix not in SUFFIXES:
            continue
        names, words = code((top / name).read_text(encoding="utf-8", errors="replace"))
        names_before, words_before = code(git("cat-file", "blob", before).decode(errors="replace")) if kind == "M" \
            else (None, None)
        if words != words_before:
            changed.add(name)
        if names != names_before:
            with_includes.add(name)
    return {top / name for name in changed}, {top / name for name in with_includes}


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
        changed, with_includes = changed_since(args.since, top)
        chosen = [entry for entry in chosen
                  if source_of(entry) in changed or files_of(entry, top) & with_includes]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        failures = [words for words in workers.map(compile_alone, chosen) if words]
    for words in failures:
        print(words, end="")
    print(f"{len(chosen)} of {len(sources)} sources, {len(failures)} do not compile alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
