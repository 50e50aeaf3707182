#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""b_eff from outside: command line, plan, protocols and record. Recomputes every summary.

usage: b_eff_test.py B_EFF VALIDATE_RECORDS LAUNCHER YIELD_HELPER CORRUPT_LIBRARY [UNITTEST OPTIONS]
"""
import collections
import functools
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import LIMIT, figures, plain, slow

B_EFF = str(pathlib.Path(sys.argv[1]).resolve())
CORRUPT = str(pathlib.Path(sys.argv[5]).resolve())
PMB = pathlib.Path(B_EFF).parents[1] / "pmb" / "PMB-MPI1"
harness.ProgramTest.tools(*sys.argv[2:5])

ENDINGS = "prot short sum plot gps".split()
METHODS = ["sendrecv", "alltoallv", "nonblocking"]
SHORT = ["--quick", "--mem", "1", "--no-extra", "--random", "1", "--reps", "1"]  # less than a second on an idle machine
SECTIONS = {"prot": "HEAD LOOP LOOPLNGS VALUES".split(),
            "short": "HEAD ELAPSED PATTERN BY-METHODS BY-REPETITIONS BY-MTHD-MSGLNG BY-MSGLNG BY-PATTERN-MSGLNG "
                     "BEFF".split(),
            "sum": "HEAD BEFF".split()}
FINAL = re.compile(r"^b_eff(\S*) = +([\d.]+) MB/s = +([\d.]+) \* +(\d+) PEs with +(\d+) MB/PE on (\S.*)$", re.MULTILINE)


class Twister:
    """The generator that the C++ standard calls mt19937_64."""

    def __init__(self, seed):
        self.mask = 2 ** 64 - 1
        self.state = [seed]
        for i in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & self.mask)
        self.place = 312

    def __call__(self):
        if self.place == 312:
            for i in range(312):
                x = (self.state[i] & ~(2 ** 31 - 1) & self.mask) | (self.state[(i + 1) % 312] & (2 ** 31 - 1))
                self.state[i] = self.state[(i + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.place = 0
        x = self.state[self.place]
        self.place += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)


def permutations(n, count, seed):
    draw = Twister(seed)
    found = []
    for _ in range(count):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = draw() % (i + 1)
            order[i], order[j] = order[j], order[i]
        found.append(order)
    return found


def log_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Summaries:
    """Recomputes every summary value from the points alone."""

    def __init__(self, run, points):
        options = run["options"]
        self.n = run["ranks"]
        self.lengths = options["lengths"]
        self.methods = options["methods"]
        self.memory = options["memory"]
        self.rings = [f"ring-{k}" for k in range(1, 7)]
        self.random = [f"random-{k}" for k in range(1, options["random"] + 1)]
        self.values = collections.defaultdict(dict)
        for p in points:
            if p["value"] is not None:
                at = p["at"]
                self.values[at["pattern"], at["bytes"]][at["method"], at["repetition"]] = p["value"]
        self.repetitions = range(1, options["repetitions"] + 1)

    def best(self, pattern, length, method=None, repetition=None):
        return max(v for (m, r), v in self.values[pattern, length].items()
                   if method in (None, m) and repetition in (None, r))

    def mean(self, pattern, **where):
        return sum(self.best(pattern, length, **where) for length in self.lengths) / len(self.lengths)

    def kinds(self, of_pattern):
        return log_mean(list(map(of_pattern, self.rings))), log_mean(list(map(of_pattern, self.random)))

    def both(self, of_pattern):
        return log_mean(self.kinds(of_pattern))

    def ring(self, patterns, length):
        """Returns the seconds per message with the methods of HPCC."""
        return self.n * length / log_mean([max(self.best(p, length, method=m) for m in ("sendrecv", "nonblocking"))
                                           for p in patterns])

    def hpcc(self):
        yield "NaturallyOrderedRingLatency_usec", self.ring(["ring-6"], 8) * 1e6
        yield "RandomlyOrderedRingLatency_usec", self.ring(self.random, 8) * 1e6
        if self.n == 2:
            yield "MaxPingPongLatency_usec", 8 / self.best("ping-pong", 8) * 1e6
        for length in [l for l in self.lengths if abs(l / 2e6 - 1) <= 0.05]:
            yield "NaturallyOrderedRingBandwidth_GBytes", length / self.ring(["ring-6"], length) / 1e9
            yield "RandomlyOrderedRingBandwidth_GBytes", length / self.ring(self.random, length) / 1e9
            if self.n == 2:
                yield "MinPingPongBandwidth_GBytes", self.best("ping-pong", length) / 1e9

    def half_round_trips(self, length):
        return [length / v for v in self.values["ping-pong", length].values()]

    def all(self):
        last, first = self.lengths[-1], self.lengths[0]
        ring, random = self.kinds(self.mean)
        b_eff = math.sqrt(ring * random)
        at_lmax = self.both(lambda p: self.best(p, last))
        rings_at_lmax = self.kinds(lambda p: self.best(p, last))[0]
        yield "b_eff", b_eff, {
            "per_process": b_eff / self.n, "ring": ring, "random": random, "area_ratio": b_eff / at_lmax,
            "patterns": {p: self.mean(p) for p in self.rings + self.random},
            "method_last": self.both(lambda p: max(self.mean(p, method=m) for m in self.methods)),
            "repetition_last": self.both(lambda p: max(self.mean(p, repetition=r) for r in self.repetitions)),
            "single_method": {m: self.both(functools.partial(self.mean, method=m)) for m in self.methods}}
        yield "b_eff_at_lmax", at_lmax, {"per_process": at_lmax / self.n}
        yield "b_eff_at_lmax_rings", rings_at_lmax, {"per_process": rings_at_lmax / self.n}
        yield "latency", self.n / self.both(lambda p: self.best(p, first)), {}
        yield "latency_rings", self.n / self.kinds(lambda p: self.best(p, first))[0], {}
        yield "memory_exchange_time", self.n * self.memory / b_eff, {}
        if ("ping-pong", last) in self.values:
            slow, quick = self.half_round_trips(last), self.half_round_trips(first)
            yield "ping_pong_bandwidth", self.best("ping-pong", last), {
                "min": last / max(slow), "mean": last * len(slow) / sum(slow), "max": last / min(slow)}
            yield "latency_ping_pong", 1 / self.best("ping-pong", first), {
                "min": min(quick), "mean": sum(quick) / len(quick), "max": max(quick)}


class BEffTest(harness.ProgramTest):
    def run_it(self, *arguments, ranks=2, code=0, record=True, limit=LIMIT, **keywords):
        self.json.unlink(missing_ok=True)
        process = self.launch(B_EFF, *arguments, ranks=ranks, record=record, cwd=self.folder, **keywords)
        out, err = process.communicate(timeout=limit)
        ended = harness.Ended(process.returncode, out, err, self.json)
        if code is not None:
            self.assertEqual(ended.code, code, (arguments, out, err))
        return ended

    def files(self):
        return sorted(path.name for path in self.folder.iterdir() if path != self.json)

    def text(self, ending, prefix="b_eff"):
        return (self.folder / f"{prefix}.{ending}").read_text()

    def assert_fault(self, pattern, *arguments, code=2, record=False, **keywords):
        ended = self.run_it(*arguments, code=code, record=record, **keywords)
        self.assertEqual(len(ended.errors()), 1, ended.err)
        self.assertRegex(ended.errors()[0], "^b_eff: error: .*" + pattern)
        return ended

    def assert_same(self, found, expected, what):
        if isinstance(expected, dict):
            for key, value in expected.items():
                self.assert_same(found[key], value, f"{what}.{key}")
        else:
            self.assertLessEqual(abs(found - expected), 1e-9 * abs(expected), what)

    def assert_summaries(self, ended):
        summaries = {r["name"]: r for r in ended.records if r["record"] == "summary"}
        for name, value, derived in Summaries(ended.run, ended.points).all():
            self.assert_same(summaries[name]["value"], value, name)
            self.assert_same(summaries[name]["derived"], derived, name)
        return summaries


class CommandLine(BEffTest):
    # Refusals that need options only are tested in tests/unit/b_eff_refusals_test.cpp.

    def test_one_process_is_refused(self):
        self.assert_fault("at least 2 processes", "--quick", ranks=1)
        self.assertEqual(self.files(), [])

    def test_help_is_printed_once(self):
        ended = self.run_it("-help", record=False)
        self.assertEqual(ended.out.count("--rmax"), 1)
        self.assertEqual(self.run_it("--help", ranks=0, record=False).out, ended.out)
        self.assertRegex(self.run_it("--version", record=False).out, r"^b_eff \d")
        self.assertEqual(self.files(), [])

    def test_unwritable_files_are_refused(self):
        self.assert_fault(r"/none/such/x\.prot.*No such file", "-f", "/none/such/x", "--mem", 1)
        self.assert_fault("/none/x", "--mem", 1, "--json", "/none/x")

    def test_record_and_reports_must_be_different_files(self):
        """Otherwise the later of the two writers would overwrite the file."""
        for ending in (ENDINGS[0], ENDINGS[-1]):
            self.assert_fault(rf"--prefix: 'x\.{ending}' is the file of --json", "--mem", 1, "-f", "x",
                              "--json", f"./x.{ending}")
        self.assertEqual(self.files(), [])

    @plain
    def test_more_memory_than_there_is_is_refused(self):
        limit = 1500 * 2 ** 20
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
        try:
            process = self.launch(B_EFF, "--mem", "16G", record=False, cwd=self.folder)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 2, err)
        errors = [line for line in err.splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, err)
        self.assertIn(str(12 * (134217728 + 16)), errors[0])
        self.assertRegex(errors[0], r"rank \d")
        self.assertEqual(self.files(), [])


class List(BEffTest):
    def plan(self, *arguments, ranks=0):
        ended = self.run_it("--list", *arguments, ranks=ranks)
        self.assert_valid(ended)
        self.assertEqual([r["record"] for r in ended.records], ["run", "end"])
        self.assertEqual(self.files(), [])
        return ended.out, ended.run["options"]

    # Lengths, rings, grids and messages of large worlds are tested in tests/unit/b_eff_test.cpp.

    def test_lengths_follow_from_the_memory(self):
        out, options = self.plan("--ranks", 2, "--mem", "2G")
        lengths = [2 ** i for i in range(13)] + [11585, 32768, 92682, 262144, 741455, 2097152, 5931642, 16777216]
        self.assertEqual(options["lengths"], lengths)
        self.assertIn("lengths [bytes]   : " + " ".join(map(str, lengths)) + "\n", out)

    def test_the_plan_shows_rings_grids_and_messages(self):
        out, options = self.plan("--ranks", 7, "--mem", 1)
        self.assertEqual(options["ranks"], 7)
        self.assertEqual(options["rings"], [[2, 2, 3]] + [[7]] * 5)
        rings = re.findall(r"^  p\d\d ring-\d .* M=(\d+) .* (\S+)$", out, re.MULTILINE)
        self.assertEqual(rings, [("10", "2x2+1x3")] + [("14", "1x7")] * 5)
        self.assertIn("members ring-1: {0,1} {2,3} {4,5,6}\n", out)
        self.assertIn("members ring-2: {0,1,2,3,4,5,6}\n", out)
        self.assertEqual(options["grids"], [[3, 2], [3, 2, 1]])
        self.assertRegex(out, r"grid 2-D +: 3\*2, 1 unused\ngrid 3-D +: 3\*2\*1, 1 unused")

    def test_random_permutations_follow_from_the_seed(self):
        out, options = self.plan("--ranks", 9, "--mem", 1, "--seed", 7)
        self.assertEqual(options["permutations"], permutations(9, 30, 7))
        self.assertEqual(len(re.findall(r"^permutation random-\d+ \(seed 7\): ", out, re.MULTILINE)), 30)
        _, options = self.plan("--ranks", 9, "--mem", 1, "--seed", 8, "--random", 2)
        self.assertEqual(options["permutations"], permutations(9, 2, 8))

    def test_the_memory_of_the_machine_is_the_default(self):
        out, options = self.plan("--ranks", 2)
        self.assertRegex(out, r"memory per process: \d+ bytes = \d+ MB, auto")
        self.assertEqual(options["memory"] % 2 ** 20, 0)


class Run(BEffTest):
    """One quick run with all features, whose outputs the tests check."""

    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place_of_run = pathlib.Path(place.name)
        record = cls.place_of_run / "r.jsonl"
        begun = time.monotonic()
        done = subprocess.run([cls.launcher, "-n", "2", B_EFF, "--quick", "--mem", "1", "-f", "x", "-yrange", "1:100",
                               "--rmax", "10", "--json", str(record)], cwd=place.name, capture_output=True, text=True,
                              timeout=2 * LIMIT, check=False)
        cls.wall = time.monotonic() - begun
        cls.ended = harness.Ended(done.returncode, done.stdout, done.stderr, record)

    def content(self, ending):
        return (self.place_of_run / f"x.{ending}").read_text()

    @harness.not_quick
    def test_the_record_is_valid_and_its_summaries_are_correct(self):
        self.assertEqual(self.ended.code, 0, self.ended.err)
        self.assert_valid(self.ended)
        summaries = self.assert_summaries(self.ended)
        balance = summaries["balance"]
        self.assert_same(balance["value"], summaries["b_eff"]["value"] / 10e9, "balance")
        self.assertEqual((balance["unit"], balance["derived"]["rmax"]), ("B/flop", 10e9))
        self.assertEqual(summaries["b_eff"]["derived"]["marks"], ["QUICK", "TIMED"])
        derived = summaries["b_eff"]["derived"]
        for name in ("method_last", "repetition_last"):
            self.assertGreaterEqual(summaries["b_eff"]["value"], derived[name])
        for value in derived["single_method"].values():
            self.assertGreaterEqual(derived["method_last"], value)

    def test_ping_pong_names_its_hosts(self):
        host = self.ended.run["hosts"][0]["name"]
        summaries = {r["name"]: r for r in self.ended.records if r["record"] == "summary"}
        for name in ("ping_pong_bandwidth", "latency_ping_pong"):
            self.assertEqual(summaries[name]["derived"]["hosts"], [host, host])
        derived = summaries["latency_ping_pong"]["derived"]
        for ending in ("sum", "short"):
            self.assertIn(f"ping-pong             : rank 0 on {host} with rank 1 on {host}; of 2 repetitions", self.content(ending))
            latencies = " ".join(f"{derived[key] * 1e6:.3f}" for key in ("min", "mean", "max"))
            self.assertIn(f"max: {latencies} us at 1 byte, ", self.content(ending))

    def assert_hpcc(self, ended, text):
        summary, = [r for r in ended.records if r.get("name") == "hpcc"]
        expected = dict(Summaries(ended.run, ended.points).hpcc())
        known = {"latency_bytes", "bandwidth_bytes", "left_out"}
        self.assertEqual(set(summary["derived"]) - known, set(expected))
        self.assert_same(summary["derived"], expected, "hpcc")
        printed = dict(re.findall(r"^(\w+_(?:usec|GBytes))=(\S+)$", text, re.MULTILINE))
        self.assertEqual(set(printed), set(expected))
        for name, value in printed.items():
            self.assertAlmostEqual(float(value) / expected[name], 1, delta=1e-5)
        return summary["derived"]

    def test_results_have_the_names_of_hpcc(self):
        derived = self.assert_hpcc(self.ended, self.content("sum"))
        self.assertEqual((derived["bandwidth_bytes"], len(derived["left_out"])), (None, 1))

    @slow
    def test_bandwidths_follow_the_methods_of_hpcc(self):
        ended = self.run_it("--quick", "--mem", 256, "--random", 1, "--reps", 1)
        derived = self.assert_hpcc(ended, self.text("sum"))
        self.assertEqual((derived["bandwidth_bytes"], derived["left_out"]), (2097152, []))

    def test_every_planned_point_is_recorded_once(self):
        options = self.ended.run["options"]
        seen = set()
        for p in self.ended.points:
            at = p["at"]
            self.assertEqual((p["benchmark"], p["quantity"], p["unit"], at["ranks"]), ("b_eff", "bandwidth", "B/s", 2))
            place = at["pattern"], at["bytes"], at["method"], at["repetition"]
            self.assertNotIn(place, seen)
            seen.add(place)
            if p["value"] is None:
                continue
            self.assertEqual(p["over_ranks"]["min"], p["value"])
            self.assertGreaterEqual(p["over_ranks"]["max"], p["over_ranks"]["mean"])
            self.assertGreaterEqual(p["over_ranks"]["mean"], p["value"] * (1 - 1e-12))
            b = at["bytes"] * p["derived"]["messages"] * p["iterations_per_sample"] / p["derived"]["loop_time"]
            self.assert_same(p["value"], b, "b")
            self.assertEqual(p["derived"]["messages"], 2)
        keys = [f"ring-{k}" for k in range(1, 7)] + ["random-1", "random-2", "worst-cycle", "best-bisection",
                                                     "worst-bisection", "acyclic-2d", "acyclic-3d", "cyclic-2d-x",
                                                     "cyclic-2d-all", "cyclic-3d-x", "cyclic-3d-all"]
        expected = {(key, length, method, repetition) for key in keys for length in options["lengths"]
                    for method in METHODS for repetition in (1, 2)}
        expected |= {("ping-pong", length, "sendrecv", r) for length in options["lengths"] for r in (1, 2)}
        self.assertEqual(seen, expected)

    def test_the_final_line_summarises_the_run(self):
        label, total, each, ranks, mem, system = FINAL.search(self.ended.out).groups()
        self.assertEqual((label, ranks, mem), ("[QUICK,TIMED]", "2", "1"))
        self.assertAlmostEqual(float(total), 2 * float(each), delta=0.0021)
        self.assertEqual(system.split()[:3], [os.uname().sysname, os.uname().nodename, os.uname().release])
        self.assertEqual(self.ended.out.count("\n"), 1)
        for ending in ("prot", "short", "sum"):
            self.assertIn(self.ended.out, self.content(ending))
        rings, random = (float(re.search(rf"^{kind}, accumulated +: ([\d.]+) MB/s", self.content("sum"),
                                         re.MULTILINE)[1]) for kind in ("rings", "random"))
        self.assertAlmostEqual(rings * random / float(total) ** 2, 1, delta=1e-3)
        self.assertRegex(self.content("sum"), r"balance factor +: [\d.e-]+ bytes/flop")
        self.assertLess(self.content("sum").count("\n"), 60)
        summary, = [r for r in self.ended.records if r.get("name") == "b_eff"]
        noise = summary["derived"]["noise"]
        self.assertEqual(noise["verdict"], "repeat" if noise["reason"] else "trust")
        self.assertRegex(self.content("sum"), rf"(?m)^noise +: agreement {noise['agreement'] * 100:.1f} %, .*: "
                                              + re.escape(noise["verdict"]))
        if noise["reason"] and not any("difference of repetitions" in line for line in self.ended.err):
            self.assertIn(f"b_eff: warning: repeat: {noise['reason']}", self.ended.err)

    def test_reports_contain_the_original_sections(self):
        for ending, names in SECTIONS.items():
            markers = re.findall(r"^SECTION-(\S+)-(BEGIN|END)$", self.content(ending), re.MULTILINE)
            self.assertEqual(markers, [(name, edge) for name in names for edge in ("BEGIN", "END")])
        protocol = self.content("prot")
        self.assertEqual(len(re.findall(r"^permutation ", protocol, re.MULTILINE)), 2)
        self.assertEqual(len(re.findall(r" min= .* best=", protocol)), 21 * (3 * 17 + 1))
        self.assertEqual(len(re.findall(r" max= .* best=", protocol)), 21 * (3 * 17 + 1))
        elapsed, total = (float(re.search(rf"^{what}.*: ([\d.]+) s", self.content("short"), re.MULTILINE)[1])
                          for what in ("elapsed", "sum of"))
        beyond = abs(elapsed - total) - 0.05 * elapsed
        if abs(beyond) > 0.002:  # both are printed in milliseconds
            self.assertEqual("WARNING: these times differ" in self.content("short"), beyond > 0)

    def test_the_reported_wall_clock_time_is_plausible(self):
        shown = float(re.search(r"wall clock time = +(\d+) seconds", self.content("sum"))[1])
        self.assertLessEqual(shown, self.ended.end["elapsed"] + 1)
        self.assertLessEqual(shown, self.wall + 1)

    def test_the_plot_file_has_a_row_for_each_length(self):
        blocks = self.content("plot").split("\n\n\n")
        self.assertEqual(len(blocks), 10)
        lengths = self.ended.run["options"]["lengths"]
        for block in blocks:
            rows = [line.split() for line in block.splitlines() if not line.startswith("#")]
            self.assertEqual([int(row[0]) for row in rows], lengths)
            self.assertEqual(len({len(row) for row in rows}), 1)
        self.assertIn("set yrange [1:100]", self.content("gps"))
        if not shutil.which("gnuplot"):
            self.skipTest("there is no gnuplot here")
        done = subprocess.run(["gnuplot", "x.gps"], cwd=self.place_of_run, text=True, capture_output=True,
                              timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("rror", done.stderr)
        self.assertNotIn("Skipping data file", done.stderr)
        pictures = sorted(self.place_of_run.glob("x_*.svg"))
        self.assertEqual([path.name for path in pictures], [f"x_{k:02}.svg" for k in range(1, 11)])
        self.assertTrue(all("</svg>" in path.read_text() for path in pictures))

    def test_timed_loops_have_calibrated_lengths(self):
        """The first loop has half of the executions that the calibration allows; no loop has more than all of them."""
        place = lambda p: (p["at"]["repetition"], p["at"]["method"])
        first = {place(p): p["iterations_per_sample"] for p in self.ended.points if p["at"]["bytes"] == 1}
        self.assertGreaterEqual(min(first.values()), 5)
        self.assertEqual([p["at"] for p in self.ended.points if p["value"] is not None
                          and not 1 <= p["iterations_per_sample"] <= 2 * first[place(p)] + 1], [])


class Ends(BEffTest):
    @slow
    def test_options_that_change_the_result_are_marked(self):
        for options, label in ((["--methods", "sendrecv"], "(partial)[QUICK,TIMED,REPS=1,RANDOM=1]"),
                               (["--no-check", "--methods", "alltoallv"],
                                "(partial)[QUICK,TIMED,REPS=1,RANDOM=1,UNCHECKED]")):
            ended = self.run_it(*SHORT, *options)
            self.assertEqual(FINAL.search(ended.out)[1], label)
            self.assert_valid(ended)
            self.assert_summaries(ended)
            self.assertEqual(self.files(), sorted(f"b_eff.{e}" for e in ENDINGS))
            self.assertEqual(len(self.text("plot").split("\n\n\n")), 10)

    @slow
    def test_classic_loops_have_at_most_300_executions_unless_lengthened(self):
        ended = self.run_it("--mem", 1, "--no-extra", "--random", 1, "--reps", 1, "--methods", "sendrecv", "--raw")
        self.assertEqual(FINAL.search(ended.out)[1], "(partial)[REPS=1,RANDOM=1]")
        self.assert_valid(ended)
        for p in ended.points:
            loop = p["iterations_per_sample"]
            self.assertTrue(1 <= loop <= 300 or "lengthened" in p["flags"], p)
            self.assertEqual([s["time"] for s in p["samples"]], [p["derived"]["loop_time"] / loop])
            if p["at"]["bytes"] == 1:
                self.assertEqual(loop, 300)

    @slow
    def test_slots_give_every_loop_a_value(self):
        """If other programs use the machine, a barrier begins the loops that miss their common start. Every loop has a
        value."""
        begun = time.monotonic()
        ended = self.run_it("--quick", "--mem", 1, "--start", "slot")
        if os.environ.get("QUIET_MACHINE"):
            self.assertLess(time.monotonic() - begun, 60)
        self.assert_valid(ended)
        self.assertEqual(ended.run["options"]["start"], "slot")
        self.assertIn("SLOT", FINAL.search(ended.out)[1])
        self.assertEqual(len(ended.points), 2 * 21 * (3 * 17 + 1))
        self.assertEqual([p["at"] for p in ended.points if p["value"] is None], [])
        late = sum("barrier_start" in p["flags"] for p in ended.points)
        self.assertEqual(f"SLOT: {late} loops" in self.text("sum"), late > 0)
        self.assert_summaries(ended)

    @slow
    def test_wrong_data_are_found_with_every_method(self):
        for method, length in (("sendrecv", 4096), ("alltoallv", 2), ("nonblocking", 8192)):
            ended = self.assert_fault(
                rf"ring-1: {length} bytes, {method}, repetition 1: rank 1 received wrong data: exchange 0, iteration "
                r"-?\d+: the last byte is \d+ instead of \d+$", *SHORT, code=3, record=True, preload=[CORRUPT],
                environment={"B_EFF_CORRUPT": f"{method}:{length}"})
            self.assert_valid(ended)
            self.assertEqual(ended.points[-1]["status"], "crashed")
            self.assertEqual(ended.out, "")
        self.run_it(*SHORT, "--no-check", preload=[CORRUPT], environment={"B_EFF_CORRUPT": "sendrecv:4096"})

    @slow
    def test_a_coarse_timer_gives_no_value(self):
        ended = self.run_it("--mem", 1, "--no-extra", "--random", 1, "--methods", "sendrecv", "--timer",
                            "synthetic:monotonic,quant=1000", "--time-budget", 2, code=4)
        self.assert_valid(ended)
        for p in ended.points:
            self.assertEqual("unresolved" in p["flags"], p["status"] == "no_valid_samples")
        self.assertIn("no_valid_samples", {p["status"] for p in ended.points})
        self.assertNotRegex(ended.out, "b_eff.* =")
        self.assertNotIn("b_eff", {r.get("name") for r in ended.records})
        self.assertEqual(self.files(), ["b_eff.prot", "b_eff.short", "b_eff.sum"])

    @slow
    def test_a_spent_time_budget_gives_no_result(self):
        ended = self.run_it("--mem", "64", "--time-budget", "0.5", "--reps", 1, code=4)
        self.assert_valid(ended)
        reasons = {p.get("message") for p in ended.points if p["status"] == "skipped"}
        self.assertEqual(reasons, {"time_budget"})
        self.assertNotRegex(ended.out, "b_eff.* =")
        self.assertIn("SHORTENED", self.text("sum"))
        for ending in ("prot", "short"):
            markers = re.findall(r"^SECTION-(\S+)-(BEGIN|END)$", self.text(ending), re.MULTILINE)
            self.assertEqual(len(markers), 2 * len(SECTIONS[ending]))

    @plain
    def test_a_full_file_system_is_reported(self):
        (self.folder / "x.short").symlink_to("/dev/full")
        ended = self.run_it(*SHORT, "--methods", "sendrecv", "-f", "x", code=1)
        self.assertEqual(len(ended.errors()), 1, ended.err)
        self.assertIn("x.short", ended.errors()[0])
        self.assertTrue(FINAL.search(ended.out))
        self.assertIn(ended.out, self.text("sum", "x"))
        self.assertEqual(ended.end["exit_code"], 1)

    @slow
    def test_a_signal_leaves_the_results_so_far(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.json.unlink(missing_ok=True)
            process = self.launch(B_EFF, "--mem", "64", cwd=self.folder)
            self.wait_for(lambda: self.json.exists() and self.json.read_text().count('"point"') > 20, "points")
            process.send_signal(number)
            out, err = process.communicate(timeout=LIMIT)
            ended = harness.Ended(process.returncode, out, err, self.json)
            self.assert_valid(ended)
            number, _ = harness.after_signal_to_launcher(number)
            self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("interrupted", 128 + number))
            self.assertNotRegex(out, "b_eff.* =")
            self.assertEqual(self.files(), ["b_eff.prot", "b_eff.short", "b_eff.sum"])
            self.assertEqual(self.text("sum").count("-BEGIN"), self.text("sum").count("-END"))
            for ending in ("prot", "short", "sum"):
                self.assertEqual(self.text(ending).splitlines()[-1], f"INTERRUPTED by {number.name}: no b_eff")

    @plain
    def test_the_record_can_be_written_to_standard_output(self):
        ended = self.run_it(*SHORT, "--methods", "sendrecv", "--json", "-", record=False)
        records = [json.loads(line) for line in ended.out.splitlines()]
        self.assertEqual((records[0]["record"], records[-1]["record"]), ("run", "end"))
        self.assertTrue(any(FINAL.match(line) for line in ended.err))


class Worlds(BEffTest):
    @slow
    def test_more_processes_than_cores_can_be_measured(self):
        ended = self.run_it("--quick", "--mem", 1, "--reps", 1, "--random", 1, "--methods", "nonblocking", ranks=4,
                            limit=120)
        self.assert_valid(ended)
        self.assert_summaries(ended)
        messages = {p["at"]["pattern"]: p["derived"]["messages"] for p in ended.points}
        self.assertEqual((messages["ring-1"], messages["ring-2"], messages["acyclic-2d"], messages["cyclic-2d-x"],
                          messages["cyclic-2d-all"], messages["best-bisection"]), (4, 8, 8, 4, 8, 4))
        if os.cpu_count() < 4:
            self.assertIn("OVERSUBSCRIBED", FINAL.search(ended.out)[1])
            self.assertIn("OVERSUBSCRIBED", self.text("sum"))
            self.assertIn("oversubscribed", ended.points[0]["flags"])

    @slow
    @plain
    def test_the_protocol_and_the_record_have_the_executions_of_the_first_loop(self):
        ended = self.run_it("--mem", 1, "--no-extra", "--random", 1, "--reps", 1, "--methods", "sendrecv", ranks=3,
                            limit=120)
        protocol = self.text("prot")
        self.assertIn("loop lengths      : classic, 2.5 to 5 ms; first loop 300 executions, if oversubscribed from "
                      "a calibration\n", protocol)
        loops = {p["iterations_per_sample"] for p in ended.points if p["at"]["bytes"] == 1}
        self.assertEqual(int(re.search(r"(?m)^ +1 \| +(\d+) ", protocol)[1]), min(loops))
        if "OVERSUBSCRIBED" not in protocol:
            self.assertEqual(min(loops), 300)
        elif all("lengthened" not in p["flags"] for p in ended.points):
            self.assertTrue(1 <= min(loops) <= 300)

    @slow
    @plain
    def test_three_and_five_processes_can_be_measured(self):
        for ranks in (3, 5):
            method = {3: "sendrecv", 5: "alltoallv"}[ranks]
            ended = self.run_it(*SHORT, "--methods", method, ranks=ranks, limit=120)
            self.assert_valid(ended)
            self.assert_summaries(ended)
            self.assertEqual(ended.run["options"]["permutations"], permutations(ranks, 1, 1))


class Figures(BEffTest):
    """Plausibility of the measured values, as far as a busy machine allows."""

    @figures
    def test_latency_agrees_with_that_of_a_ping_pong(self):
        ended = self.run_it("--mem", 1, "--random", 1, "--reps", 1, "--methods", "sendrecv")
        summaries = {r["name"]: r["value"] for r in ended.records if r["record"] == "summary"}
        self.assertLess(abs(math.log2(summaries["latency_ping_pong"] / summaries["latency_rings"])), 2)

    @figures
    def test_a_ping_pong_agrees_with_that_of_another_program(self):
        ended = self.run_it("--mem", 1, "--random", 1, "--reps", 1, "--methods", "sendrecv")
        summaries = {r["name"]: r["value"] for r in ended.records if r["record"] == "summary"}
        longest = ended.run["options"]["lengths"][-1]
        # The best of several repetitions, as in b_eff.
        other = self.launch(str(PMB), "-iter", 1000, "-msgsize", f"1,{longest}", *["PingPong"] * 5, record=False,
                            cwd=self.folder)
        out, err = other.communicate(timeout=LIMIT)
        self.assertEqual(other.returncode, 0, err)
        rows = [words for words in map(str.split, out.splitlines()) if len(words) > 2]
        short, long = (min(float(words[2]) * 1e-6 for words in rows if words[0] == str(length))
                       for length in (1, longest))
        self.assertLess(abs(math.log2(summaries["latency_ping_pong"] / short)), 1)
        self.assertTrue(0.3 <= summaries["ping_pong_bandwidth"] * long / longest <= 2, (summaries, long))

    @figures
    def test_timed_loops_of_a_message_length_take_half_a_second(self):
        ended = self.run_it("--mem", 1, "--random", 1, "--reps", 1, "--methods", "sendrecv", "--loop", "timed")
        rows = collections.defaultdict(list)
        for p in ended.points:
            rows[p["at"]["bytes"]].append(p)
        self.assertGreater(min(p["iterations_per_sample"] for p in rows[1]), 300)
        for length in ended.run["options"]["lengths"][:-2]:
            self.assertLess(sum(p["derived"]["loop_time"] for p in rows[length]), 1.2, length)


@unittest.skipUnless(os.environ.get("B_EFF_STANDARD"), "takes a minute: a slow test")
class Standard(BEffTest):
    """The standard run on two processes."""

    def test_the_standard_run_succeeds(self):
        ended = self.run_it("--mem", 128, limit=1500)
        self.assert_valid(ended)
        self.assert_summaries(ended)
        label, total, each, ranks, mem, _ = FINAL.search(ended.out).groups()
        self.assertEqual((label, ranks, mem), ("", "2", "128"))
        self.assertAlmostEqual(float(total), 2 * float(each), delta=0.0021)
        self.assertEqual(ended.run["options"]["lengths"], [2 ** i for i in range(21)])
        self.assertEqual(ended.run["options"]["permutations"], permutations(2, 30, 1))
        rows = collections.defaultdict(list)
        for p in ended.points:
            at = p["at"]
            self.assertEqual(p["derived"]["messages"], 2)
            if at["pattern"].startswith(("ring-", "random-")) and "lengthened" not in p["flags"]:
                rows[at["repetition"], at["bytes"], at["method"]].append(p)
        self.assertEqual({p["iterations_per_sample"] for (_, length, _), row in rows.items() if length == 1
                          for p in row}, {300})
        aimed = []
        for row in rows.values():
            loop = row[0]["iterations_per_sample"]
            self.assertEqual({p["iterations_per_sample"] for p in row}, {loop})
            self.assertTrue(1 <= loop <= 300)
            if 1 < loop < 300:
                aimed.append(1e-3 <= sum(p["derived"]["loop_time"] for p in row) / len(row) <= 1e-2)
        if aimed and os.environ.get("QUIET_MACHINE"):
            self.assertGreaterEqual(sum(aimed), 0.9 * len(aimed))


if __name__ == "__main__":
    harness.main(sys.argv[6:])
