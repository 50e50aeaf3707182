#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: stopping by the interval of the median, order of points, noise, samples in the record.

usage: mpiperf_statistics_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import math
import statistics
import sys

import harness
from mpiperf_harness import Mpiperf

BARRIER = ("-z", "barrier", "Barrier")  # other programs cannot make these samples invalid


class StatisticsTest(Mpiperf):
    @harness.slow
    def test_the_interval_of_the_median_ends_a_point_and_samples_are_described(self):
        ended = self.measure("--raw", "-X", "1", "--median-interval", "40", "-R", "4000", *BARRIER)
        self.assertIn("# Exit condition: interval of the median <= +-40 % in two consecutive stages, with at least 16 "
                      "valid runs", ended.out)
        self.assertEqual((ended.run["options"]["stop"], ended.run["options"]["median_interval"]), ("interval", 0.4))
        (point,) = ended.points
        low, high = point["estimate"]["median_interval"]
        if point["status"] == "converged":
            self.assertEqual(point["stop_reason"], "interval")
            self.assertLessEqual((high - low) / 2, 0.4 * point["estimate"]["median"])
            self.assertGreaterEqual(point["valid"], 24)
        else:
            self.assertEqual((point["status"], point["attempts"]), ("exhausted", 4000))
        times = [sample["time"] for sample in point["samples"] if sample["invalid"] is None]
        mean, n = statistics.mean(times), len(times)
        squares = sum((x - mean) ** 2 for x in times)
        rho = sum((a - mean) * (b - mean) for a, b in zip(times, times[1:])) / squares
        self.assertAlmostEqual(point["derived"]["autocorrelation"], rho, delta=1e-6)
        self.assertEqual("autocorrelated" in point["flags"], abs(rho) > 2 / math.sqrt(n))
        skewness = n / (n - 1) / (n - 2) * sum((x - mean) ** 3 for x in times) / statistics.stdev(times) ** 3
        self.assertAlmostEqual(point["derived"]["skewness"], skewness, delta=1e-6)
        self.assertLessEqual(point["derived"]["effective_samples"], n)

    @harness.not_quick
    def test_a_random_order_depends_on_the_seed_and_is_that_of_the_record(self):
        def order(seed):
            ended = self.measure("-s", "1", "-X", "12", "-E", "2", "-r", "2", "--stage-runs", "2", "--shuffle", "--seed",
                                 seed, *BARRIER, ranks=0)
            self.assertEqual((ended.run["options"]["shuffle"], ended.run["options"]["seed"]), (True, seed))
            self.assertIn("# Order of points: random, from the seed", ended.out)
            counts = [point["at"]["count"] for point in ended.points]
            self.assertEqual(counts, [int(line.split()[1]) for line in ended.out.splitlines() if line[0] != "#"])
            return counts
        first, again, other = order(1), order(1), order(2)
        self.assertEqual(sorted(first), list(range(1, 13)))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_noise_is_measured_on_every_process(self):
        ended = self.measure("--noise", "200ms", "-t", "monotonic")
        rows = [line.split() for line in ended.out.splitlines() if not line.startswith("#")]
        self.assertEqual([row[0] for row in rows], ["0", "1"])
        (summary,) = [record for record in ended.records if record["record"] == "summary"]
        ranks = summary["derived"]["by_rank"]
        self.assertEqual(len(ranks), 2)
        self.assertEqual(summary["value"], max(rank["share"] for rank in ranks))
        for rank, row in zip(ranks, rows):
            self.assertGreaterEqual(rank["duration"], 0.2)
            self.assertLessEqual(rank["shortest"], rank["median"])
            self.assertLessEqual(rank["median"], rank["longest"])
            self.assertTrue(rank["detours"] == 0 or rank["shortest"] > rank["threshold"])
            self.assertLess(rank["share"], 1)
            self.assertEqual(int(row[2]), rank["detours"])

    @harness.not_quick
    def test_a_run_reports_the_noise_before_it(self):
        ended = self.measure("-X", "1", "-E", "2", "-r", "2", *BARRIER, ranks=0)
        noise = ended.run["noise"]
        self.assertEqual(len(noise["by_rank"]), 1)
        self.assertEqual(noise["share"], noise["by_rank"][0]["share"])
        (line,) = [line for line in ended.out.splitlines() if line.startswith("# Noise: ")]
        self.assertIn("of a core's time lost", line)
        self.assertEqual(noise["warning"] is not None, noise["by_rank"][0]["pauses"] > 0)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
