#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run with many ranks: its size, and the time and memory of `measure report` and `compare` with it.

usage: large_record.py MEASURE MPIPERF LAUNCHER [RANKS...]
A record of two ranks of this machine is changed into a record of RANKS ranks, 64 per host. The ranks are placed in
blocks, or distributed round-robin over the hosts.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

RANKS_PER_HOST = 64
MODEL = ("-x", "8", "-X", "64kiB", "-E", "2", "Bcast", "Allreduce")


def ranges(ranks):
    """The text form of a list of ranks in a record: "0-3,8"."""
    parts = []
    for rank in ranks:
        if parts and parts[-1][1] == rank - 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in parts)


def hosts_of(model, ranks, around):
    number = -(-ranks // RANKS_PER_HOST)
    return [{**model, "name": f"node{i:06d}.cluster", "cores": RANKS_PER_HOST,
             "ranks": ranges(range(i, ranks, number) if around else
                             range(i * RANKS_PER_HOST, min(ranks, (i + 1) * RANKS_PER_HOST)))}
            for i in range(number)]


def of_ranks(records, ranks, around):
    records = copy.deepcopy(records)
    records[0]["ranks"] = ranks
    records[0]["hosts"] = hosts_of(records[0]["hosts"][0], ranks, around)
    for record in records[1:]:
        if record["record"] == "point" and "ranks" in record["at"]:
            record["at"]["ranks"] = ranks
    return [json.dumps(record) + "\n" for record in records]


def taken(*command):
    """Elapsed time in seconds and peak memory in MB of a program."""
    begin = time.monotonic()
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit(f"{command}: exit code {process.returncode}")
    return time.monotonic() - begin, usage.ru_maxrss / 1e3


def main(measure, mpiperf, launcher, *sizes):
    print("| ranks | hosts | ranks of a host | run line [B] | other lines [B] | report [s] | [MB] | page [B] | "
          "compare [s] | [MB] |")
    print("| --- " * 10 + "|")
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("model", "a.jsonl", "b.jsonl", "page.html")]
        model, one, other, page = paths
        subprocess.run([launcher, "-n", "2", mpiperf, "--quiet", *MODEL, "--json", model], check=False,
                       stdout=subprocess.DEVNULL)
        records = [json.loads(line) for line in model.open()]
        for ranks in map(int, sizes or (2, 16, 256, 4096, 65536, 100000)):
            for around in (False, True)[:1 if ranks <= RANKS_PER_HOST else 2]:
                lines = of_ranks(records, ranks, around)
                for path in (one, other):
                    path.write_text("".join(lines))
                report = taken(measure, "report", one, "--output", page)
                compare = taken(measure, "compare", one, other)
                print(f"| {ranks} | {-(-ranks // RANKS_PER_HOST)} | {'round-robin' if around else 'in blocks'} | "
                      f"{len(lines[0])} | {sum(map(len, lines[1:]))} | {report[0]:.2f} | {report[1]:.0f} | "
                      f"{page.stat().st_size} | {compare[0]:.2f} | {compare[1]:.0f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 3 else __doc__)
