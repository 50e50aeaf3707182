#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the default mode of mpiperf with a program that shares no code with the library.

Launches of both programs alternate. Each launch gives the median of one point, and each value is the median over the
launches. The other program runs twice: with the stage length and the slot length that mpiperf used in the same round,
and with single calls, each after a barrier, a broadcast and a wait of 20 us. Prints a Markdown table.

usage: truth.py MPIEXEC MPIPERF TRUTH [LAUNCHES [OPERATION,.. [BYTES,..]]]
"""
import json
import random
import statistics
import subprocess
import sys
import tempfile

OPERATIONS = ("Bcast", "Allreduce", "Alltoall")
SIZES = (8, 256, 1024, 4096, 8192, 65536)


STAGE = 8  # samples of a stage in the plan of mpiperf


def mpiperf(launch, program, operation, size):
    """The median of a point [us], its flags, and the distance between its calls [us]."""
    # The count of a reduction is a number of doubles.
    count = size // 8 if operation == "Allreduce" else size
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        subprocess.run([*launch, program, "-x", str(count), "-X", str(count), "--quiet", "--json", file.name, operation],
                       stdout=subprocess.DEVNULL, check=False, timeout=120)
        points = [record for record in map(json.loads, open(file.name)) if record["record"] == "point"]
    estimate = points[0]["estimate"] if points else None
    if not estimate:
        return None, ["no value"], 100
    return estimate["median"] * 1e6, points[0]["flags"], points[0]["derived"]["slot_lengths"][-1] * 1e6


def truth(launch, program, operation, size, *stages):
    out = subprocess.run([*launch, program, operation, str(size), "1000", *map(str, stages)], stdout=subprocess.PIPE,
                         text=True, check=True, timeout=120).stdout.split()
    return None if out[0] == "-" else float(out[0])


def spread(values):
    return statistics.stdev(values) / statistics.mean(values) * 100 if len(values) > 1 else 0


def interval(over, under):
    """The 95 % interval of the ratio of the medians over launches, by bootstrap."""
    draw = random.Random(1)
    ratios = sorted(statistics.median(draw.choices(over, k=len(over))) / statistics.median(draw.choices(under, k=len(under)))
                    for _ in range(2000))
    return f"{ratios[49]:.2f} .. {ratios[-50]:.2f}"


def main(launcher, ours, theirs, starts="30", operations=",".join(OPERATIONS), sizes=",".join(map(str, SIZES))):
    launch = [launcher, "-n", "2"]
    print("| operation | bytes | mpiperf [us] | sd | other program [us] | sd | ratio | 95 % | after a wait of 20 us [us] "
          "| flags |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for operation in operations.split(","):
        for size in map(int, sizes.split(",")):
            values, flags = ([], [], []), {}
            for _ in range(int(starts)):
                value, seen, apart = mpiperf(launch, ours, operation, size)
                for flag in seen:
                    flags[flag] = flags.get(flag, 0) + 1
                found = (value, truth(launch, theirs, operation, size, STAGE, apart),
                         truth(launch, theirs, operation, size))
                for known, each in zip(values, found):
                    known += [each] if each is not None else []
            x, y, z = map(statistics.median, values)
            print(f"| {operation} | {size} | {x:.3f} | {spread(values[0]):.0f} % | {y:.3f} | {spread(values[1]):.0f} % | "
                  f"{x / y:.2f} | {interval(values[0], values[1])} | {z:.3f} | "
                  f"{', '.join(f'{k} {n}' for k, n in sorted(flags.items()))} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
