# SPDX-License-Identifier: BSD-3-Clause
"""Full or vanishing disks, and limits on files, memory and processes: one line must name the cause."""
import bisect
import dataclasses
import os
import random
import re
import shutil
import subprocess
import time

import damaged
import programs
import runs
from part import Case, Skipped
from programs import RECORD
from runs import harness

FULL = "No space left on device"
LARGE = "File too large"
MEMORY = "out of memory|[Cc]annot allocate memory|memory"
HANDLES = "Too many open files"
PROCESSES = "Resource temporarily unavailable"
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


# Programs that may leave other files when they end early, with arguments that keep them short.
UNREAD = {"PMB-IO": ("S_Write_Indv", "P_Write_Shared"), "b_eff_io": (), "skampi": ()}


class Limited(Case):
    """A run that succeeds, or says in one line what is missing."""

    def assert_said(self, run, reason, codes=(0,), failed=(1,)):
        if run.hung or self.faults:
            return
        errors = run.errors()
        if run.code in failed:
            # An input that is named twice is reported twice.
            self.expect("wrong words", len(set(errors)) == 1 and re.search(reason, errors[0]),
                        f"not one line with '{reason}': {run.lines[:5]}")
        else:
            self.expect("wrong codes", run.code in codes, f"exit code {run.code}: {run.lines[:5]}")

    def assert_record(self, path, run):
        faults = runs.record_faults(path)
        self.expect("lost data", not faults, f"the record: {faults[:3]}")
        if run.code == 0:
            self.expect("lost data", runs.has_end(runs.whole_lines(path)), "exit code 0, and the record has no end")


class SmallDisk(Limited):
    """Outputs on a file system that fills up; results that were complete before are kept."""

    def __init__(self, world, writer, size):
        super().__init__(f"{writer.name} on a disk of {size} kB")
        self.world, self.writer, self.size = world, writer, size

    def run(self, folder):
        disk, home = folder / "disk", folder / "home"
        disk.mkdir()
        home.mkdir()
        with harness.small(disk, f"{self.size}k") as mounted:
            if not mounted:
                raise Skipped("mounting a small file system is not permitted")
            self.writer.prepare(disk)
            run = self.watch(self.writer.command(self.world), disk, environment={"TMPDIR": str(home)})
            # b_eff_io may notice before it begins.
            self.assert_said(run, FULL + "|room|free", failed=(1, 2), codes=self.writer.codes)
            self.assert_record(disk / RECORD, run)
            # Only the outputs are left, as long as the disk had room for.
            left = {name.split("/")[0] for name in runs.files(disk)} - {RECORD} - self.writer.outputs
            if run.code not in self.writer.codes:
                left -= self.writer.unfinished
            self.expect("left files", not left, f"{sorted(left)}")


class FullDevice(Limited):
    def __init__(self, world, writer):
        super().__init__(f"{writer.name}: its record on /dev/full")
        self.world, self.writer = world, writer

    def run(self, folder):
        self.writer.prepare(folder)
        before = runs.files(folder)
        command = [word if word != RECORD else "/dev/full" for word in self.writer.command(self.world)]
        run = self.watch(command, folder)
        self.assert_said(run, FULL, codes=())
        # skampi's log says that the run has begun, so that the next run can resume.
        new = set(runs.files(folder)) - set(before)
        self.expect("left files", new <= (self.writer.outputs if self.writer.program == "skampi" else set()), f"{new}")


class Refused(Limited):
    """One output cannot be created; the other output files stay unchanged."""

    def __init__(self, world, name, command, prepare, outputs):
        super().__init__(f"{name}: one output cannot be made")
        self.world, self.command, self.prepare, self.outputs = world, command, prepare, outputs

    def run(self, folder):
        self.prepare(folder)
        for name in self.outputs:
            (folder / name).write_text("kept\n")
        before = runs.files(folder)
        run = self.watch([*self.command, "--json", "nowhere/run.jsonl"], folder)
        self.assert_said(run, "nowhere/run.jsonl", codes=(), failed=(2,))
        self.expect("lost data", runs.files(folder) == before, f"{sorted(runs.files(folder))}")


class Unread(Limited):
    """The reader of its standard output exits after one line."""

    def __init__(self, world, writer):
        super().__init__(f"{writer.name} | head -n 1")
        self.world, self.writer = world, writer

    def run(self, folder):
        self.writer.prepare(folder)
        started = runs.Started(self.writer.command(self.world), folder)
        started.process.stdout.readline()
        started.process.stdout.close()
        self.ended(started, killed=True)
        faults = runs.record_faults(folder / RECORD)
        self.expect("lost data", not faults, f"the record: {faults[:3]}")
        left = {name.split("/")[0] for name in runs.files(folder)} - {RECORD} - self.writer.outputs
        self.expect("left files", not left, f"{sorted(left)}")


class Vanishing(Limited):
    """The working directory is removed during the run."""

    def __init__(self, world, writer, after):
        super().__init__(f"{writer.name}: its folder is removed after {after:.2f} s")
        self.world, self.writer, self.after = world, writer, after

    def run(self, folder):
        place = folder / "place"
        place.mkdir()
        self.writer.prepare(place)
        started = runs.Started(self.writer.command(self.world), place)
        time.sleep(self.after)
        shutil.rmtree(place, ignore_errors=True)
        run = self.ended(started)
        self.assert_said(run, "No such file or directory|place", codes=(0, 4), failed=(1, 2))


