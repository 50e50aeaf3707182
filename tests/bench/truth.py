#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf's default mode against a program that shares no code with the library.

Starts of both alternate; a value is the median over the starts of each. mpiperf's is the median of a point, as the
other program's is. Prints a Markdown table.

usage: truth.py MPIEXEC MPIPERF TRUTH [STARTS [OPERATION,.. [BYTES,..]]]
"""
import json
import statistics
import subprocess
import sys
import tempfile

OPERATIONS = ("Bcast", "Allreduce", "Alltoall")
SIZES = (8, 256, 1024, 4096, 8192, 65536)


def mpiperf(launch, program, operation, size):
    # Of a reduction the count is one of doubles.
    count = size // 8 if operation == "Allreduce" else size
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        subprocess.run([*launch, program, "-x", str(count), "-X", str(count), "--quiet", "--json", file.name, operation],
                       stdout=subprocess.DEVNULL, check=False, timeout=120)
        points = [record for record in map(json.loads, open(file.name)) if record["record"] == "point"]
    estimate = points[0]["estimate"] if points else None
    return (estimate["median"] * 1e6, points[0]["flags"]) if estimate else (None, ["no number"])


def truth(launch, program, operation, size):
    out = subprocess.run([*launch, program, operation, str(size), "1000"], stdout=subprocess.PIPE, text=True, check=True,
                         timeout=120).stdout.split()
    return None if out[0] == "-" else float(out[0])


def spread(values):
    return statistics.stdev(values) / statistics.mean(values) * 100 if len(values) > 1 else 0


def main(launcher, ours, theirs, starts="10", operations=",".join(OPERATIONS), sizes=",".join(map(str, SIZES))):
    launch = [launcher, "-n", "2"]
    print("| operation | bytes | mpiperf [us] | sd over starts | other program [us] | sd over starts | ratio | flags |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for operation in operations.split(","):
        for size in map(int, sizes.split(",")):
            a, b, flags = [], [], {}
            for _ in range(int(starts)):
                value, seen = mpiperf(launch, ours, operation, size)
                a += [value] if value is not None else []
                for flag in seen:
                    flags[flag] = flags.get(flag, 0) + 1
                other = truth(launch, theirs, operation, size)
                b += [other] if other is not None else []
            x, y = statistics.median(a), statistics.median(b)
            print(f"| {operation} | {size} | {x:.3f} | {spread(a):.0f} % | {y:.3f} | {spread(b):.0f} % | {x / y:.2f} | "
                  f"{', '.join(f'{k} {n}' for k, n in sorted(flags.items()))} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
