# SPDX-License-Identifier: BSD-3-Clause
"""Runs that a signal ends at a random moment. It goes to one rank, to the launcher, or to a command with children."""
import dataclasses
import random
import signal
import subprocess
import time

import programs
import runs
from part import Case
from programs import RECORD
from runs import harness

TAKES = 1.2  # seconds within which the signal is sent; a launch takes 0.1 s
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE]
HANDLED = {signal.SIGTERM, signal.SIGINT}


class Kill(Case):
    def __init__(self, world, writer, number, target, after):
        super().__init__(f"{writer.name}: {signal.Signals(number).name} to {target} after {after:.2f} s")
        self.world, self.writer, self.number, self.target, self.after = world, writer, number, target, after

    def run(self, folder):
        self.writer.prepare(folder)
        started = runs.Started(self.writer.command(self.world), folder, stdout=subprocess.DEVNULL)
        time.sleep(self.after)
        launcher = started.process.pid
        ranks = runs.ranks(launcher, self.writer.program)
        victim = launcher if self.target != "a rank" or not ranks else random.choice(ranks)
        to_rank = victim in ranks
        over = started.process.poll() is not None
        runs.send(victim, self.number)
        run = self.ended(started, killed=True)
        if run.hung:
            return
        lines = runs.whole_lines(folder / RECORD)
        self.assert_code(run, over, to_rank, lines, "" if ranks else ", before a rank ran")
        faults = runs.record_faults(folder / RECORD)
        self.expect("lost data", not faults, f"the record: {faults[:3]}")
        found = runs.points(lines)
        self.expect("lost data", len(found) == len(set(found)), "a point is in the record twice")
        if run.code in (0, 128 + self.number) and self.number in HANDLED and lines:
            self.expect("lost data", runs.has_end(lines), f"exit code {run.code}, and the record has no end")
        left = {name.split("/")[0] for name in runs.files(folder)} - {RECORD} - self.writer.outputs
        if self.number in HANDLED and run.code in (0, 128 + self.number):
            left -= self.writer.unfinished
            self.expect("left files", not left, f"{sorted(left)}")
        elif left or run.code not in (0, 128 + self.number):
            self.again(folder)

    def assert_code(self, run, over, to_rank, lines, when):
        """Before MPI_Init and after the last output a signal has its default effect, as in any process."""
        number = self.number
        codes = set(self.writer.codes) if over or not lines or runs.has_end(lines) else set()
        if over:
            pass
        elif number in HANDLED and to_rank:
            codes |= {128 + number}
        elif number in HANDLED:
            codes |= set(harness.after_signal_to_launcher(number)[1])
        bare = {number, -number, 128 + number}
        if number not in HANDLED or not lines or runs.has_end(lines):
            codes |= bare
        if number == signal.SIGPIPE:
            codes |= {0}  # a program that writes may get an error instead of the signal
        self.expect("wrong codes", run.code in codes,
                    f"exit code {run.code}, not {sorted(codes)}{when}: {run.lines[-4:]}")

    def again(self, folder):
        """A killed run may leave files; the next run takes them over."""
        run = self.watch(self.writer.command(self.world), folder)
        if run.hung:
            return
        self.expect("wrong codes", run.code in self.writer.codes, f"again: exit code {run.code}: {run.lines[:3]}")
        self.expect("lost data", runs.has_end(runs.whole_lines(folder / RECORD)), "again: the record has no end")
        left = {name.split("/")[0] for name in runs.files(folder)} - {RECORD} - self.writer.outputs
        self.expect("left files", not left, f"again: {sorted(left)}")


class Parent(Case):
    """For measure run and similar commands: their children end with them."""

    def __init__(self, world, name, words, number, after):
        super().__init__(f"{name}: {signal.Signals(number).name} after {after:.2f} s")
        self.world, self.words, self.number, self.after = world, words, number, after

    def run(self, folder):
        command = [word.format(build=self.world.build, launcher=self.world.launcher,
                               yields=self.world.yields) for word in self.words]
        started = runs.Started([self.world.measure, *command], folder, stdout=subprocess.DEVNULL)
        time.sleep(self.after)
        over = started.process.poll() is not None
        runs.send(started.process.pid, self.number)
        run = self.ended(started, killed=True)
        if run.hung:
            return
        bare = {-self.number}
        codes = {0, 3, 4} if over else {128 + self.number} if self.number in HANDLED else bare | {128 + self.number}
        early = self.number in HANDLED and run.code == -self.number and not runs.files(folder)
        self.expect("wrong codes", run.code in codes or early, f"exit code {run.code}, not {codes}: {run.lines[-3:]}")
        if self.number == signal.SIGKILL:
            return
        for name, content in runs.files(folder).items():
            self.expect("left files", not runs.TEMPORARY.search(name), name)
            if name.endswith(".jsonl") and content:
                cut = content[:content.rfind(b"\n") + 1]
                faults = runs.harness.record_faults(runs.VALIDATE, cut)
                self.expect("lost data", not faults, f"{name}: {faults[:3]}")


PERF = "{launcher} -n 2 env LD_PRELOAD={yields} {build}/frontends/mpiperf/mpiperf Bcast Barrier"
PARENTS = {
    "measure run": ("run --budget 20s --sizes 8,1k --program {build}/frontends/mpiperf/mpiperf").split(),
    "measure ab": f"ab -n 20 --keep kept -- {PERF} -- {PERF}".split(),
    "measure launches": f"launches -n 20 -o merged.jsonl --keep all.jsonl -- {PERF}".split(),
    "measure profile": f"profile -- {PERF} -E 1000 -R 100000".split(),
}


def chosen(times):
    """Yields two signals each time; the first is one that programs handle."""
    for _ in range(times):
        yield random.choice(sorted(HANDLED))
        yield random.choice(SIGNALS)


def cases(world, times):
    made = []
    for writer in programs.writers(world.build):
        for number in chosen(times):
            target = random.choice(("a rank", "the launcher")) if writer.mpi else "the program"
            made.append(Kill(world, writer, number, target, random.uniform(0, TAKES)))
    for name, words in PARENTS.items():
        for number in chosen(times):
            made.append(Parent(world, name, words, number, random.uniform(0, 2 * TAKES)))
    return made
