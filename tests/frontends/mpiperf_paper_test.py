#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The demonstrations of the MPIPerf paper from outside: mpiperf-paper in its quick forms.

usage: mpiperf_paper_test.py MPIPERF_PAPER MPIPERF SKAMPI LINEAR_BROADCAST LAUNCHER YIELD_HELPER
                             [SIMULATED [UNITTEST OPTIONS]]

SIMULATED is LINEAR_BROADCAST compiled for SMPI; empty: SimGrid is not installed.
"""
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

import harness

PAPER, MPIPERF, SKAMPI, LINEAR_BROADCAST, LAUNCHER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:6])
YIELD_HELPER, SIMULATED = (path and str(pathlib.Path(path).resolve()) for path in (sys.argv[6:8] + ["", ""])[:2])
LAUNCH = f"{LAUNCHER} -genv LD_PRELOAD {YIELD_HELPER}" if YIELD_HELPER else LAUNCHER


class PaperTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "results"

    def start(self, *arguments, **words):
        return subprocess.run([sys.executable, PAPER, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, cwd=self.folder, **words)

    def show(self, command, *arguments, ranks=2, **words):
        """Returns the rows of a demonstration's table."""
        done = self.start(command, "--quick", "--launcher", LAUNCH, "--mpiperf", MPIPERF, "--ranks", ranks, "--output",
                          self.output, *arguments, **words)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
        return [dict(zip(lines[0], row, strict=True)) for row in lines[1:]], done.stdout

    def points(self, name):
        return [record for record in map(json.loads, (self.output / name).read_text().splitlines())
                if record["record"] == "point"]

    def assert_figure(self, name):
        self.assertTrue((self.output / (name + ".dat")).exists())
        self.assertTrue((self.output / (name + ".gp")).exists())
        if shutil.which("gnuplot"):
            self.assertIn("<svg", (self.output / (name + ".svg")).read_text()[:500])

    @harness.not_quick
    def test_a_loop_of_broadcasts_is_shown_next_to_its_formula(self):
        program = ["--program", LINEAR_BROADCAST] + (["--simulated", SIMULATED] if SIMULATED else [])
        rows, _ = self.show("linear-broadcast", "--calls", 4, *program, ranks=3)
        self.assertEqual([row["rank"] for row in rows], ["0", "1", "2"])
        self.assertEqual([row["formula"] for row in rows], ["1.000", "1.750", "1.000"])
        for row in rows:
            self.assertGreater(float(row["measured"]), 0)
            if SIMULATED:
                self.assertAlmostEqual(float(row["simulated"]) / float(row["formula"]), 1, delta=0.1)
        self.assert_figure("linear-broadcast")

    @harness.slow
    def test_waits_are_compared_with_their_true_duration(self):
        rows, _ = self.show("waits")
        self.assertTrue(rows)
        for row in rows:
            truth = 0 if row["pattern"] == "WaitPatternNull" else int(row["ranks"])
            self.assertEqual(float(row["expected"]), truth)
            self.assertGreaterEqual(float(row["measured"]), truth)
            self.assertEqual(row["timer"], "mpi_wtime")
        for pattern in ("Null", "Up", "Down"):
            self.assert_figure("waits-WaitPattern" + pattern)

    # Barrier starts: with slots all samples may be invalid on a machine that others use.
    @harness.not_quick
    def test_the_spread_of_launches_follows_from_their_records(self):
        rows, text = self.show("reproducibility", "--starts", 2, "--count", 8, "--start", "barrier")
        means = [self.points(f"reproducibility-{start:02}.jsonl")[0]["value"] * 1e6 for start in (1, 2)]
        self.assertEqual([row["mean"] for row in rows], [f"{mean:.3f}" for mean in means])
        error = statistics.stdev(means) / (statistics.mean(means) * math.sqrt(2))
        self.assertIn(f"RSE = sd / (mean sqrt(m)) = {error:.4f}.", text)
        self.assertTrue(all(float(row["from"]) <= float(row["mean"]) <= float(row["to"]) for row in rows))
        self.assert_figure("reproducibility")

    @harness.not_quick
    def test_two_programs_measure_one_broadcast(self):
        rows, text = self.show("figure-11", "--skampi", SKAMPI, "--starts", 2, "--start", "barrier")
        self.assertIn("(mpiperf: start barrier, max of the processes; skampi: between two barriers, rank 0):", text)
        self.assertEqual([row["bytes"] for row in rows], ["4", "8", "16", "32", "64", "128", "256", "512", "1024"])
        for row in rows:
            for program in ("mpiperf", "skampi"):
                values = [point["value"] * 1e6 for start in (1, 2)
                          for point in self.points(f"figure-11-{program}-{start:02}.jsonl")
                          if point["at"]["bytes"] == int(row["bytes"]) and point["value"] is not None]
                self.assertEqual(row[program], f"{statistics.median(values):.3f}")
        self.assert_figure("figure-11")

    @harness.not_quick
    def test_the_error_of_launches_is_recomputed_from_their_records(self):
        rows, _ = self.show("figure-12", "--skampi", SKAMPI, "--starts", 3, "--start", "barrier")
        self.assertEqual([row["ranks"] for row in rows], ["1", "2"])
        for row in rows:
            for program in ("mpiperf", "skampi"):
                values = [point["value"] * 1e6 for start in (1, 2, 3)
                          for point in self.points(f"figure-12-{program}-{start:02}.jsonl")
                          if point["at"]["ranks"] == int(row["ranks"]) and point["value"] is not None]
                self.assertEqual(row[f"{program}-m"], str(len(values)))
                # SKaMPI's time on one process is the difference of two equal measurements, which may be negative.
                if statistics.mean(values) > 0:
                    error = statistics.stdev(values) / (statistics.mean(values) * math.sqrt(len(values)))
                    self.assertEqual(row[f"{program}-RSE"], f"{error:.3f}")
                else:
                    self.assertEqual((row["ranks"], program, row[f"{program}-RSE"]), ("1", "skampi", "-"))
        self.assert_figure("figure-12")

    @harness.not_quick
    def test_first_calls_are_compared_and_gnuplot_is_not_needed(self):
        tools = self.folder / "tools"
        tools.mkdir()
        # Open MPI's launcher needs ssh even on a single host.
        for tool in filter(shutil.which, ("env", "ssh")):
            (tools / tool).symlink_to(shutil.which(tool))
        rows, text = self.show("first-call", "--count", 8, "--start", "barrier", env=os.environ | {"PATH": str(tools)})
        self.assertEqual([row["operation"] for row in rows], ["Barrier", "Bcast", "Alltoall"])
        for row in rows:
            derived = self.points(f"first-call-{row['operation']}-01.jsonl")[0]["derived"]
            self.assertEqual(row["ratio"], f"{derived['first_call_ratio']:.3f}")
        self.assertIn("gnuplot is not installed", text)
        self.assertTrue((self.output / "first-call.gp").exists())
        self.assertFalse((self.output / "first-call.svg").exists())

    def assert_error(self, code, text, *arguments):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr.splitlines()[-1])
        self.assertIn("mpiperf-paper", done.stderr)

    @harness.not_quick
    def test_errors_are_one_line_and_an_exit_code(self):
        known = ("--mpiperf", MPIPERF, "--launcher", LAUNCH)
        (self.folder / "file").touch()
        self.assert_error(2, "required: COMMAND")
        self.assert_error(2, "--launcher: there is no program 'nosuch'", "waits", "--launcher", "nosuch")
        self.assert_error(2, "--ranks: 1 is not at least 2", "waits", *known, "--ranks", 1)
        self.assert_error(2, "--output: cannot write to file", "waits", *known, "--output", "file")
        self.assert_error(2, "--mpiperf: there is no program 'nosuch'", "waits", *known[2:], "--mpiperf", "nosuch")
        self.assert_error(2, "--starts: 1", "reproducibility", *known, "--starts", 1)
        self.assert_error(2, "--skampi: there is no program 'nosuch'", "figure-12", *known, "--quick", "--ranks", 2,
                          "--start", "barrier", "--skampi", "nosuch")
        self.assert_error(2, "--calls: 0", "linear-broadcast", *known, "--calls", 0)
        self.assert_error(2, "there is no test 'nosuch'", "reproducibility", *known, "--ranks", 2, "--test", "nosuch")


if __name__ == "__main__":
    harness.main(sys.argv[8:])
