#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints how tools/check spent its time, and writes the same into times.txt of each build folder.

usage: times.py SINCE FOLDER ...

SINCE is when the checks began, in seconds since 1970; older files are ignored. Prints for each build folder the seconds
of its build (ninja's log) and of its tests (Meson's logs), the number of programs that the tests started, the ten
slowest compilations and the twenty slowest test cases.
"""
import json
import pathlib
import re
import sys

CASE = re.compile(r"^ {2}(\d+\.\d+) s {2}(\S.*)$", re.MULTILINE)
STARTED = re.compile(r"^started (\d+) programs$", re.MULTILINE)


def compilations(folder, since):
    """Yields (seconds, output, begin, end) of each job of ninja since then. The times count from the start of ninja, in
    seconds."""
    log = folder / ".ninja_log"
    latest = {}  # last line of each output
    for line in log.read_text().splitlines()[1:] if log.exists() else []:
        if len(fields := line.split("\t")) == 5:
            latest[fields[3]] = fields
    jobs = {}
    for begin, end, _, output, command in latest.values():
        path = folder / output
        if path.exists() and path.stat().st_mtime >= since:
            jobs[begin, end, command] = ((int(end) - int(begin)) / 1000, output, int(begin) / 1000, int(end) / 1000)
    return list(jobs.values())


def tests(folder, since):
    """Yields the entries of Meson's test logs since then."""
    for log in sorted(folder.glob("meson-logs/*.json")):
        if log.stat().st_mtime < since or log.name.startswith("intro"):
            continue
        for line in log.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def cases(entry):
    """Yields (seconds, name) of the slow test cases that a test reports, or of the test itself."""
    name = entry["name"].split(" / ")[-1]
    found = CASE.findall(entry.get("stdout") or "")
    return [(float(seconds), f"{name}: {case}") for seconds, case in found] or [(entry["duration"], name)]


def started(entry):
    """Returns how many programs a test started, including itself."""
    return 1 + sum(map(int, STARTED.findall(entry.get("stdout") or "")))


def rows(title, timed, most):
    if timed:
        yield f"{title}:"
    for seconds, name in sorted(timed, reverse=True)[:most]:
        yield f"  {seconds:7.1f} s  {name}"


def name_of(output):
    """Returns a shorter name of an object file: its target and source."""
    return re.sub(r"[^/]*\.p/(meson-generated_)?", "", output).removesuffix(".o")


def table(folder, since):
    jobs = compilations(folder, since)
    entries = list(tests(folder, since))
    yield f"{folder}:"
    if jobs:
        # Each start of ninja counts from 0, so the longest of several is used.
        yield f"  {max(job[3] for job in jobs):7.1f} s  build, {len(jobs)} jobs, {sum(j[0] for j in jobs):.0f} s in total"
    if entries:
        begin = min(entry["starttime"] for entry in entries)
        end = max(entry["starttime"] + entry["duration"] for entry in entries)
        yield (f"  {end - begin:7.1f} s  {len(entries)} tests, {sum(e['duration'] for e in entries):.0f} s in total, "
               f"which started {sum(map(started, entries))} programs")
    yield from rows("slowest compilations", [(job[0], name_of(job[1])) for job in jobs], 10)
    yield from rows("slowest test cases", [case for entry in entries for case in cases(entry)], 20)


def main():
    since = float(sys.argv[1])
    for folder in map(pathlib.Path, sys.argv[2:]):
        lines = list(table(folder, since))
        if len(lines) > 1:
            text = "\n".join(lines) + "\n"
            (folder / "times.txt").write_text(text, encoding="utf-8")
            print(f"\n{text}", end="")


if __name__ == "__main__":
    main()
