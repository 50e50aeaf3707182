#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Warm-up of mpiperf, with a preloaded library whose MPI_Alltoall is slow in its first calls.

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
# Overhead of a call above its set duration, in seconds; sanitizers increase it.
REST = 4e-6 if os.environ.get("SANITIZED") else 1e-6
# Flags of a value that is not reliable.
MARKS = {"few_valid", "trend", "unsettled", "sync_degraded"}


class Settling(mpiperf_harness.Mpiperf):
    def alltoall(self, slow_calls, *arguments):
        """Returns the point of a run whose first calls are slow."""
        ended = self.measure("-x", 8, "-X", 8, *arguments, "Alltoall",
                             preload=[PRELOADED], environment={"QUICK_US": str(QUICK), "SLOW_US": str(SLOW),
                                                               "SLOW_CALLS": str(slow_calls),
                                                               "CALLS_FILE": str(self.folder / "calls")})
        return ended.points[0]

    def assert_settled(self, point):
        """A value without a flag must be that of the quick calls, whose duration is known."""
        if point["value"] is None or MARKS & set(point["flags"]):
            return
        self.assertGreater(point["estimate"]["median"], QUICK * 1e-6)
        self.assertLess(point["estimate"]["median"], QUICK * 1.05e-6 + REST)

    @harness.not_quick
    def test_slow_first_calls_are_not_measured(self):
        for slow_calls in (0, 50, 500, 1000):
            with self.subTest(slow_calls=slow_calls):
                point = self.alltoall(slow_calls)
                self.assert_settled(point)
                # If other programs take the cores, calls are long and the warm-up has fewer of them. A later change is
                # flagged.
                if point["value"] is not None and point["derived"]["settling"]["runs"] < slow_calls:
                    self.assertTrue({"unsettled", "trend"} & set(point["flags"]), point["flags"])

    @harness.figures
    def test_an_undisturbed_run_settles(self):
        for slow_calls in (0, 500):
            with self.subTest(slow_calls=slow_calls):
                point = self.alltoall(slow_calls)
                self.assertIsNotNone(point["value"])
                self.assertEqual(MARKS & set(point["flags"]), set())
                self.assertGreaterEqual(point["derived"]["settling"]["runs"], slow_calls)
                self.assert_settled(point)

    def test_without_settling_slow_first_calls_are_measured(self):
        point = self.alltoall(500, "--settle", "off")
        if point["value"] is not None:
            self.assertGreater(point["estimate"]["median"], SLOW * 1e-6)
        self.assertEqual(point["derived"].get("settling", {}).get("reason", "off"), "off")

    def test_a_step_among_the_measured_runs_is_flagged_as_a_trend(self):
        # After the shortest warm-up and its settled stage, in the middle of the measured runs.
        point = self.alltoall(WARM_UP + STAGE + RUNS // 2, "--retry", 0)
        before = point["derived"]["settling"]["runs"]
        step = WARM_UP + STAGE + RUNS // 2
        # For 32 runs with a clean step, the test detects it at p < 0.001 from the tenth run to the tenth from the end.
        edge = 12
        is_disturbed = point["valid"] <= RUNS - 4 or point["attempts"] > RUNS + 4
        if is_disturbed or not before + edge <= step <= before + point["attempts"] - edge:
            self.skipTest(f"the step at {step} is not well inside the runs from {before} on, or they were disturbed")
        self.assertIn("trend", point["flags"])
        self.assertAlmostEqual(point["derived"]["trend"]["ratio"], QUICK / SLOW, delta=0.1)

    def test_a_trend_is_measured_again(self):
        point = self.alltoall(WARM_UP + STAGE + RUNS // 2, "--retry", 2)
        self.assert_settled(point)
        # A point that still has a trend was measured again. The first attempt is kept if the later ones are worse.
        if "trend" in point["flags"] and "attempt" not in point["derived"]:
            calls = int((self.folder / "calls").read_text().split()[0])
            self.assertGreater(calls, point["derived"]["settling"]["runs"] + point["attempts"] + WARM_UP // 2, point)

    def test_first_calls_are_all_recorded_and_summarised_below_the_row(self):
        # A busy machine delays most calls by more than the difference between slow and quick ones. With this many
        # calls, some are undisturbed.
        ended = self.run_it("-x", 8, "-X", 8, "--first-calls", 2000, "Alltoall", preload=[PRELOADED],
                            environment={"QUICK_US": str(QUICK), "SLOW_US": str(SLOW), "SLOW_CALLS": "50"})
        self.assertIn(ended.code, (0, 4), ended.err)
        samples = ended.points[0]["samples"]
        times = [sample["time"] for sample in samples]
        if len(times) < 2000 and all(sample["invalid"] for sample in samples[-20 * 32:]):
            self.skipTest("a measurement ends after 20 stages of 32 calls without a valid one")
        # Plus one for each call that started too late.
        self.assertGreaterEqual(len(times), 2000)
        self.assertGreater(min(times[:50]), SLOW * 1e-6)
        self.assertLess(min(times[50:]), min(times[:50]))
        told = [line for line in ended.header if line.startswith("#   call")]
        calls = ["call 1 ", "call 2 ", "calls 3 to 4", "calls 5 to 8", "calls 9 to 16", "calls 17 to 32", "calls 33 to 64",
                 "calls 65 to 128", "calls 129 to 256", "calls 257 to 512", "calls 513 to 1024", "calls 1025 to 2000"]
        self.assertEqual(len(told), len(calls), ended.header)
        for line, name in zip(told, calls):
            self.assertIn(name, line)
        # On most machines the first call starts late; its time is listed nevertheless.
        self.assertGreater(float(told[0].split()[3]), SLOW)

    @harness.not_quick
    def test_a_step_after_the_measured_runs_has_no_effect(self):
        point = self.alltoall(100_000)
        if point["value"] is not None:
            self.assertGreater(point["estimate"]["median"], SLOW * 1e-6)


if __name__ == "__main__":
    harness.main(sys.argv[6:])
