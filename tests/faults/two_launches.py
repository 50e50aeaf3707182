# SPDX-License-Identifier: BSD-3-Clause
"""Two runs with one output: the second is refused. If both use the same lock file, the message names the first run."""
import dataclasses
import re
import signal
import socket
import subprocess
import time

import programs
import runs
from part import Case, Skipped
from programs import RECORD

OWNER = rf": [\w-]+, process \d+ on {re.escape(socket.gethostname())}"
BUSY = rf"another run is writing it({OWNER})?$"


class Second(Case):
    """The second run begins while the first is running."""

    def __init__(self, world, writer, shared):
        super().__init__(f"{writer.name}: the second run wants {shared}")
        self.world, self.writer, self.shared = world, writer, shared
        self.first = writer

    def run(self, folder):
        self.writer.prepare(folder)
        command = self.first.command(self.world)
        first = runs.Started([word if word != RECORD else "first.jsonl" for word in command], folder,
                             stdout=subprocess.DEVNULL)
        if not self.wait_for(lambda: (folder / "first.jsonl").exists() and (folder / "first.jsonl").stat().st_size,
                             first):
            ended = self.ended(first)
            self.expect("wrong codes", False, f"the first run has no record: exit code {ended.code}: {ended.lines[:3]}")
            return
        own = "first.jsonl" if self.shared == RECORD else RECORD
        command = self.writer.command(self.world)
        run = self.watch([word if word != RECORD else own for word in command], folder)
        over = first.process.poll() is not None
        if over and run.code != 2:
            self.ended(first)
            raise Skipped("the first run ended before the second one began")
        self.expect("wrong codes", run.code == 2, f"exit code {run.code}: {run.lines[:3]}")
        errors = run.errors()
        self.expect("wrong words", len(errors) == 1 and re.search(BUSY, errors[0]), f"{run.lines[:3]}")
        for rank in runs.ranks(first.process.pid, self.writer.program):
            runs.send(rank, signal.SIGTERM)
        ended = self.ended(first, killed=True)
        path = folder / "first.jsonl"
        faults = runs.record_faults(path)
        self.expect("lost data", not faults and runs.has_end(runs.whole_lines(path)),
                    f"exit code {ended.code}, record of the first run: {faults[:2]}")

    @staticmethod
    def wait_for(condition, started):
        until = time.monotonic() + runs.LIMIT
        while not condition() and started.process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        return bool(condition())


class SameScratch(Second):
    """The two runs have different outputs, but put the files that they measure in the same place."""

    def __init__(self, world, writer):
        super().__init__(world, dataclasses.replace(writer, arguments=(*writer.arguments[:-1], "other"),
                                                    outputs=writer.outputs | {"other"}), "the files that it measures")
        self.first = writer


class AtOnce(Case):
    """Both runs begin at the same moment: one is refused, or they run one after the other; no file is torn."""

    def __init__(self, world, writer, number):
        super().__init__(f"{writer.name}: two runs at once, {number}")
        self.world, self.writer = world, writer

    def run(self, folder):
        self.writer.prepare(folder)
        started = [runs.Started(self.writer.command(self.world), folder, stdout=subprocess.DEVNULL) for _ in range(2)]
        ended = [self.ended(each) for each in started]
        codes = sorted(run.code for run in ended)
        self.expect("wrong codes", set(codes) <= {0, 2, 4} and codes != [2, 2],
                    f"exit codes {codes}: {[run.lines[:2] for run in ended]}")
        for run in ended:
            if run.code == 2:
                self.expect("wrong words", re.search(BUSY, "\n".join(run.errors()), re.MULTILINE), f"{run.lines[:3]}")
        faults = runs.record_faults(folder / RECORD)
        self.expect("lost data", not faults and runs.has_end(runs.whole_lines(folder / RECORD)), f"{faults[:3]}")
        left = {name.split("/")[0] for name in runs.files(folder)} - {RECORD} - self.writer.outputs
        self.expect("left files", not left, f"{sorted(left)}")


class SameArchive(Case):
    """Records that are added to one archive at the same time all arrive."""

    def run(self, folder):
        (folder / "in.jsonl").write_bytes(programs.GOLDEN)
        add = [self.world.measure, "archive", "add", "-a", "all.sqlite", "in.jsonl"]
        for run in [self.ended(each) for each in [runs.Started(add, folder) for _ in range(4)]]:
            self.expect("wrong codes", run.code == 0, f"exit code {run.code}: {run.lines[:3]}")
        run = self.watch([self.world.measure, "archive", "check", "-a", "all.sqlite"], folder)
        self.expect("lost data", run.code == 0, f"{run.lines[:3]}")

    def __init__(self, world, number):
        super().__init__(f"measure archive add: four at once, {number}")
        self.world = world


def cases(world, times):
    made = []
    for writer in programs.writers(world.build):
        made.append(Second(world, writer, RECORD))
        # Its other outputs. Logs of mpiperf and tables of the links are treated like all other outputs.
        if writer.outputs:
            made.append(Second(world, writer, "its other outputs"))
        if writer.program == "PMB-IO":
            made.append(SameScratch(world, writer))
    writers = programs.writers(world.build)
    for number in range(times):
        made += [AtOnce(world, writer, number) for writer in writers[number % 3::3]]
        made.append(SameArchive(world, number))
    return made
