#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Agreement of launches of mpiperf, on a quiet machine and next to programs that use every core.

The first table shows the relative standard deviation of the median of Bcast between launches, for a single point and
for the first and the last point of a sweep. The second table shows the default sweep of three collectives next to one
spinning program per core: points with a value, values more than 25 % outside the range of the launches on the quiet
machine, and the elapsed time. Several builds can be given; their launches alternate. The first build provides the range
on the quiet machine.

usage: launches.py MPIEXEC LAUNCHES LAUNCHES_UNDER_LOAD NAME=MPIPERF...
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from competitors import competitors  # noqa: E402

SIZES = ("8", "4096")
COLLECTIVES = ("Bcast", "Allreduce", "Alltoall")


def points(launch, *arguments):
    """The points of one launch, and its elapsed time in seconds."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        began = time.monotonic()
        subprocess.run([*launch, *arguments, "--quiet", "--json", file.name], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=600)
        elapsed = time.monotonic() - began
        return [record for record in map(json.loads, open(file.name)) if record["record"] == "point"], elapsed


def median(point):
    return point["estimate"]["median"] if point["estimate"] else None


def deviation(values):
    known = [value for value in values if value is not None]
    return f"{statistics.stdev(known) / statistics.mean(known) * 100:.0f} %" if len(known) > 1 else "-"


def row(name, build, values):
    known = sorted(value for value in values if value is not None)
    print(f"| {name} | {build} | {len(known)} of {len(values)} | {statistics.median(known) * 1e6:.3f} | "
          f"{known[0] * 1e6:.3f} | {known[-1] * 1e6:.3f} | {deviation(values)} |", flush=True)


def agreement(launches, starts):
    print("| Bcast | build | launches with a value | median [us] | min | max | sd of launches |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows = {}
    for _ in range(starts):
        for build, launch in launches.items():
            for size in SIZES:
                alone = points(launch, "-x", size, "-X", size, "Bcast")[0]
                rows.setdefault((f"{size} B alone", build), []).append(median(alone[0]))
            sweep = sorted(points(launch, "-x", "8", "-X", "4096", "Bcast")[0], key=lambda p: p["at"]["bytes"])
            rows.setdefault(("8 B, first of a sweep", build), []).append(median(sweep[0]))
            rows.setdefault(("4096 B, last of a sweep", build), []).append(median(sweep[-1]))
    for (name, build), values in sorted(rows.items(), key=lambda row: row[0][0]):
        row(name, build, values)


def key(point):
    return point["benchmark"], point["at"]["bytes"]


def load(launches, starts):
    quiet, times = {}, {}
    for _ in range(starts):
        for build, launch in launches.items():
            found, elapsed = points(launch, *COLLECTIVES)
            times.setdefault((build, "quiet"), []).append(elapsed)
            for point in found if launch == next(iter(launches.values())) else []:
                quiet.setdefault(key(point), []).append(median(point))
    usual = {name: [value for value in values if value is not None] for name, values in quiet.items()}
    print("| build | points | with a value | off by more than 25 % | off without a flag | time [s] | quiet [s] |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for build, launch in launches.items():
        counted = valid = wrong = unmarked = 0
        for _ in range(starts):
            with competitors(len(os.sched_getaffinity(0))):
                found, elapsed = points(launch, *COLLECTIVES)
            times.setdefault((build, "loaded"), []).append(elapsed)
            for point in found:
                counted += 1
                value = median(point)
                valid += value is not None
                low, high = min(usual[key(point)]), max(usual[key(point)])
                if value is not None and not 0.75 * low <= value <= 1.25 * high:
                    wrong += 1
                    unmarked += not set(point["flags"]) - {"autocorrelated", "near_timer_floor"}
        print(f"| {build} | {counted} | {valid / counted * 100:.1f} % | {wrong / counted * 100:.1f} % | "
              f"{unmarked / counted * 100:.1f} % | {statistics.median(times[build, 'loaded']):.2f} | "
              f"{statistics.median(times[build, 'quiet']):.2f} |", flush=True)


def main(launcher, starts, under_load, *builds):
    named = (build.rpartition("=") for build in builds)
    launches = {name: [launcher, "-n", "2", program] for name, _, program in named}
    agreement(launches, int(starts))
    print(flush=True)
    load(launches, int(under_load))


if __name__ == "__main__":
    main(*sys.argv[1:])
