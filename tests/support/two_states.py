#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Replaces mpiperf on a machine with two states: starts it, and multiplies the times in its record.
"""usage: two_states.py ARGUMENT...

Starts $TWO_STATES_PROGRAM with the arguments; rank 0 multiplies the times of points that were measured while the
machine was in its second state. The state follows from the time of day and $TWO_STATES (share of the second state, mean
duration in seconds): "0.4,5". The factors come from 87 recorded launches on a virtual machine whose cores were moved.
That of the control is doubled: with 4.3 a simulated state looked like a real state of the machine that ran the
simulation, although operations took different times in it.
"""
import json
import os
import random
import subprocess
import sys
import time

# By benchmark and size; other sizes use the nearest one.
FACTORS = {
    "Cacheline": {0: 9},
    "Pingpong": {8: 3.4, 1024: 3.0, 65536: 1.12, 1 << 20: 1.02},
    "Barrier": {0: 2.55},
    "Bcast": {8: 2.3, 1024: 1.9, 65536: 1.11, 1 << 20: 1.01},
    "Allreduce": {8: 2.05, 1024: 2.1, 65536: 2.34, 1 << 20: 3.65},
    "Allgather": {8: 2.1, 1024: 1.8, 65536: 2.7, 1 << 20: 4.4},
    "Alltoall": {8: 1.84, 1024: 1.5, 65536: 1.14, 1 << 20: 1.01},
    "Stream": {65536: 1.03},
}
TIMES = ("mean", "standard_error", "median", "middle", "min", "max", "clock_step", "interval", "median_interval")


def is_second(when):
    """Whether the machine is in its second state at that time. The answer depends only on the time, so all processes
    agree."""
    share, duration = (float(word) for word in os.environ.get("TWO_STATES", "0.4,5").split(","))
    first = duration * (1 - share) / share
    hour = int(when // 3600)
    chance = random.Random(hour)
    left = when - 3600 * hour
    second = chance.random() < share
    while True:
        left -= chance.expovariate(1 / (duration if second else first))
        if left < 0:
            return second
        second = not second


def factor(record):
    sizes = FACTORS.get(record["benchmark"])
    if sizes is None:
        return 1
    size = record["at"].get("bytes", 0)
    return sizes[min(sizes, key=lambda one: abs(one - size))]


def scaled(value, by):
    return [scaled(one, by) for one in value] if isinstance(value, list) else value and value * by


def slow_down(record):
    by = factor(record)
    if record["value"] is None:
        return
    record["value"] *= by
    estimate = record["estimate"]
    for name in TIMES:
        if name in estimate:
            estimate[name] = scaled(estimate[name], by)
    estimate["quantiles"] = {name: value * by for name, value in estimate.get("quantiles", {}).items()}


def rewrite(path, end):
    records = [json.loads(line) for line in open(path, encoding="utf-8")]
    points = [record for record in records if record["record"] == "point"]
    when = end - sum(point["elapsed"] for point in points)
    for point in points:
        if is_second(when):
            slow_down(point)
        when += point["elapsed"]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


if __name__ == "__main__":
    # The rank's connection to the launcher is an open file.
    done = subprocess.run([os.environ["TWO_STATES_PROGRAM"], *sys.argv[1:]], close_fds=False, check=False)
    if os.environ.get("PMI_RANK", "0") == "0" and done.returncode == 0 and "--json" in sys.argv:
        rewrite(sys.argv[sys.argv.index("--json") + 1], time.time())
    sys.exit(done.returncode)
