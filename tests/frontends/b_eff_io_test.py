#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""b_eff_io from outside: command line, reports, files, MPI calls, and the files left after errors.

usage: b_eff_io_test.py B_EFF_IO VALIDATE_RECORDS LAUNCHER YIELD_HELPER TRACE [UNITTEST OPTIONS]
"""
import array
import contextlib
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import LIMIT, figures, plain, slow

PROGRAM, TRACE = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 5))
harness.ProgramTest.tools(*sys.argv[2:5])

MB = 1 << 20
TYPES = ["scatter", "shared", "separated", "segmented", "seg_coll"]
ACCESSES = ["write", "rewrite", "read"]
UNITS = [0, 4, 4, 4, 2, 2, 2, 2, 2, 0, 4, 2, 1, 1, 1, 1, 2] + 3 * [0, 2, 2, 1, 1, 1, 1, 2, 0]
del UNITS[25]  # separated has no fill-up pattern
FIRST = {"scatter": 0, "shared": 9, "separated": 17, "segmented": 25, "seg_coll": 34}
NUMBER = r"\s*(-?[\d.]+)"
LINE = re.compile(rf"n={NUMBER}\s+a={NUMBER} type={NUMBER} p={NUMBER} Tp={NUMBER} l={NUMBER} L={NUMBER} (\S+)\s+"
                  rf"r={NUMBER} S={NUMBER} MB t={NUMBER} ={NUMBER}\+{NUMBER}\+{NUMBER}\+{NUMBER}{NUMBER}{NUMBER} "
                  rf"bw=\s*(\S+) MB/s decisions=(\d+)(.*)")
TYPE_TOTAL = re.compile(rf"S={NUMBER} MB  t={NUMBER} t_op={NUMBER} t_cl={NUMBER} wbw=\s*\S+ MB/s "
                        rf"b_eff_io_(write|rewrite|read)_(\w+)={NUMBER} MB/s(?: Lseg=(\d+) MBytes)?")
ROOM = pathlib.Path("/dev/shm")
if ROOM.is_dir() and shutil.disk_usage(ROOM).free > 2 << 30:
    harness.ProgramTest.place = ROOM  # syncing to a real disk would take most of the time


class Line:
    """A line of the protocol: one pattern."""

    def __init__(self, match):
        (self.n, self.a, self.type, self.p, self.scheduled, self.chunk, self.length, self.name, self.r, self.s, self.t,
         self.io, self.barrier, self.broadcast, self.sync, self.call, self.agreement, self.bandwidth, self.decisions,
         self.flags) = [self.value(text) for text in match.groups()]

    @staticmethod
    def value(text):
        try:
            return float(text) if "." in text else int(text)
        except ValueError:
            return text


class BeffioTest(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()

    def start(self, *arguments, ranks=2, directory=None, memory=("-MB", 256, "-MT", 512), **keywords):
        where = ("-p", directory or self.data)
        return self.launch(PROGRAM, *memory, *where, *arguments, ranks=ranks, cwd=self.folder, **keywords)

    def run_it(self, *arguments, code=0, limit=LIMIT, **keywords):
        process = self.start(*arguments, **keywords)
        out, err = process.communicate(timeout=limit)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, code, out + err)
        if ended.records:
            self.assert_valid(ended)
        return ended

    def protocol(self, prefix="b_eff_io"):
        return [Line(match) for match in map(LINE.match, self.text(prefix + ".prot").splitlines()) if match]

    def text(self, name):
        return (self.folder / name).read_text()

    def assert_empty(self):
        self.assertEqual(os.listdir(self.data), [])

    def assert_refused(self, ended, *parts):
        self.assertEqual(len(ended.errors()), 1, ended.err)
        for part in parts:
            self.assertIn(str(part), ended.errors()[0])
        self.assertNotIn("b_eff_io =", ended.out)
        self.assert_empty()

    def points(self, ended, **at):
        return [p for p in ended.points if all(p["at"][key] == value for key, value in at.items())]

    def summaries(self, ended, name, **derived):
        return [s for s in ended.records if s["record"] == "summary" and s["name"] == name
                and all(s["derived"][key] == value for key, value in derived.items())]

    def wait_for_line(self, text, process):
        """Waits until the protocol contains it."""
        path = self.folder / "b_eff_io.prot"
        self.wait_for(lambda: process.poll() is not None or (path.exists() and text in path.read_text()), text)
        self.assertIsNone(process.poll(), f"ended before '{text}'")

    def ranks(self):
        """Returns the process IDs of the ranks of the program in this test's folder."""
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (path / "cmdline").read_bytes().split(b"\0")[0] != PROGRAM.encode():
                    continue
                if os.readlink(path / "cwd") != str(self.folder):
                    continue
                rank = next(word for word in (path / "environ").read_bytes().split(b"\0")
                            if word.startswith((b"PMI_RANK=", b"OMPI_COMM_WORLD_RANK=")))
                found[int(rank.split(b"=")[1])] = int(path.name)
        return found

    def trace(self, *arguments, **environment):
        path = self.folder / "trace"
        ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 100, *arguments, preload=[TRACE],
                            environment={"B_EFF_IO_TRACE": str(path)} | environment)
        return ended, path.read_text().splitlines()

    def elements(self, name, at, count):
        with (self.data / name).open("rb") as file:
            file.seek(at)
            values = array.array("d")
            values.frombytes(file.read(8 * count))
        return values

    def assert_chunk(self, name, at, line, repetition, index, access, rank):
        values = self.elements(name, at, line.chunk // 8)
        first = 1e7 * repetition + 1000 * index + 10 * line.p + access + 1
        self.assertEqual((values[0], values[-1]), (first, first + 5), (name, at, vars(line)))
        self.assertEqual(values[1], rank)
        middle = len(values) // 2
        self.assertEqual(values[middle], -2 * (index + middle))

    def recompute(self, ended, rewrite_all=False):
        """Recomputes every summary of the record from its points and from the times to open and close."""
        partitions = ended.run["options"]["partitions"]
        values = {}
        for n in partitions:
            types = {}
            for access in ACCESSES:
                for name in TYPES:
                    self.recompute_type(ended, n, access, name, types)
            access_values = {a: self.recompute_access(ended, n, a, types, rewrite_all) for a in ACCESSES}
            values[n] = self.recompute_partition(ended, n, types, access_values)
        self.assertEqual(len(self.summaries(ended, "partition_bandwidth")), len(values))
        system, = self.summaries(ended, "b_eff_io")
        self.assertAlmostEqual(system["value"] / max(values.values()), 1, delta=1e-9)
        self.assertEqual(values[system["derived"]["ranks"]], max(values.values()))

    def recompute_type(self, ended, n, access, name, types):
        points = self.points(ended, ranks=n, access=access, type=name)
        found = self.summaries(ended, "type_bandwidth", ranks=n, access=access, type=name)
        self.assertEqual(len(found), 1 if points else 0)
        for summary in found:
            derived = summary["derived"]
            time_ = math.fsum(p["derived"]["time"] for p in points) + derived["open"] + derived["close"]
            moved = math.fsum(p["derived"]["transferred"] for p in points)
            weights = [(UNITS[p["at"]["pattern"]], p["value"]) for p in points if p["value"] is not None]
            mean = sum(u * v for u, v in weights) / sum(u for u, _ in weights)
            self.assertAlmostEqual(derived["time"] / time_, 1, delta=1e-7)
            self.assertEqual(derived["transferred"], moved)
            self.assertAlmostEqual(summary["value"] * derived["time"] / moved, 1, delta=1e-9)
            self.assertAlmostEqual(derived["weighted"] / mean, 1, delta=1e-9)
            self.assertGreaterEqual(min(derived["open"], derived["close"]), 0)
            types[access, name] = summary
        for p in points:
            self.assert_point(p)

    def assert_point(self, point):
        at, derived = point["at"], point["derived"]
        moved = at["bytes"] * point["iterations_per_sample"] * at["ranks"]
        if point["status"] == "skipped":
            self.assertEqual((at["bytes"], point["iterations_per_sample"], point["value"]), (0, 0, None))
            return
        self.assertEqual(derived["transferred"], moved)
        if derived["errors"] == 0:
            self.assertAlmostEqual(point["value"] * derived["time"] / moved, 1, delta=1e-9)
        parts = sum(derived[part] for part in ("io", "barrier", "broadcast", "sync"))
        self.assertLessEqual(parts, derived["time"] * (1 + 1e-9))

    def recompute_access(self, ended, n, access, types, rewrite_all):
        found, = self.summaries(ended, "access_bandwidth", ranks=n, access=access)
        mine = [types[access, name] for name in TYPES if (access, name) in types]
        moved = math.fsum(s["derived"]["transferred"] for s in mine)
        time_ = math.fsum(s["derived"]["time"] for s in mine)
        if access == "rewrite" and not rewrite_all:
            value = types[access, "scatter"]["value"]
        else:
            value = sum((2 if name == "scatter" else 1) * types[access, name]["value"] for name in TYPES) / 6
        self.assertAlmostEqual(found["value"] / value, 1, delta=1e-9)
        self.assertAlmostEqual(found["derived"]["transferred"] / moved, 1, delta=1e-9)
        self.assertAlmostEqual(found["derived"]["time"] / time_, 1, delta=1e-7)
        self.assertAlmostEqual(found["derived"]["plain"] * time_ / moved, 1, delta=1e-7)
        return value

    def recompute_partition(self, ended, n, types, values):
        found, = self.summaries(ended, "partition_bandwidth", ranks=n)
        value = 0.25 * values["write"] + 0.25 * values["rewrite"] + 0.5 * values["read"]
        written = (sum(types["write", name]["value"] for name in TYPES) + types["rewrite", "scatter"]["value"]) / 6
        target = ended.run["options"]["memory_total"] / 600
        self.assertAlmostEqual(found["value"] / value, 1, delta=1e-9)
        self.assertAlmostEqual(found["derived"]["release_2_1"] / math.sqrt(written * values["read"]), 1, delta=1e-9)
        self.assertAlmostEqual(found["derived"]["coffee_cup"] * target / value, 1, delta=1e-9)
        return found["value"]


class CommandLine(BeffioTest):
    # Refusals that need options only are tested in tests/unit/b_eff_io_refusals_test.cpp.

    def test_a_refused_run_creates_no_files(self):
        self.assert_refused(self.run_it("-N", 3, code=2), "-N", "3", "2")
        for memory in ("1", "auto"):
            refused = self.run_it("--max-bytes", 30, ranks=0, memory=("-MB", memory, "-MT", memory), code=2)
            self.assert_refused(refused, "--max-bytes: 31457280 bytes are less than")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["data"])

    def test_help_is_printed_once(self):
        ended = self.run_it("-help", memory=(), record=False)
        self.assertEqual(ended.out.count("Usage:"), 1)

    def listed(self, *arguments):
        return self.run_it("--list", *arguments, memory=(), ranks=0, record=False).out

    def test_list_has_the_43_patterns(self):
        listed = self.listed()
        rows = [line.split() for line in listed.splitlines() if re.match(r"\s*\d+ ", line)]
        self.assertEqual([int(row[0]) for row in rows], list(range(43)))
        units = {name: sum(int(row[4]) for row in rows if row[1] == name) for name in TYPES}
        self.assertEqual(list(units.values()), [22, 12, 10, 10, 10])
        self.assertEqual([int(row[4]) for row in rows], UNITS)
        self.assertIn("all 64", listed)

    def test_list_has_the_largest_chunk_and_the_partitions(self):
        listed = self.listed("-MB", 1000000, "--ranks", 1024)
        self.assertIn("= 7812.5 MBytes\n", listed)
        self.assertIn("partitions: 16,128,1024\n", listed)

    @slow
    def test_the_memory_of_the_machine_is_the_default(self):
        total = int(re.search(r"MemTotal: +(\d+) kB", pathlib.Path("/proc/meminfo").read_text())[1]) // 1024
        cores = min(3, len(os.sched_getaffinity(0)))
        self.assertIn(f"memory per process: {total // cores} MBytes, auto", self.listed("-MB", "auto", "--ranks", 3))
        # 1/128 of the memory would be too much to write in a test.
        ended = self.run_it("-N", 2, "-T", 1, "--quick", "--types", "0", "--max-bytes", 150, memory=("-MB", "auto"))
        options = ended.run["options"]
        self.assertEqual(options["memory_per_process"] // MB, total // 2)
        self.assertEqual(options["memory_total"] // MB, total)
        self.assertEqual(options["cache"] // MB, total)
        self.assertTrue(options["memory_source"].startswith("auto: "))
        self.assertEqual(options["memory_total_source"], "auto: memory of all nodes")
        for name in ("b_eff_io.prot", "b_eff_io.sum"):
            self.assertRegex(self.text(name), rf"memory per process +={NUMBER} MBytes .*, auto: memory of a node")
            self.assertIn(f"= {total} MBytes, auto: memory of all nodes", self.text(name))


class Reports(BeffioTest):
    def check_order(self, lines, sizes, rewrite_all):
        expected = [(n, a, p) for a in range(3) for n in sizes
                    for p in range(43 if a != 1 or rewrite_all else 9)]
        self.assertEqual([(line.n, line.a, line.p) for line in lines], expected)

    def check_repetitions(self, lines):
        written = {(line.n, line.p): line for line in lines if line.a == 0}
        for line in lines:
            first = written[line.n, line.p]
            if UNITS[line.p] == 0:
                self.assertEqual(line.r, 1)
            if "time_limited" in line.flags:
                self.assertIn(line.type, (0, 1, 2))
                self.assertLess(line.r, first.r)
            else:
                self.assertEqual((line.r, line.s), (first.r, first.s))
            self.assertAlmostEqual(line.s, line.length * line.r * line.n / 1e6, delta=0.0006)

    def check_segments(self, lines):
        for n in {line.n for line in lines}:
            r = {line.p: line for line in lines if line.a == 0 and line.n == n}
            total = MB
            for k in range(1, 8):
                scatter = r[k if k == 1 else k + 1]
                count = min(scatter.r * scatter.length // scatter.chunk, 10 * r[9 + k].r, r[17 + k].r)
                self.assertEqual((r[25 + k].r, r[34 + k].r), (count, count))
                total += count * r[25 + k].length
            fill = -total % MB
            self.assertEqual((r[33].length, r[42].length), (fill, fill))
            self.assertEqual({int(lseg) for a, name, _, lseg in self.totals(n) if lseg}, {(total + fill) // MB})

    def totals(self, n):
        """Returns (access, type, rate, Lseg) of the totals of a partition, and checks each rate against its S and t."""
        found, current = [], None
        for line in self.text("b_eff_io.prot").splitlines():
            if match := LINE.match(line):
                current = int(match[1])
            match = TYPE_TOTAL.search(line)
            if match and current == n:
                s, t, _, _, access, name, rate, lseg = match.groups()
                if float(t) > 0.01:  # otherwise four digits are too few
                    self.assertAlmostEqual(float(s) / float(t) / float(rate), 1, delta=0.01)
                found.append((access, name, float(rate), lseg))
        return found

    def check_values(self, sizes, rewrite_all):
        maximum = 0
        summary = self.text("b_eff_io.sum")
        for n in sizes:
            block = summary[summary.index(f"accumulated on {n:3} processes"):]
            rates = {(access, name): rate for access, name, rate, _ in self.totals(n)}
            mean = {a: (sum(rates[a, t] for t in TYPES) + rates[a, "scatter"]) / 6 for a in ("write", "read")}
            mean["rewrite"] = ((sum(rates["rewrite", t] for t in TYPES) + rates["rewrite", "scatter"]) / 6
                               if rewrite_all else rates["rewrite", "scatter"])
            printed = re.search(rf"for write{NUMBER}, rewrite{NUMBER}.*?, read{NUMBER} MB/s", block)
            for found, access in zip(printed.groups(), ACCESSES):
                self.assertAlmostEqual(float(found) / mean[access], 1, delta=1e-3)
            value = float(re.search(rf"b_eff_io ={NUMBER} MB/s", block)[1])
            self.assertAlmostEqual(value / (mean["write"] / 4 + mean["rewrite"] / 4 + mean["read"] / 2), 1, delta=1e-3)
            wr = (sum(rates["write", t] for t in TYPES) + rates["rewrite", "scatter"]) / 6
            release = float(re.search(rf"release 2.1 value ={NUMBER} MB/s", block)[1])
            self.assertAlmostEqual(release / math.sqrt(wr * mean["read"]), 1, delta=1e-3)
            maximum = max(maximum, value)
            self.check_amount(block)
        last = summary[summary.index("\nMaximum over"):]
        self.assertAlmostEqual(float(re.search(rf"b_eff_io ={NUMBER} MB/s", last)[1]), maximum)

    def check_amount(self, block):
        amount, percent = re.search(rf"access method:{NUMBER} MBytes ={NUMBER} percent", block).groups()
        self.assertAlmostEqual(float(percent), float(amount) / 512 * 100, delta=0.06)

    @slow
    def test_all_printed_values_follow_from_the_patterns(self):
        ended = self.run_it("-N", "1,2", "-T", 3, "--max-bytes", 2000)
        lines = self.protocol()
        self.check_order(lines, (1, 2), False)
        for line in lines:
            self.assertAlmostEqual(line.scheduled, UNITS[line.p] / 150, delta=0.006)
        self.check_repetitions(lines)
        self.check_segments(lines)
        self.check_values((1, 2), False)
        self.recompute(ended)
        self.check_record(ended, lines)
        final = [line for line in ended.out.splitlines() if line.startswith("b_eff_io =")]
        self.assertEqual(len(final), 1)
        for part in ("NOT VALID", "QUICK T=3, not comparable", "rewrite=type0 only"):
            self.assertIn(part, final[0])
        self.assertIn("criterion 1: scheduled time NOT reached", self.text("b_eff_io.sum"))
        self.assertIn("criterion 2: shared file pointer reached", self.text("b_eff_io.sum"))
        self.assert_empty()

    def check_record(self, ended, lines):
        self.assertEqual(len(ended.points), len(lines) + sum(p["status"] == "skipped" for p in ended.points))
        for point, line in zip([p for p in ended.points if p["status"] != "skipped"], lines):
            at = point["at"]
            self.assertEqual((at["ranks"], ACCESSES.index(at["access"]), at["pattern"], at["chunk"], at["bytes"]),
                             (line.n, line.a, line.p, line.chunk, line.length))
            self.assertEqual(point["iterations_per_sample"], line.r)
            self.assertEqual(point["derived"]["decisions"], line.decisions)
        for key in ("memory_per_process", "memory_total", "m_part", "scheduled_time", "partitions", "rewrite",
                    "shared_pointer", "types", "termination", "unique_open", "max_bytes", "notes", "quick"):
            self.assertIn(key, ended.run["options"])
        self.assertEqual(ended.run["options"]["memory_total"], 512 * MB)
        marks = self.summaries(ended, "b_eff_io")[0]["derived"]["marks"]
        self.assertIn("QUICK", marks)

    @slow
    @plain
    def test_all_types_can_be_rewritten(self):
        ended = self.run_it("-N", 2, "-T", 3, "-rewrite", "--max-bytes", 150)
        lines = self.protocol()
        self.check_order(lines, (2,), True)
        self.assertAlmostEqual(lines[1].scheduled, 3 * 4 / 192, delta=0.006)
        self.check_repetitions(lines)
        self.check_values((2,), True)
        self.recompute(ended, rewrite_all=True)

    @plain
    def scheduled(self):
        """Yields the lines of time-driven patterns, each with its share of 4 s."""
        self.run_it("-N", 1, "-T", 4, "--max-bytes", 8000, "--types", "0,1,2")
        lines = [(line, 4 * UNITS[line.p] / 150) for line in self.protocol() if line.a == 0 and UNITS[line.p] > 0]
        self.assertTrue(lines)
        return lines

    @slow
    def test_patterns_make_few_decisions(self):
        for line, _ in self.scheduled():
            self.assertLessEqual(line.decisions, 2 * math.log2(line.r) + 12, vars(line))

    @figures
    def test_patterns_end_close_to_their_scheduled_time(self):
        for line, scheduled in self.scheduled():
            self.assertLess(line.t, scheduled * 1.125 + 2 * line.io / line.r + line.sync + 0.02, vars(line))

    @plain
    def test_classic_termination_decides_after_each_call(self):
        self.run_it("-N", 1, "-T", 2, "--max-bytes", 400, "--types", "2", "--termination", "classic")
        lines = self.protocol()
        self.assertTrue(lines)
        self.assertEqual([line.decisions for line in lines], [line.r for line in lines])
        self.assertIn("--termination classic", self.text("b_eff_io.prot"))

    @figures
    def test_few_decisions_make_short_calls_faster(self):
        rates = {}
        for termination in ("classic", "geometric"):
            self.run_it("-N", 2, "-T", 2, "--max-bytes", 1000, "--types", "2", "--termination", termination)
            rates[termination] = next(line for line in self.protocol() if line.p == 21).bandwidth
        self.assertGreaterEqual(rates["geometric"], rates["classic"])

    @slow
    @plain
    def test_some_types_alone_give_no_value(self):
        ended = self.run_it("-N", 2, "-T", 2, "--types", "scatter,2", "--max-bytes", 200)
        self.assertEqual({line.type for line in self.protocol()}, {0, 2})
        self.assertEqual(self.summaries(ended, "b_eff_io") + self.summaries(ended, "partition_bandwidth"), [])
        self.assertIn("no b_eff_io value", ended.out)
        self.assert_empty()

    @slow
    @plain
    def test_the_last_type_runs_without_the_previous_one(self):
        self.run_it("-N", 2, "-T", 2, "--types", "0,1,2,4", "--max-bytes", 200)
        r = {line.p: line.r for line in self.protocol() if line.a == 0}
        self.assertEqual(r[35], min(r[1], 10 * r[10], r[18]))
        self.assertEqual({lseg for _, name, _, lseg in self.totals(2) if name != "seg_coll"}, {None})
        self.assertGreater(min(int(lseg) for _, name, _, lseg in self.totals(2) if name == "seg_coll"), 5)
        self.assert_empty()

    @slow
    @plain
    def test_gnuplot_draws_the_diagrams(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("there is no gnuplot")
        # Without type 0 there are no rewrite values.
        for types, diagrams, *more in (("0,1,2,3,4", 6), ("1,2", 4), ("2", 6, "--random")):
            self.run_it("-N", "1,2", "-T", 2, "--max-bytes", 200, "--types", types, "-f", "it's", *more)
            drawn = subprocess.run(["gnuplot", "it's.gps"], cwd=self.folder, check=True, text=True, capture_output=True)
            self.assertNotIn("Skipping data file", drawn.stderr)
            pictures = list(self.folder.glob("*.svg"))
            self.assertEqual(len(pictures), diagrams)
            for picture in pictures:
                picture.unlink()

    @plain
    @harness.not_quick
    def test_notes_and_marks_are_recorded(self):
        ended = self.run_it("-N", 1, "-T", 1, "--max-bytes", 60, "--note", "four servers", "--note", "no cache",
                            "-unique")
        self.assertIn("four servers", self.text("b_eff_io.sum"))
        self.assertEqual(ended.run["options"]["notes"], ["four servers", "no cache"])
        marks = self.summaries(ended, "b_eff_io")[0]["derived"]["marks"]
        self.assertEqual(set(marks) - {"DISK-LIMITED"}, {"QUICK", "UNIQUE-OPEN"})


class Validity(BeffioTest):
    def judge(self, *arguments):
        """A run of 900 s with a clock on which 2.5 ms count as 1 s."""
        ended = self.run_it("-N", 1, "-T", 900, *arguments, environment={"MEASURE_TEST_CLOCK_SCALE": "400"})
        summary, = self.summaries(ended, "partition_bandwidth")
        return ended, summary["derived"]

    @slow
    @plain
    def test_a_long_run_that_moves_enough_data_is_valid(self):
        ended, derived = self.judge("--cache", 1, "--max-bytes", 10000)
        self.assertTrue(derived["valid"], derived)
        self.assertIn("\nVALID for comparison", self.text("b_eff_io.sum"))
        self.assertNotIn("NOT VALID", ended.out)
        self.assertNotIn("QUICK", ended.out)

    @plain
    @harness.not_quick
    def test_a_large_cache_makes_a_run_invalid(self):
        ended, derived = self.judge("--cache", 100000, "--max-bytes", 60)
        self.assertEqual((derived["valid"], derived["criteria"]["cache"]), (False, False))
        self.assertEqual(derived["criteria"]["unmodified"], False)
        self.assertIn("criterion 4: 20 times the cache moved NOT reached", self.text("b_eff_io.sum"))
        self.assertIn("DISK-LIMITED", ended.out)

    @slow
    @plain
    def test_reading_the_data_of_other_processes_works_but_is_never_valid(self):
        ended = self.run_it("-N", "1,2", "-T", 2, "--max-bytes", 120, "--read-neighbor")
        self.assertEqual(self.summaries(ended, "b_eff_io")[0]["derived"]["valid"], False)
        self.assertIn("READ-NEIGHBOR", self.summaries(ended, "b_eff_io")[0]["derived"]["marks"])
        self.assertIn(", READ-NEIGHBOR", ended.out)
        warning, = [line for line in ended.warnings() if "VALID" in line]
        self.assertTrue(warning.endswith(", --read-neighbor"), warning)
        self.assertIs(ended.run["options"]["read_neighbor"], True)
        names = {(line.n, line.a): line.name for line in self.protocol() if line.type == 2}
        self.assertEqual((names[2, 0], names[2, 2], names[1, 2]), ("i01_002_2.000", "i01_002_2.001", "i00_001_2.000"))
        for name in TYPES:
            for access in ("write", "read"):
                derived = self.summaries(ended, "type_bandwidth", ranks=2, access=access, type=name)[0]["derived"]
                moves = access == "read" and name != "shared"
                self.assertEqual((derived.get("read_shift"), derived.get("read_from_other_node")),
                                 (1, 0) if moves else (None, None), name)
        for report in ("b_eff_io.prot", "b_eff_io.sum"):
            self.assertIn("process r reads what process r + 1 wrote, 0 of 2 from another node; with the shared pointer "
                          "each process reads its own data\n", self.text(report))
            self.assertIn("there is no neighbour, the process reads its own data\n", self.text(report))
        self.assert_empty()

    @slow
    @plain
    def test_reading_the_data_of_other_processes_works_without_the_shared_pointer(self):
        ended = self.run_it("-N", 2, "-T", 2, "--max-bytes", 80, "--read-neighbor", "-noshared", "-rewrite")
        self.assertEqual({p["derived"]["errors"] for p in ended.points}, {0})
        self.assertIn("r + 1 wrote, 0 of 2 from another node\n", self.text("b_eff_io.sum"))
        for summary in self.summaries(ended, "type_bandwidth", access="read"):
            self.assertEqual(summary["derived"]["read_shift"], 1)


class Calls(BeffioTest):
    @harness.not_quick
    def test_each_access_method_makes_its_calls(self):
        _, calls = self.trace()
        lines = self.protocol()
        repetitions = lambda a, *types: sum(line.r for line in lines if line.a == a and line.type in types)
        self.assertEqual(calls.count("MPI_File_sync"), 43 + 9)
        self.assertEqual(calls.count("MPI_File_write_ordered"), repetitions(0, 1) + 1)  # + 1 trial call
        self.assertEqual(calls.count("MPI_File_read_ordered"), repetitions(2, 1))
        self.assertEqual(calls.count("MPI_File_write"), repetitions(0, 2, 3))
        self.assertEqual(calls.count("MPI_File_write_all"), repetitions(0, 0, 4) + repetitions(1, 0))
        self.assertEqual(calls.count("MPI_File_read"), repetitions(2, 2, 3))
        self.assertEqual(calls.count("MPI_File_read_all"), repetitions(2, 0, 4))
        opened = [call for call in calls if call.startswith("MPI_File_open")][1:]
        self.assertEqual(opened[:5], [f"MPI_File_open size={n} create rdwr" for n in (2, 2, 1, 2, 2)])
        self.assertEqual(opened[5], "MPI_File_open size=2 rdwr")
        self.assertEqual(opened[6:], [f"MPI_File_open size={n} rdonly delete" for n in (2, 2, 1, 2, 2)])
        self.assertEqual(calls.count("MPI_File_close"), len(opened) + 1)

    @slow
    @plain
    def test_individual_pointers_replace_the_shared_one_on_request(self):
        ended, calls = self.trace("-noshared")
        self.assertFalse([call for call in calls if "ordered" in call])
        self.assertFalse(self.summaries(ended, "partition_bandwidth")[0]["derived"]["criteria"]["shared_pointer"])
        self.assertIn("criterion 2: shared file pointer NOT reached", self.text("b_eff_io.sum"))

    @plain
    @harness.not_quick
    def test_direct_is_refused_if_the_library_does_not_support_it(self):
        preload = {"preload": [TRACE]}
        knows_none = "keeps the hints" if harness.OPEN_MPI_4 else "does not know the hints"
        # Ranks outside the partition that detects it stop as well, and reports of an earlier run stay.
        earlier = {self.folder / name: "earlier" for name in ("b_eff_io.prot", "b_eff_io.sum")}
        for path, text in earlier.items():
            path.write_text(text)
        ended = self.run_it("-N", "1,2", "-T", 2, "--max-bytes", 150, "--direct", code=2)
        self.assert_refused(ended, "--direct: ", knows_none)
        self.assertEqual({path: path.read_text() for path in earlier}, earlier)
        self.assertFalse(self.json.exists())
        for keywords, reason in (({}, knows_none), (preload, knows_none),
                                 (preload | {"environment": {"B_EFF_IO_DIRECT": "hints"}}, "without O_DIRECT")):
            ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 80, "--direct", code=2, **keywords)
            self.assert_refused(ended, "--direct: ", reason, "direct_read and direct_write")
            self.assertEqual(ended.points, [])

    @slow
    @plain
    def test_direct_works_if_the_library_supports_it(self):
        try:
            os.close(os.open(self.folder / "tried", os.O_RDWR | os.O_CREAT | os.O_DIRECT))
        except OSError:
            self.skipTest("this file system does not support direct I/O")
        ended, calls = self.trace("--direct", B_EFF_IO_DIRECT="both")
        self.assertIs(ended.run["options"]["direct"], True)
        self.assertIn("DIRECT", self.summaries(ended, "b_eff_io")[0]["derived"]["marks"])
        self.assertNotIn("--direct", ended.warnings()[0])  # hints do not make a value invalid
        self.assertRegex(self.text("b_eff_io.sum"), r"direct I/O +=")
        self.assertIn("hints at open: direct_write=true direct_read=true\n", self.text("b_eff_io.prot"))
        self.assertEqual(calls[0], "MPI_File_open size=1 create rdwr")  # the trial file
        (self.folder / "hints").write_text("all all all on_open direct_write false\n")
        ended = self.run_it("-N", 2, "--direct", "-i", "hints", code=2, preload=[TRACE],
                            environment={"B_EFF_IO_DIRECT": "both"})
        self.assert_refused(ended, "without O_DIRECT")

    @slow
    @plain
    def test_files_are_opened_with_unique_open_on_request(self):
        _, calls = self.trace("-unique")
        opened = [call for call in calls if call.startswith("MPI_File_open")]
        self.assertTrue(all(call.endswith(" unique") for call in opened), opened)

    @harness.not_quick
    def test_a_flipped_bit_is_detected(self):
        self.json.unlink(missing_ok=True)
        process = self.start("-N", 2, "-T", 1, "--max-bytes", 80, preload=[TRACE], environment={"B_EFF_IO_FLIP": "2"})
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, 3, err)
        self.assert_valid(ended)
        wrong, = [p for p in ended.points if "data_error" in p["flags"]]
        self.assertIsNone(wrong["value"])
        self.assertEqual(wrong["derived"]["errors"], 1)
        error, = [line for line in ended.err if "instead of" in line]
        self.assertIn("rank 0: repetition 0, element 0:", error)
        self.assertIn("-999.999", self.text("b_eff_io.prot"))
        self.assertIn("-999.999", self.text("b_eff_io.sum"))
        self.assertIn("criterion 3: no errors NOT reached", self.text("b_eff_io.sum"))
        self.assertIn("NOT VALID", out)
        self.assert_empty()

    @plain
    def test_a_flipped_bit_in_the_data_of_another_process_is_detected(self):
        process = self.start("-N", 2, "-T", 1, "--max-bytes", 80, "--read-neighbor", "--types", 2, preload=[TRACE],
                             environment={"B_EFF_IO_FLIP": "2"})
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 3, err)
        self.assertEqual(len([line for line in err.splitlines() if "rank 0: repetition 0, element 0:" in line]), 1, err)
        self.assert_empty()

    @slow
    @plain
    def test_a_call_that_fails_on_one_rank_stops_the_partition(self):
        for call, number, kind in (("MPI_File_write_all", 3, "scatter"), ("MPI_File_write_ordered", 4, "shared"),
                                   ("MPI_File_write", 2, "separated"), ("MPI_File_sync", 1, "scatter"),
                                   ("MPI_File_read_ordered", 2, "shared"), ("MPI_File_open", 4, "separated")):
            with self.subTest(call=call):
                ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 80, preload=[TRACE], code=1,
                                    environment={"B_EFF_IO_REFUSE": f"{call}:{number}"})
                error, = ended.errors()
                for part in (call, "rank 1", f"type={kind}", "pattern="):
                    self.assertIn(part, error)
                failed, = [p for p in ended.points if p["status"] == "crashed"]
                self.assertEqual(failed["flags"], ["io_error"])
                self.assertIsNone(failed["value"])
                self.assertNotIn("b_eff_io =", ended.out)
                self.assertEqual(self.summaries(ended, "b_eff_io"), [])
                self.assert_empty()


class RandomAccess(BeffioTest):
    """--random: a sixth type in addition to those of the value."""

    @staticmethod
    def order(slots, pattern):
        """Returns the slots in the order of the calls: a bijection in three steps, which skips numbers beyond the last
        slot."""
        mask = (1 << (slots - 1).bit_length()) - 1
        half = max(1, mask.bit_length() // 2)
        taken = []
        for x in range(slots):
            while True:
                for factor in (0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb):
                    x = (x * factor + pattern) & mask
                    x ^= x >> half
                if x < slots:
                    break
            taken.append(x)
        return taken

    def check_file(self, n, name, lines):
        """At each place of the sequence the file holds what the last writing access wrote there; elsewhere it is
        unwritten."""
        of = {(line.a, line.p): line for line in lines if line.n == n}
        end = 0
        for k in range(8):
            written = of[0, 43 + k]
            begin = -(-end // written.chunk) * written.chunk
            slots = of[0, 17 + k].r * n
            end = begin + slots * written.chunk
            places = self.order(slots, 43 + k)
            self.assertLessEqual(of[1, 43 + k].r, written.r)
            self.assertLessEqual(of[2, 43 + k].r, written.r)
            for r in {0, 1, written.r // 2, written.r - 1} & set(range(written.r)):
                for rank in range(n):
                    self.assert_chunk(name, begin + places[r * n + rank] * written.chunk, written, r, 0,
                                      1 if r < of[1, 43 + k].r else 0, rank)
            for place in places[written.r * n:][:3]:
                values = self.elements(name, begin + place * written.chunk, 1)
                self.assertEqual(values.tolist() or [0], [0])

    def test_the_list_includes_random_patterns_on_request(self):
        listed = self.run_it("--list", "--random", "-T", 150, "--ranks", 1, memory=(), ranks=0, record=False).out
        rows = [line.split() for line in listed.splitlines() if re.match(r"\s*\d+ ", line)]
        self.assertEqual([int(row[0]) for row in rows], list(range(51)))
        self.assertEqual([row[2:] for row in rows[43:]], [row[2:] for row in rows[17:25]])
        self.assertEqual({row[1] for row in rows[43:]}, {"random"})
        self.assertIn("all 64\nrandom: 10 in addition, not part of b_eff_io\n", listed)

    @slow
    @plain
    def test_each_access_method_uses_the_same_sequence(self):
        ended = self.run_it("-N", "1,2", "-T", 2, "--max-bytes", 300, "--random", "-keep", "--idle", "sleep")
        lines = self.protocol()
        numbers = {0: [*range(43), *range(43, 51)], 1: [*range(9), *range(43, 51)], 2: [*range(43), *range(43, 51)]}
        self.assertEqual([(line.n, line.a, line.p) for line in lines],
                         [(n, a, p) for a in range(3) for n in (1, 2) for p in numbers[a]])
        self.assertEqual({line.name for line in lines if line.type == 5}, {"i00_001_5", "i01_002_5"})
        for line in lines:
            if line.type == 5:
                self.assertAlmostEqual(line.scheduled, [0, 2, 2, 1, 1, 1, 1, 2][line.p - 43] / 150, delta=0.006)
                self.assertLessEqual(line.r, next(o.r for o in lines if (o.n, o.a, o.p) == (line.n, 0, line.p - 26)))
        self.check_file(1, "b_eff_io_data_i00_001_5", lines)
        self.check_file(2, "b_eff_io_data_i01_002_5", lines)
        # All that is printed and recorded about the value follows from the 43 patterns.
        self.recompute(ended)
        self.assertEqual(ended.run["options"]["types"], [*TYPES, "random"])
        self.assertEqual({p["derived"]["errors"] for p in self.points(ended, type="random")}, {0})
        used = sum(p["derived"]["transferred"] for p in ended.points if p["at"]["access"] == "write")
        self.assertLessEqual(used, 300 * MB)
        summary = self.text("b_eff_io.sum")
        for n in (1, 2):
            table = summary[summary.index(f"Random access on {n} processes, not part of b_eff_io"):]
            total = re.search(rf"total{NUMBER}{NUMBER}{NUMBER}\n", table)
            for access, printed in zip(ACCESSES, total.groups()):
                found, = self.summaries(ended, "random_bandwidth", ranks=n, access=access)
                self.assertAlmostEqual(found["value"] / 1e6, float(printed), delta=0.0006)
        self.run_it("-N", 1, "-T", 1, "--max-bytes", 60, "--types", "0")  # removes the files

    @slow
    @plain
    def test_random_access_works_on_one_and_three_processes(self):
        for ranks in (1, 3):
            ended = self.run_it("-N", ranks, "-T", 1, "--max-bytes", 200, "--types", 2, "--random", ranks=ranks)
            points = self.points(ended, type="random")
            self.assertEqual(len(points), 24)
            self.assertEqual({p["derived"]["errors"] for p in points}, {0})
            self.assertTrue(all(p["value"] > 0 for p in points))
            self.assertEqual(self.summaries(ended, "type_bandwidth", type="random"), [])
            self.assert_empty()

    @slow
    @plain
    def test_data_written_by_the_neighbour_are_read(self):
        ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 150, "--types", 2, "--random", "--read-neighbor")
        self.assertEqual({p["derived"]["errors"] for p in ended.points}, {0})
        found, = self.summaries(ended, "random_bandwidth", access="read")
        self.assertEqual(found["derived"]["read_shift"], 1)

    @harness.not_quick
    def test_random_access_calls_use_explicit_offsets(self):
        _, calls = self.trace("--random", "--types", 2)
        lines = [line for line in self.protocol() if line.type == 5]
        count = lambda *accesses: sum(line.r for line in lines if line.a in accesses)
        self.assertEqual(calls.count("MPI_File_write_at"), count(0, 1))
        self.assertEqual(calls.count("MPI_File_read_at"), count(2))
        opened = [call for call in calls if call.startswith("MPI_File_open")]
        self.assertEqual(opened, ["MPI_File_open size=1 create rdwr", "MPI_File_open size=2 create rdwr",
                                  "MPI_File_open size=2 rdwr", "MPI_File_open size=1 rdonly delete",
                                  "MPI_File_open size=2 rdonly delete"])
        _, calls = self.trace("--types", 2)
        self.assertFalse([call for call in calls if call.endswith("_at")])

    @slow
    def test_a_flipped_bit_is_detected_and_does_not_affect_the_value(self):
        ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 150, "--random", preload=[TRACE], code=3,
                            environment={"B_EFF_IO_FLIP": "MPI_File_read_at:1"})
        wrong, = [p for p in ended.points if "data_error" in p["flags"]]
        self.assertEqual((wrong["at"]["type"], wrong["at"]["pattern"], wrong["derived"]["errors"]), ("random", 43, 1))
        error, = [line for line in ended.err if "instead of" in line]
        self.assertIn("n=2 read random pattern 43: rank 0: repetition 0, element 0:", error)
        self.assertIn("criterion 3: no errors reached", self.text("b_eff_io.sum"))
        self.assertNotIn("ERRORS", self.summaries(ended, "b_eff_io")[0]["derived"]["marks"])
        self.recompute(ended)
        self.assert_empty()

    @slow
    @plain
    def test_a_failing_call_ends_random_access_only(self):
        for call, number, access in (("MPI_File_write_at", 2, "write"), ("MPI_File_read_at", 1, "read")):
            with self.subTest(call=call):
                ended = self.run_it("-N", 2, "-T", 1, "--max-bytes", 150, "--random", preload=[TRACE], code=1,
                                    environment={"B_EFF_IO_REFUSE": f"{call}:{number}"})
                error, = ended.errors()
                for part in (call, "rank 1", "type=random", "pattern="):
                    self.assertIn(part, error)
                failed, = [p for p in ended.points if p["status"] == "crashed"]
                self.assertEqual((failed["at"]["type"], failed["at"]["access"]), ("random", access))
                self.assertIn("\nstopped: rank 1: ", self.text("b_eff_io.sum"))
                self.assertIn("b_eff_io =", ended.out)
                self.recompute(ended)
                self.assert_empty()


class Files(BeffioTest):
    @slow
    def test_kept_files_have_the_documented_content(self):
        self.run_it("-N", "1,2", "-T", 2, "--max-bytes", 200, "-keep", "--idle", "sleep")
        names = [f"b_eff_io_data_i{i:02}_{n:03}_{t}" for i, n in ((0, 1), (1, 2)) for t in (0, 1, 3, 4)]
        names += ["b_eff_io_data_i00_001_2.000", "b_eff_io_data_i01_002_2.000", "b_eff_io_data_i01_002_2.001"]
        self.assertEqual(sorted(os.listdir(self.data)), sorted(names))
        lines = [line for line in self.protocol() if line.n == 2]
        written = {line.p: line for line in lines if line.a == 0}
        rewritten = {line.p: line.r for line in lines if line.a == 1}
        self.check_scatter("b_eff_io_data_i01_002_0", written, rewritten)
        self.check_shared("b_eff_io_data_i01_002_1", written)
        for rank in range(2):
            self.check_own(f"b_eff_io_data_i01_002_2.{rank:03}", written, range(17, 25), rank, 0)
        for t, patterns in ((3, range(25, 34)), (4, range(34, 43))):
            segment = sum(written[p].length * written[p].r for p in patterns)
            self.assertEqual(segment % MB, 0)
            name = f"b_eff_io_data_i01_002_{t}"
            self.assertEqual((self.data / name).stat().st_size, 2 * segment)
            for rank in range(2):
                self.check_own(name, written, patterns, rank, rank * segment)
        (self.data / "mine").write_text("mine")
        ended = self.run_it("-N", 1, "-T", 1, "--max-bytes", 60)
        self.assertEqual(len([line for line in ended.warnings() if "left by an earlier run" in line]), 11)
        self.assertEqual(os.listdir(self.data), ["mine"])

    def check_scatter(self, name, written, rewritten):
        at = 0
        for p in range(9):
            line = written[p]
            for r in {0, line.r // 2, line.r - 1}:
                chunks = line.length // line.chunk
                for c in {0, chunks // 2, chunks - 1}:
                    for rank in range(2):
                        self.assert_chunk(name, at + ((r * chunks + c) * 2 + rank) * line.chunk, line, r,
                                          c * line.chunk // 8, 1 if r < rewritten[p] else 0, rank)
            at += 2 * line.length * line.r
        self.assertEqual((self.data / name).stat().st_size, at)

    def check_shared(self, name, written):
        at = 0
        for p in range(9, 17):
            for r in {0, written[p].r - 1}:
                for rank in range(2):
                    self.assert_chunk(name, at + (2 * r + rank) * written[p].chunk, written[p], r, 0, 0, rank)
            at += 2 * written[p].length * written[p].r
        self.assertEqual((self.data / name).stat().st_size, at)

    def check_own(self, name, written, patterns, rank, at):
        for p in patterns:
            line = written[p]
            for r in (range(line.r) if line.length > 0 and line.r < 200 else {0, line.r - 1}):
                if line.chunk >= 40:
                    self.assert_chunk(name, at + r * line.chunk, line, r, 0, 0, rank)
            at += line.length * line.r

    def test_foreign_files_in_the_data_folder_are_refused(self):
        target = self.folder / "target"
        target.write_text("precious")
        path = self.data / "b_eff_io_data_i07_004_3"
        path.symlink_to(target)
        self.refuse_foreign(path)
        self.assertEqual(target.read_text(), "precious")
        path.unlink()
        path.mkdir()
        self.refuse_foreign(path)
        path.rmdir()
        path = self.data / "b_eff_io_data_lock"
        path.symlink_to(target)
        self.refuse_foreign(path)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["data", "target"])

    def refuse_foreign(self, path):
        ended = self.run_it(code=2, record=False)
        self.assertIn(str(path), ended.errors()[0])
        self.assertTrue(os.path.lexists(path))

    def test_cleanup_removes_only_files_of_the_program(self):
        for name in ("b_eff_io_data_i00_002_1", ".b_eff_io_data_i00_002_1.shfp.1.2",
                     "b_eff_io_data_i00_002_1-12-3.lock", "b_eff_io_data_x", ".hidden"):
            (self.data / name).touch()
        ended = self.run_it("--cleanup", memory=(), ranks=0, record=False)
        self.assertEqual(ended.out.count("removed "), 3)
        self.assertEqual(sorted(os.listdir(self.data)), [".hidden", "b_eff_io_data_x"])

    @harness.not_quick
    def test_an_unusable_directory_is_refused(self):
        file = self.folder / "file"
        file.touch()
        for directory in (self.folder / "none", file, self.folder / ("x" * 300)):
            ended = self.run_it(directory=directory, code=2)
            # Open MPI does not support long paths.
            refused_by_length = harness.OPEN_MPI and directory.name[0] == "x"
            self.assert_refused(ended, "-p: the path has" if refused_by_length else directory)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["data", "file"])
        long = self.folder / "/".join(["y" * 100] * 3)
        long.mkdir(parents=True)
        if harness.OPEN_MPI:
            self.assert_refused(self.run_it(directory=long, code=2), "-p: the path has")
            return
        self.run_it("-N", 1, "-T", 1, "--max-bytes", 60, "--types", "0", directory=long)
        self.assertEqual(os.listdir(long), [])

    def test_unwritable_reports_are_refused(self):
        self.assert_refused(self.run_it("-f", self.folder / "none/x", code=2), "none/x.prot")

    @slow
    def test_only_one_run_at_a_time_uses_a_directory(self):
        first = self.start("-N", 2, "-T", 20, "--max-bytes", 400)
        self.wait_for_line("a=0 type=1 p= 9", first)
        os.kill(self.ranks()[0], signal.SIGSTOP)
        before = sorted(os.listdir(self.data)), self.text("b_eff_io.prot")
        for arguments in ((), ("--cleanup",)):
            ended = self.run_it(*arguments, ranks=0, record=False, code=2)
            self.assertEqual(len(ended.err), 1, ended.err)
            self.assertRegex(ended.err[0], rf"^b_eff_io: error: -p: cannot use '{self.data}': another run is writing it: "
                                           r"b_eff_io, process \d+ on ")
        self.assertEqual((sorted(os.listdir(self.data)), self.text("b_eff_io.prot")), before)
        os.kill(self.ranks()[0], signal.SIGCONT)
        out, err = first.communicate(timeout=LIMIT)
        self.assertEqual(first.returncode, 0, err)
        self.assertIn("b_eff_io =", out)
        self.assert_empty()

    @slow
    def test_hints_are_applied_and_reported(self):
        hints = self.folder / "hints"
        hints.write_text("# striping\nall all all on_open striping_factor 4\n2 write scatter 32768 cb_buffer_size 65536\n")
        self.run_it("-N", 2, "-T", 1, "--max-bytes", 80, "-i", hints)
        protocol = self.text("b_eff_io.prot")
        self.assertEqual(protocol.count("hints at open: striping_factor=4\n"), 11)
        self.assertEqual(protocol.count("hints for the pattern: cb_buffer_size=65536\n"), 1)
        # Open MPI reports the hints given when the file was opened, even if it does not know them.
        used = "striping_factor=4" if harness.OPEN_MPI else "cb_buffer_size=65536"
        self.assertRegex(protocol, rf"hints in use: .*{used}")
        hints.write_text("")
        self.run_it("-N", 1, "-T", 1, "--max-bytes", 60, "--types", "0", "-i", hints)
        self.assertRegex(self.text("b_eff_io.prot"),
                         r"hints at open: none\n  hints in use: " + ("none" if harness.OPEN_MPI else r"\w+="))

    def test_wrong_hints_are_refused(self):
        hints = self.folder / "hints"
        hints.write_text("#\nall all all 1000 k v\n")
        ended = self.run_it("-i", hints, code=2)
        self.assertRegex(ended.errors()[0], r"hints:2:\d+: error: ")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["data", "hints"])


class DeferredError(BeffioTest):
    def interrupt(self, number, line, *arguments):
        process = self.start("-N", 2, "-T", 8, "--max-bytes", 800, *arguments)
        self.wait_for_line(line, process)
        process.send_signal(number)
        _, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, "", err, self.json)
        number, codes = harness.after_signal_to_launcher(number)
        says = [line for line in ended.err if f"interrupted by {number.name}" in line]
        self.assertIn(says, harness.after_signal_to_launcher_says(says[0] if says else None), err)
        self.assertEqual(ended.end["exit_code"], 128 + number)
        self.assertIn(ended.code, codes)
        self.assert_valid(ended)
        self.assertGreater(len(ended.points), 0)
        for ending in ("prot", "sum"):
            self.assertEqual(self.text(f"b_eff_io.{ending}").splitlines()[-1],
                             f"INTERRUPTED by {number.name}: no b_eff_io value; earlier results are in "
                             "b_eff_io.prot")
        self.assertEqual([p.name for p in self.folder.glob("b_eff_io.*") if p.suffix in (".plot", ".gps", ".part")], [])
        self.assert_empty()

    @slow
    @plain
    def test_files_of_a_run_with_closed_output_are_removed_by_the_next(self):
        """The launcher kills the ranks with SIGKILL; the next run removes their files."""
        if harness.OPEN_MPI:
            self.skipTest("its launcher continues")
        process = self.start("-N", 2, "-T", 20, "--max-bytes", 1500, "--progress", "always", record=False)
        self.wait_for_line("a=0 type=1 p= 9", process)
        process.stdout.close()
        process.stderr.close()
        process.wait(timeout=LIMIT)
        self.clean_up()

    @slow
    @plain
    def test_a_vanished_directory_ends_the_run_with_an_error(self):
        process = self.start("-N", 2, "-T", 20, "--max-bytes", 1500)
        self.wait_for_line("a=0 type=1 p= 9", process)
        self.data.rename(self.folder / "elsewhere")
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1, out + err)
        warning, error = harness.lines_of_ranks(err)
        self.assertIn("no value of this run can be VALID: -T: 20 s", warning)
        self.assertRegex(error, rf"pattern=17 chunk=1048576 .*cannot create '{self.data}/b_eff_io_data_i00_002_2.000': "
                                "No such file or directory$")
        self.assertNotIn("b_eff_io =", out)
        self.data.mkdir()

    @slow
    def test_a_signal_ends_the_run_in_every_phase(self):
        # Open MPI's launcher waits for a second, in which the last access would finish.
        late = "a=1 type=0 p= 0" if harness.OPEN_MPI else "a=2 type=0 p= 0"
        for number, line, *arguments in ((signal.SIGTERM, "a=0 type=1 p= 9"), (signal.SIGINT, late),
                                         (signal.SIGTERM, "a=0 type=5 p=44", "--random", "--types", 2)):
            with self.subTest(number=number, line=line):
                (self.folder / "b_eff_io.prot").unlink(missing_ok=True)
                self.interrupt(number, line, *arguments)

    @plain
    @harness.not_quick
    def test_the_watchdog_tolerates_long_patterns(self):
        for arguments, limit in ((("-T", 100000), 4 * 100000 * 4 / 150), (("-T", 1800), 600),
                                 (("-T", 100000, "--watchdog", "9 min"), 540)):
            (self.folder / "b_eff_io.prot").unlink(missing_ok=True)
            process = self.start("-N", 1, *arguments, "--max-bytes", 60)
            self.wait_for_line("a=0 type=0 p= 0", process)
            process.terminate()
            process.communicate(timeout=LIMIT)
            ended = harness.Ended(process.returncode, "", "", self.json)
            self.assertAlmostEqual(ended.run["options"]["watchdog"], limit, delta=1e-6)

    def clean_up(self):
        """Returns the files of a killed run, as soon as the last of its ranks has ended."""
        self.wait_for(lambda: self.run_it("--cleanup", ranks=0, record=False).code == 0, "the directory is locked")
        self.assert_empty()

    @slow
    def test_files_of_a_killed_run_are_removed_by_the_next(self):
        for whom in ("launcher", "ranks"):
            with self.subTest(killed=whom):
                (self.folder / "b_eff_io.prot").unlink(missing_ok=True)  # it contains the line that the test waits for
                process = self.start("-N", 2, "-T", 20, "--max-bytes", 1500)
                self.wait_for_line("a=0 type=1 p= 9", process)
                ranks = self.ranks()
                self.assertEqual(len(ranks), 2)
                for rank in ranks.values() if whom == "ranks" else ():
                    os.kill(rank, signal.SIGKILL)
                process.kill()
                process.communicate()
                self.clean_up()

    @harness.not_quick
    def test_files_of_a_crashed_host_are_removed_by_the_next_run(self):
        for name in ("b_eff_io_data_i00_002_0", "b_eff_io_data_lock"):
            (self.data / name).write_text("old")
        ended = self.run_it("-N", 1, "-T", 1, "--max-bytes", 60)
        self.assertTrue([line for line in ended.warnings() if "b_eff_io_data_i00_002_0" in line], ended.err)
        self.assert_empty()

    def test_too_little_free_space_is_refused(self):
        with self.small(self.data, "20m"):
            ended = self.run_it(code=2)
            # The lock file, which names its owner, occupies one page.
            free = (20 << 20) - os.sysconf("SC_PAGE_SIZE")
            self.assert_refused(ended, f"{free} bytes free", "110531496")
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["data"])

    @slow
    @plain
    def test_sufficient_free_space_is_accepted_even_if_it_is_little(self):
        with self.small(self.data, "200m"):
            ended = self.run_it("-N", 2, "-T", 20)
            self.assertIn("DISK-LIMITED", ended.out)
            used = sum(p["derived"]["transferred"] for p in ended.points if p["at"]["access"] == "write")
            self.assertLessEqual(used, ended.run["options"]["max_bytes"])
            self.assert_empty()

    @harness.not_quick
    def test_a_disk_that_becomes_full_ends_the_run_with_an_error(self):
        with self.small(self.data, "300m"):
            process = self.start("-N", 2, "-T", 20, "--max-bytes", 250)
            self.wait_for_line("a=0 type=0 p= 0", process)
            self.fill(self.data)
            out, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 1, out + err)
            errors = [line for line in err.splitlines() if ": error: " in line]
            self.assertEqual(len(errors), 1, err)
            error = errors[0]
            # Open MPI reports success with fewer elements, or (5) has no text for the error.
            said = "(elements were moved|MPI_ERR_OTHER)" if harness.OPEN_MPI else "No space left"
            # If a pattern reuses existing blocks, there is no space for the shared pointer of the next file.
            self.assertRegex(error, rf"pattern=\d+ .*rank \d: (MPI_File_\w+|cannot write '.*'): .*{said}")
            self.assertNotIn("b_eff_io =", out)
            self.assertEqual(os.listdir(self.data), ["filler"])

    @slow
    def test_a_protocol_on_a_full_disk_ends_the_run_with_an_error(self):
        with self.small(self.data, "64k"):
            reports = self.data
            self.data = self.folder / "elsewhere"
            self.data.mkdir()
            (reports / "filler").write_bytes(bytes(56 << 10))
            process = self.start("-N", 2, "-T", 20, "--max-bytes", 500, "-f", reports / "x")
            out, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 1, out + err)
            self.assertIn("x.prot", err)
            self.assert_empty()
            self.data = reports

    def test_a_read_only_directory_is_refused(self):
        with self.small(self.data, "1m"):
            subprocess.run(["mount", "-o", "remount,ro", str(self.data)], check=True)
            self.assert_refused(self.run_it(code=2), self.data, "Read-only")

    def test_a_directory_of_another_user_is_refused(self):
        self.data.chmod(0o555)
        self.folder.chmod(0o777)
        ended = self.run_it(code=2, preexec_fn=self.without_rights(PROGRAM))
        self.assert_refused(ended, self.data, "Permission denied")


