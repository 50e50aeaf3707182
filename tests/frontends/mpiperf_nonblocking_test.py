#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Non-blocking collectives and point-to-point messages of mpiperf, from outside.

usage: mpiperf_nonblocking_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import os
import sys

import harness
from mpiperf_harness import Mpiperf

NON_BLOCKING = ("Iallgather Iallgatherv Iallreduce Ialltoall Ialltoallv Ialltoallw Ibarrier Ibcast Iexscan Igather "
                "Igatherv Ireduce Ireduce_scatter Ireduce_scatter_block Iscan Iscatter Iscatterv").split()
MESSAGES = "Send Sendrecv Pingpong Isend Ssend Rsend Bsend Send_init".split()
OVERLAP = "Procs Count BlockingTime CompTime TRuns CRuns RSE Init Wait CompTimeReal Total Overlap".split()
OVERLAP_BY_RANK = "Procs Count Rank BlockingTime CompTime TRuns CRuns RSE Init Wait CompTimeReal Total Overlap".split()
BLOCKING = "Procs Count TRuns CRuns RSE Init Wait Total".split()
# A barrier start invalidates no run, whatever else the machine does. Few runs are enough if times are not examined.
QUICK = ("-z", "barrier", "-E", 4, "-r", 4)


def table(columns, rows):
    return [dict(zip(columns, (float("nan") if cell == "-" else float(cell) for cell in row))) for row in rows]