class LimitedTool(Limited):
    """A program under a limit, in a folder that another user may write to."""

    def __init__(self, world, program, limit, reason, words=None, before=()):
        super().__init__(f"{program.name} {' '.join(words or program.small)} with {limit}")
        self.world, self.program, self.limit, self.reason = world, program, limit, reason
        self.words = program.small if words is None else words
        self.before = list(before)

    def run(self, folder):
        folder.chmod(0o777)
        for name, content in self.program.inputs:
            (folder / name).write_bytes(content)
        before = runs.files(folder)
        command = self.program.command(self.world.build, *self.words)
        run = self.watch([*self.before, *runs.limited(self.limit), *command], folder)
        self.assert_said(run, self.reason, codes=(*self.program.codes, 4), failed=(1, 2))
        if run.code == 1:
            new = [name for name in set(runs.files(folder)) - set(before)
                   if runs.TEMPORARY.search(name) or name.endswith((".html", ".tex"))]
            self.expect("left files", not new, f"{new}")


def writing_tools(world):
    """Yields commands that write a file."""
    where = {"report": ("-o", "page.html", "in.jsonl"), "compare": None, "merge": ("-o", "merged.jsonl", "in.jsonl",
             "in.jsonl"), "export": ("--format", "osu", "-o", "out.dat", "in.jsonl"),
             "guidelines": ("--format", "json", "-o", "out.json", "in.jsonl"),
             "model": ("--json", "out.json", "in.jsonl"), "archive add": ("in.jsonl",)}
    for program in world.programs:
        words = where.get(" ".join(program.words))
        if program.path == programs.MEASURE and words:
            yield dataclasses.replace(program, inputs=(("in.jsonl", damaged.RECORD),)), words
        elif program in programs.SKAMPI_TOOLS:
            yield program, program.small


def least_memory(command):
    """Returns the address space in MB that a program needs to load its libraries and to print a message."""
    starts = lambda memory: not subprocess.run([*runs.limited(f"as={memory << 20}"), *command], check=False,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    return bisect.bisect_left(range(1024), True, key=starts)


def cases(world, times):
    made = []
    writers = programs.writers(world.build)
    for writer in writers:
        made += [SmallDisk(world, writer, random.choice((8, 12, 16, 24, 32, 48, 64, 128))) for _ in range(times)]
        made.append(FullDevice(world, writer))
        # skampi names its outputs in its parameter file, and keeps the outputs of its last run.
        if writer.outputs and writer.program != "skampi":
            made.append(Refused(world, writer.name, writer.command(world)[:-2], writer.prepare, writer.outputs))
        if writer.program in UNREAD:
            made.append(Unread(world, dataclasses.replace(
                writer, arguments=(*writer.arguments, *UNREAD[writer.program]))))
    for writer in random.sample(writers, min(len(writers), 6)) * times:
        made.append(Vanishing(world, writer, random.uniform(0.1, 1.2)))
    for program in programs.SKAMPI_TOOLS:
        if (world.build / program.path).exists():
            made.append(Refused(world, program.name, program.command(world.build, "-o", "out", "in.out"),
                                lambda folder: (folder / "in.out").write_bytes(programs.OUTPUT[0][1]), {"out"}))
    least = least_memory([world.measure, "--version"])
    for program, words in writing_tools(world):
        for size in random.sample((0, 1, 512, 2048, 4096), 2) * times:
            made.append(LimitedTool(world, program, f"fsize={size}", LARGE, words))
        for handles in random.sample((4, 5, 6, 7, 8), 2):
            made.append(LimitedTool(world, program, f"nofile={handles}", HANDLES, words))
        for more in random.sample((0, 6, 16, 56), 2):
            memory = (least + more) << 20
            made.append(LimitedTool(world, program, f"as={memory}", MEMORY, words))
    for program in [program for program in world.programs if program in programs.LOCAL]:
        for memory in random.sample((80, 120, 160, 300), 2):
            # A vector of 256 MB exceeds the limit.
            made.append(LimitedTool(world, program, f"as={memory << 20}", MEMORY,
                                    ("--size", "256M", "-d", "1ms") if program.name == "cachebench" else
                                    ("--test", "axpy", "--size", "256M", "-i", "1")))
    perf = [program for program in world.programs if program.name == "mpiperf"]
    for memory in (500, 800) if perf else ():
        made.append(LimitedTool(world, perf[0], f"as={memory << 20}", MEMORY,
                                ("-x", "512M", "-X", "512M", "-E", "1", "--max-mem", "4G", "Bcast")))
    for handles in (24, 26, 30) if perf else ():
        made.append(LimitedTool(world, perf[0], f"nofile={handles}", HANDLES, ("-X", "2", "-E", "1", "Bcast")))
    starts = {"launches": ("-n", "2", "--", "true"), "ab": ("-n", "6", "--", "true", "--", "true"),
              "run": ("--budget", "20s"), "profile": ("--", "true")}
    for program in world.programs:
        words = starts.get(" ".join(program.words))
        if program.path == programs.MEASURE and words and os.geteuid() == 0:
            made.append(LimitedTool(world, program, "nproc=1", PROCESSES, words, AS_NOBODY))
    return made