class Processes(BeffioTest):
    @harness.not_quick
    def test_one_process_can_be_measured(self):
        ended = self.run_it("-T", 1, "--max-bytes", 60, "--raw", ranks=1)
        for point in ended.points:
            if point["status"] != "skipped":
                sample, = point["samples"]
                self.assertAlmostEqual(sample["time"] * point["iterations_per_sample"], point["derived"]["time"])
        self.assertEqual(ended.run["options"]["partitions"], [1])
        self.recompute(ended)

    @slow
    @plain
    def test_three_processes_have_three_partitions(self):
        ended = self.run_it("-T", 3, "--max-bytes", 240, ranks=3)
        summary = self.text("b_eff_io.sum")
        self.assertEqual(summary.count("Summary of file I/O bandwidth"), 3)
        self.assertEqual(summary.count("Maximum over 3 partitions"), 1)
        self.recompute(ended)
        self.assert_empty()

    @slow
    @plain
    def test_idle_processes_sleep_and_handle_a_signal_when_the_others_are_done(self):
        process = self.start("-N", 1, "-T", 4, "--max-bytes", 1000, "--idle", "sleep", ranks=4)
        self.wait_for_line("a=0 type=0 p= 0", process)
        ranks = self.ranks()
        self.assertEqual(sorted(ranks), [0, 1, 2, 3])
        before = {rank: self.used(pid) for rank, pid in ranks.items()}
        os.kill(ranks[0], signal.SIGSTOP)  # this pattern outlasts the 5 s within which a signal must take effect
        os.kill(ranks[3], signal.SIGTERM)
        time.sleep(5.5)
        self.assertLess(max(self.used(ranks[rank]) - before[rank] for rank in (1, 2, 3)), 0.2 * 5.5)
        os.kill(ranks[0], signal.SIGCONT)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertEqual(harness.Ended(process.returncode, "", err, self.json).end["exit_code"], 128 + signal.SIGTERM)
        self.assert_empty()

    @staticmethod
    def used(pid):
        """Returns seconds of processor time."""
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    harness.main(sys.argv[6:])