class NonBlockingTest(Mpiperf):
    def assert_overlap(self, point):
        """Recomputes the overlap over ranks from the values of each rank."""
        derived, compute = point["derived"], point["at"]["compute"]
        ranks = derived["by_rank"]
        self.assertEqual(derived["blocking_time"], max(r["blocking_time"] for r in ranks))
        for r in ranks:
            if r["overlap"] is not None:
                self.assertAlmostEqual(r["overlap"], 1 - (r["mean"] - compute) / r["blocking_time"], places=9)
        shares = [r["overlap"] for r in ranks if r["overlap"] is not None]
        if derived["overlap"] is None:
            self.assertEqual(shares, [])
        else:
            self.assertEqual((derived["overlap"]["min"], derived["overlap"]["max"]), (min(shares), max(shares)))
            self.assertAlmostEqual(derived["overlap"]["mean"], sum(shares) / len(shares), places=9)
            self.assertGreaterEqual(derived["overlap"]["standard_error"], 0)

    @harness.slow
    def test_36_computing_from_zero_to_twice_the_blocking_time(self):
        path = self.folder / "ranks.txt"
        ended = self.measure(*QUICK, "--precision", 6, "-x", "1KiB", "-X", "4KiB", "-S", 4, "-o", path, "Ibcast")
        rows = table(OVERLAP, ended.rows)
        by_rank = table(OVERLAP_BY_RANK, [line.split() for line in path.read_text().splitlines()
                                          if not line.startswith("#")])
        self.assertEqual([row["Count"] for row in rows], [1024] * 11 + [4096] * 11)
        self.assertEqual([row["Rank"] for row in by_rank], [0, 1] * 22)
        for curve in (rows[:11], rows[11:]):
            for k, row in enumerate(curve):
                self.assertAlmostEqual(row["CompTime"], 2 * row["BlockingTime"] * k / 10, places=5)
                self.assertGreaterEqual(row["CompTimeReal"], row["CompTime"] - 1e-3)
        for i, (row, point) in enumerate(zip(rows, ended.points)):
            derived = point["derived"]
            self.assertEqual(set(derived["phases"]), {"issue", "compute", "wait"})
            self.assertAlmostEqual(row["Init"], derived["phases"]["issue"]["mean"] * 1e6, places=5)
            self.assertAlmostEqual(row["Total"], point["value"] * 1e6, places=5)
            self.assertAlmostEqual(row["Overlap"], derived["overlap"]["max"], places=5)
            self.assert_overlap(point)
            for share, rank in zip(by_rank[2 * i:2 * i + 2], derived["by_rank"]):
                self.assertAlmostEqual(share["Overlap"], rank["overlap"], places=5)
                self.assertAlmostEqual(share["Total"], share["Init"] + share["Wait"] + share["CompTimeReal"], places=4)
            # Trimming, which other tests apply, is off here.
            self.assertEqual(point["kept"], point["valid"])

    def test_37_one_point_of_computing(self):
        ended = self.measure(*QUICK, "-c", 1, "--tests-per-compute", 4, "-X", 1, "Iallreduce")
        self.assertEqual(len(ended.rows), 1)
        derived = ended.points[0]["derived"]
        self.assertEqual(ended.points[0]["at"]["compute"], 2 * derived["blocking_time"])
        self.assertTrue(0 <= derived["tests"] <= 4, derived["tests"])

    @harness.slow
    def test_38_blocking_mode_of_all_on_3_processes(self):
        ended = self.measure(*QUICK, "-b", "--precision", 6, "-x", 10, "-X", 10, *NON_BLOCKING, ranks=3)
        self.assertEqual([p["benchmark"] for p in ended.points], NON_BLOCKING)
        for row in table(BLOCKING, ended.rows):
            self.assertGreaterEqual(row["Total"], max(row["Init"], row["Wait"]) - 1e-6)
        for point in ended.points:
            self.assertEqual(set(point["derived"]["phases"]), {"issue", "wait"})
            self.assertNotIn("overlap", point["derived"])

    @harness.slow
    def test_csv_contains_the_overlap_of_all_tests(self):
        ended = self.measure(*QUICK, "-c", 1, "-x", 5, "-X", 5, "--format", "csv", "-o", self.folder / "ranks.csv",
                             "Bcast", *NON_BLOCKING)
        lines = [line.split(",") for line in ended.out.splitlines()]
        self.assertEqual([line[0] for line in lines], ["Benchmark", "Bcast", *NON_BLOCKING])
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        bcast, *others = (dict(zip(lines[0], line)) for line in lines[1:])
        self.assertEqual((bcast["BlockingTime"], bcast["CompTime"]), ("", ""))
        self.assertTrue(all(float(line["BlockingTime"]) > 0 for line in others))
        for point in ended.points[1:]:
            self.assert_overlap(point)

    @harness.slow
    def test_the_other_options_work_as_for_blocking_tests(self):
        ended = self.measure(*QUICK, "-d", "--max-mem", "1MiB", "--root", 1, "--epochs", 2, "--shuffle", "-c", 2, "--raw",
                             "-x", 1, "-X", 4, "Igather", "Send_init")
        points = [p for p in ended.points if p["benchmark"] == "Igather"]
        self.assertEqual(sorted(p["at"]["count"] for p in points), [1, 1, 1, 2, 2, 2, 4, 4, 4])
        for point in ended.points:
            self.assertEqual(len(point["derived"]["epochs"]), 2)
            self.assertTrue(point["derived"]["footprint"]["cut"])
        for point in points:
            self.assert_overlap(point)

    @harness.not_quick
    def test_refinement_uses_the_blocking_time(self):
        ended = self.measure(*QUICK, "-c", 1, "-x", 1, "-X", "64KiB", "-S", 256, "--refine", 0.4, "Ibcast")
        counts = [p["at"]["count"] for p in ended.points]
        self.assertEqual(counts[:3], [1, 256, 65536])
        self.assertEqual(len(counts), len(set(counts)))

    def test_the_list_shows_multiples_of_the_blocking_time(self):
        ended = self.run_it("--list", "--ranks", 4, "-c", 2, "-X", 1, "Ibcast", "Send", ranks=0, record=False)
        self.assertEqual(ended.out.splitlines(),
                         [f"Ibcast ranks=4 count=1 bytes=1 compute={k}*blocking_time" for k in (0, 1, 2)] +
                         ["Send ranks=2 count=1 bytes=1"])

    def test_a_spent_budget_leaves_points_without_a_computing_time(self):
        ended = self.run_it("--time-budget", "1us", "-X", 1, "Ibcast")
        self.assertEqual(ended.code, 4)
        self.assert_valid(ended)
        self.assertEqual([(p["message"], "compute" in p["at"]) for p in ended.points], [("time_budget", False)])

    @harness.not_quick
    def test_the_first_two_of_three_processes_exchange_messages(self):
        path = self.folder / "ranks.txt"
        ended = self.measure(*QUICK, "--raw", "-a", "--precision", 6, "-x", 1, "-X", "128KiB", "-S", 131072, "-o", path,
                             *MESSAGES, ranks=3)
        self.assertEqual([(p["benchmark"], p["at"]["ranks"], p["at"]["bytes"]) for p in ended.points],
                         [(name, 2, n) for name in MESSAGES for n in (1, 131072)])
        ranks = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
        for i, (row, point) in enumerate(zip(ended.rows, ended.points)):
            factor = 0.5 if point["benchmark"] == "Pingpong" else 1
            times = [s["time"] for s in point["samples"]]
            self.assertAlmostEqual(point["value"] / (sum(times) / len(times)), factor, places=9)
            self.assertEqual(len(row), 17)
            self.assertAlmostEqual(float(row[14]), point["over_ranks"]["max"] * 1e6, places=5)
            one_way = point["derived"]["one_way"]
            self.assertAlmostEqual(one_way["time"], point["derived"]["span"] * factor)
            self.assertAlmostEqual(one_way["uncertainty"], point["derived"]["sync"]["bound"] * factor)
            # Every time is within the span, up to the uncertainty of the clocks.
            self.assertLessEqual(point["over_ranks"]["max"], one_way["time"] + 2 * one_way["uncertainty"] + 1e-9)
            self.assertAlmostEqual(float(ranks[2 * i][4]), point["value"] * 1e6, places=5)

    @harness.slow
    def test_slots_work_for_messages_and_overlap(self):
        ended = self.measure("-x", 8, "-X", 8, "-c", 1, "Send", "Rsend", "Ibcast")
        self.assertEqual(len(ended.points), 3)
        for point in ended.points:
            self.assertEqual(point["attempts"] % 8, 0)
        for point in ended.numbers:
            self.assertGreater(point["value"], 0)

    @harness.not_quick
    def test_2_36_more_ranks_than_cores(self):
        core = {min(os.sched_getaffinity(0))}
        ended = self.run_it("-c", 1, "-X", 1, "Ibcast", "Pingpong", "Rsend", cores=core)
        self.assertIn(ended.code, (0, 4))
        self.assert_valid(ended)
        self.assertEqual(len(ended.warnings()), 1, ended.err)
        self.assertEqual([p["benchmark"] for p in ended.points], ["Ibcast", "Pingpong", "Rsend"])
        for point in ended.points:
            self.assertIn("oversubscribed", point["flags"])

    def test_one_process_can_measure_all_collectives(self):
        ended = self.measure(*QUICK, "-c", 1, "-x", 0, "-X", 0, *NON_BLOCKING, ranks=1)
        self.assertEqual([p["benchmark"] for p in ended.points], NON_BLOCKING)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
