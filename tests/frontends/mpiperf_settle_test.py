#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Warm-up of mpiperf, against a preloaded library whose MPI_Alltoall is slow in its first calls.

usage: mpiperf_settle_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER PRELOADED [UNITTEST OPTIONS]
"""
import os
import pathlib
import sys

import harness
import mpiperf_harness

PRELOADED = str(pathlib.Path(sys.argv[5]).resolve())
QUICK, SLOW = 4, 12
WARM_UP, STAGE, RUNS = 1000, 8, 32
# Overhead of a call, s, above the time that it is told to take; with sanitizers everything takes longer.
REST = 4e-6 if os.environ.get("SANITIZED") else 1e-6
# Flags of a number that is not to be trusted.
MARKS = {"few_valid", "trend", "unsettled", "sync_degraded"}


class Settling(mpiperf_harness.Mpiperf):
    def alltoall(self, slow_calls, *arguments):
        """The point of a run whose first calls are slow."""
        ended = self.measure("-x", 8, "-X", 8, *arguments, "Alltoall",
                             preload=[PRELOADED], environment={"QUICK_US": str(QUICK), "SLOW_US": str(SLOW),
                                                               "SLOW_CALLS": str(slow_calls),
                                                               "CALLS_FILE": str(self.folder / "calls")})
        return ended.points[0]

    def assert_settled(self, point):
        """A number that bears no mark is that of the calls that are quick, which take as long as they are told to."""
        if point["value"] is None or MARKS & set(point["flags"]):
            return
        self.assertGreater(point["estimate"]["median"], QUICK * 1e-6)
        self.assertLess(point["estimate"]["median"], QUICK * 1.05e-6 + REST)

    @harness.not_quick
    def test_slow_first_calls_do_not_count(self):
        for slow_calls in (0, 50, 500, 1000):
            with self.subTest(slow_calls=slow_calls):
                point = self.alltoall(slow_calls)
                self.assert_settled(point)
                # Where other programs take the cores, calls are long and fewer warm up. A later change is flagged.
                if point["value"] is not None and point["derived"]["settling"]["runs"] < slow_calls:
                    self.assertTrue({"unsettled", "trend"} & set(point["flags"]), point["flags"])

    @harness.figures
    def test_where_nothing_disturbs_it_a_run_settles(self):
        for slow_calls in (0, 500):
            with self.subTest(slow_calls=slow_calls):
                point = self.alltoall(slow_calls)
                self.assertIsNotNone(point["value"])
                self.assertEqual(MARKS & set(point["flags"]), set())
                self.assertGreaterEqual(point["derived"]["settling"]["runs"], slow_calls)
                self.assert_settled(point)

    def test_without_settling_they_do(self):
        point = self.alltoall(500, "--settle", "off")
        if point["value"] is not None:
            self.assertGreater(point["estimate"]["median"], SLOW * 1e-6)
        self.assertEqual(point["derived"].get("settling", {}).get("reason", "off"), "off")

    def test_a_step_inside_the_runs_that_count_is_a_trend(self):
        # After the shortest warm-up and its settled stage, in the middle of the runs.
        point = self.alltoall(WARM_UP + STAGE + RUNS // 2, "--retry", 0)
        before = point["derived"]["settling"]["runs"]
        step = WARM_UP + STAGE + RUNS // 2
        # Of 32 runs with a clean step the test sees it at p < 0.001 from the tenth run to the tenth from the end.
        edge = 12
        is_disturbed = point["valid"] <= RUNS - 4 or point["attempts"] > RUNS + 4
        if is_disturbed or not before + edge <= step <= before + point["attempts"] - edge:
            self.skipTest(f"the step at {step} is not well inside the runs from {before} on, or they were disturbed")
        self.assertIn("trend", point["flags"])
        self.assertAlmostEqual(point["derived"]["trend"]["ratio"], QUICK / SLOW, delta=0.1)

    def test_a_trend_is_measured_again(self):
        point = self.alltoall(WARM_UP + STAGE + RUNS // 2, "--retry", 2)
        self.assert_settled(point)
        # A point that still has one was measured again. The first attempt is kept where later ones are worse.
        if "trend" in point["flags"] and "attempt" not in point["derived"]:
            calls = int((self.folder / "calls").read_text().split()[0])
            self.assertGreater(calls, point["derived"]["settling"]["runs"] + point["attempts"] + WARM_UP // 2, point)

    def test_first_calls_are_all_in_the_record_and_summed_up_below_the_row(self):
        # A busy machine delays most calls by more than the difference between slow and quick ones. Some of this many
        # are undisturbed.
        ended = self.run_it("-x", 8, "-X", 8, "--first-calls", 2000, "Alltoall", preload=[PRELOADED],
                            environment={"QUICK_US": str(QUICK), "SLOW_US": str(SLOW), "SLOW_CALLS": "50"})
        self.assertIn(ended.code, (0, 4), ended.err)
        samples = ended.points[0]["samples"]
        times = [sample["time"] for sample in samples]
        if len(times) < 2000 and all(sample["invalid"] for sample in samples[-20 * 32:]):
            self.skipTest("a measurement ends after 20 stages of 32 calls without a valid one")
        # One more for each that was out of step.
        self.assertGreaterEqual(len(times), 2000)
        self.assertGreater(min(times[:50]), SLOW * 1e-6)
        self.assertLess(min(times[50:]), min(times[:50]))
        told = [line for line in ended.header if line.startswith("#   call")]
        calls = ["call 1 ", "call 2 ", "calls 3 to 4", "calls 5 to 8", "calls 9 to 16", "calls 17 to 32", "calls 33 to 64",
                 "calls 65 to 128", "calls 129 to 256", "calls 257 to 512", "calls 513 to 1024", "calls 1025 to 2000"]
        self.assertEqual(len(told), len(calls), ended.header)
        for line, name in zip(told, calls):
            self.assertIn(name, line)
        # The first call starts late on most machines; its time is listed anyway.
        self.assertGreater(float(told[0].split()[3]), SLOW)

    @harness.not_quick
    def test_a_step_after_the_runs_cannot_be_seen(self):
        point = self.alltoall(100_000)
        if point["value"] is not None:
            self.assertGreater(point["estimate"]["median"], SLOW * 1e-6)


if __name__ == "__main__":
    harness.main(sys.argv[6:])
