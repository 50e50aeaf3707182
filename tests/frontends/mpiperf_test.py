#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: command line, reports, records, and the correctness of the measured values.

usage: mpiperf_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]

YIELD_HELPER is preloaded by the launcher if there are more ranks than cores; empty: not needed.
"""
import json
import math
import os
import pathlib
import signal
import sys
import time

import harness
from harness import figures, plain, slow
from mpiperf_harness import MPIPERF, Mpiperf, counter

COLLECTIVES = ("Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce "
               "Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv").split()
NON_BLOCKING = ["I" + name.lower() for name in COLLECTIVES]
MESSAGES = ["Send", "Sendrecv", "Pingpong", "Isend", "Ssend", "Rsend", "Bsend", "Send_init"]
PATTERNS = ["WaitPatternUp", "WaitPatternDown", "WaitPatternNull"]
RANK_COLUMNS = "Procs Count Rank CRuns Mean RSE StdErr Min Max Err CI_LB CI_UB RelErr".split()


def student_quantile(confidence, degrees):
    """Two-sided quantile, by bisection of the integrated density (Simpson's rule)."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def density(x):
        return scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    def within(t, steps=2000):
        h = t / steps
        inner = sum((4 if k % 2 else 2) * density(k * h) for k in range(1, steps))
        return 2 * h / 3 * (density(0) + inner + density(t))

    low, high = 0.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < confidence else (low, middle)
    return low


class MpiperfTest(Mpiperf):
    # Help and lists.

    def test_01_timers_are_listed(self):
        ended = self.run_it("-T", ranks=1, record=False)
        self.assertEqual(ended.code, 0)
        for timer in ("MPI_Wtime", "gettimeofday", "tsc", "monotonic", "monotonic_raw", "synthetic"):
            self.assertIn(timer, ended.out)

    def test_02_tests_are_listed_once_each(self):
        for ranks in (0, 1, 2):
            ended = self.run_it("-q", ranks=ranks, record=False)
            self.assertEqual(ended.code, 0)
            wanted = COLLECTIVES + NON_BLOCKING + MESSAGES + PATTERNS
            names = [row[0] for row in ended.rows]
            self.assertEqual([name for name in names if name in wanted], wanted)
            self.assertEqual(len(names), len(set(names)))

    def test_list_shows_the_points_of_a_larger_world(self):
        ended = self.run_it("--list", "--ranks", 8, "-p", 4, "-X", 2, "Allreduce", ranks=0, record=False)
        self.assertEqual(ended.code, 0)
        self.assertEqual(ended.out.splitlines(), ["Allreduce ranks=4 count=1 bytes=8", "Allreduce ranks=4 count=2 bytes=16",
                                                  "Allreduce ranks=8 count=1 bytes=8", "Allreduce ranks=8 count=2 bytes=16"])

    # Usage. Refusals that need options only are tested in tests/unit/mpiperf_refusals_test.cpp.

    def test_18_an_unwritable_report_is_refused(self):
        self.assert_usage("-o", "/nonexistent/x", "Bcast", names=["/nonexistent/x"])

    # Points.

    @slow
    def test_13_count_zero(self):
        ended = self.measure("-x", 0, "-X", 4, "Bcast", "Reduce_scatter", "Alltoallw")
        self.assertEqual([int(row["Count"]) for row in ended.table], [0, 1, 2, 4] * 3)

    def test_the_largest_count_is_included_on_request(self):
        ended = self.measure("-x", 1, "-X", 5, "--include-max", "Allreduce")
        self.assertEqual([p["at"] for p in ended.points],
                         [{"ranks": 2, "count": c, "bytes": 8 * c} for c in (1, 2, 4, 5)])

    def test_process_counts_vary_outside_counts(self):
        ended = self.measure("-p", 1, "-X", 2, "Gather", "Barrier")
        self.assertEqual([(p["benchmark"], p["at"]["ranks"], p["at"]["count"]) for p in ended.points],
                         [(b, n, c) for b in ("Gather", "Barrier") for n in (1, 2) for c in (1, 2)])

    @harness.not_quick
    def test_every_collective_runs_on_1_2_and_3_processes(self):
        ended = self.measure("-z", "barrier", "-p", 1, "-g", 1, "-x", 0, "-X", 10, "-s", 5, "-E", 2, *COLLECTIVES, ranks=3)
        self.assertEqual({(p["benchmark"], p["at"]["ranks"], p["at"]["count"]) for p in ended.points},
                         {(b, n, c) for b in COLLECTIVES for n in (1, 2, 3) for c in (0, 5, 10)})

    def test_one_process_can_measure(self):
        for ranks in (0, 1):
            ended = self.measure("-X", 1, "Allreduce", "Barrier", ranks=ranks)
            self.assertEqual(len(ended.rows), 2)

    def test_refinement_stays_within_the_counts(self):
        ended = self.measure("-x", 1, "-X", 65536, "-S", 256, "--refine", 0.3, "Bcast")
        counts = [p["at"]["count"] for p in ended.points]
        self.assertEqual(counts[:3], [1, 256, 65536])
        self.assertEqual(len(counts), len(set(counts)))
        self.assertTrue(all(1 <= c <= 65536 for c in counts))

    @harness.not_quick
    def test_shuffling_keeps_the_set_of_points(self):
        ended = self.measure("--shuffle", "--seed", 3, "-X", 32, "Bcast")
        counts = [p["at"]["count"] for p in ended.points]
        self.assertEqual(sorted(counts), [1, 2, 4, 8, 16, 32])
        self.assertNotEqual(counts, sorted(counts))

    @harness.not_quick
    def test_tests_can_have_their_own_counts(self):
        ended = self.measure("-z", "barrier", "-E", 2, "Bcast:4K,8,8", "Barrier:3", "Pingpong:16", "Gather", "-X", 2,
                             "Fetch_and_op_lock:5", ranks=3)
        self.assertEqual([(p["benchmark"], p["at"]["ranks"], p["at"]["count"]) for p in ended.points],
                         [("Bcast", 3, 8), ("Bcast", 3, 4096), ("Barrier", 3, 3), ("Pingpong", 2, 16), ("Gather", 3, 1),
                          ("Gather", 3, 2), ("Fetch_and_op_lock", 2, 1)])
        self.assertEqual((ended.run["options"]["tests"][0], ended.run["options"]["count"]), ("Bcast:4K,8,8", [1, 2]))
        self.assertIn("# Data sizes of Bcast: 8, 4096", ended.header)
        ended = self.run_it("--list", "Ibcast:64", "Memory:7", "-c", 1, record=False)
        self.assertEqual(ended.out.splitlines()[-1], "Ibcast ranks=2 count=64 bytes=64 compute=2*blocking_time")

    def test_own_counts_work_with_refinement_and_cold_buffers(self):
        ended = self.measure("-z", "barrier", "-d", "--max-mem", "1M", "--refine", 0.3, "Bcast:1,64K,256")
        counts = [p["at"]["count"] for p in ended.points]
        self.assertEqual(counts[:3], [1, 256, 65536])
        self.assertTrue(all(1 <= c <= 65536 for c in counts))

    # Stopping.

    def test_19_default_run(self):
        ended = self.measure("Bcast")
        self.assertEqual([int(row["Count"]) for row in ended.table], [1, 2, 4, 8, 16, 32, 64, 128])
        for row in ended.table:
            self.assertTrue(row["CRuns"] >= 30 or row["TRuns"] >= 100, row)
            self.assertEqual(row["TRuns"] % 8, 0)
            self.assertEqual(row["FRuns"], row["CRuns"] - 2 * (row["CRuns"] // 4))

    def test_20_few_valid_runs(self):
        ended = self.measure("-E", 5, "--raw", "Bcast")
        for point in ended.points:
            samples = point["samples"]
            earlier = [s for s in samples if s["stage"] < samples[-1]["stage"] and s["invalid"] is None]
            self.assertGreaterEqual(point["attempts"], 16)
            self.assertTrue(point["attempts"] == 16 or len(earlier) < 5, point["attempts"])

    @slow
    def test_21_no_trimming(self):
        for row in self.measure("-a", "Bcast").table:
            self.assertEqual(row["FRuns"], row["CRuns"])

    @slow
    def test_16_22_relative_error(self):
        self.measure("-e", 0.5, "-X", 1, "Bcast")
        for point in self.measure("-e", 5, "Bcast").numbers:
            self.assertTrue(point["derived"]["rse"] <= 0.05 or point["attempts"] >= 100, point)

    def test_30_warm_up_never_counts(self):
        ended = self.measure("--raw", "--warmup-runs", 7, "-X", 2, "Bcast")
        for point in ended.points:
            self.assertEqual(len(point["samples"]), point["attempts"])
            self.assertEqual(point["attempts"] % 8, 0)
            self.assertEqual(point["samples"][0]["stage"], 1)

    # Reports.

    @slow
    def test_23_columns_agree_with_each_other(self):
        for row in self.measure("--precision", 9, "-z", "barrier", "Bcast").table:
            self.assertLessEqual(row["Min"], row["Mean"])
            self.assertLessEqual(row["Mean"], row["Max"])
            self.assertLessEqual(row["CI_LB"], row["Mean"])
            self.assertLessEqual(row["Mean"], row["CI_UB"])
            self.assertAlmostEqual(row["Err"], student_quantile(0.95, row["FRuns"] - 1) * row["StdErr"], places=6)
            self.assertAlmostEqual(row["RelErr"], row["Err"] / row["Mean"], places=6)
            self.assertAlmostEqual(row["RSE"], row["StdErr"] / row["Mean"], places=6)

    @harness.not_quick
    def test_24_units(self):
        for unit, factor, digits in (("usec", 1e6, 2), ("sec", 1, 8)):
            ended = self.measure("-w", unit, "-z", "barrier", "-X", 4, "Bcast")
            for row, point in zip(ended.rows, ended.points, strict=True):
                self.assertEqual(row[5], f"{point['value'] * factor:.{digits}f}")
                self.assertEqual(row[8], f"{point['derived']['kept_min'] * factor:.{digits}f}")

    def test_25_the_mean_follows_from_the_raw_runs(self):
        ended = self.measure("--raw", "--precision", 6, "-z", "barrier", "-X", 8, "Bcast")
        for row, point in zip(ended.table, ended.points, strict=True):
            times = sorted(s["time"] for s in point["samples"] if s["invalid"] is None)
            cut = len(times) // 4
            kept = times[cut:len(times) - cut]
            self.assertAlmostEqual(sum(kept) / len(kept) * 1e6, row["Mean"], places=5)
            for sample in point["samples"]:
                self.assertEqual(len(sample["ranks"]), 2)

    def test_the_header_names_the_selected_options(self):
        ended = self.measure("-d", "--max-mem", "1MiB", "-t", "monotonic", "-R", 50, "-X", 1, "Bcast")
        header = "\n".join(ended.header)
        for text in ("# Benchmark: Bcast", "# Maximal runs: 50", "# Timer: monotonic", "# Cache defeat: on",
                     "# Command line: ", "# 1:"):
            self.assertIn(text, header)
        self.assertRegex(ended.header[0], r"^# mpiperf \d+\.\d+\.\d+$")
        self.assertRegex(ended.header[-1], r"^# Elapsed time: \d+\.\d{6} sec\.$")

    def test_csv_has_the_documented_columns(self):
        ended = self.measure("--format", "csv", "-z", "barrier", "-X", 2, "Bcast", "Barrier")
        lines = [line.split(",") for line in ended.out.splitlines()]
        self.assertEqual(lines[0][:4], ["Benchmark", "Procs", "Count", "TRuns"])
        self.assertEqual([line[0] for line in lines[1:]], ["Bcast", "Bcast", "Barrier", "Barrier"])
        self.assertEqual({len(line) for line in lines}, {22})
        self.assertEqual(lines[0][-1], "Faults")
        self.assertEqual([line[lines[0].index("Stop")] for line in lines[1:]], [p["stop_reason"] for p in ended.points])
        self.assertAlmostEqual(float(lines[1][6]), ended.points[0]["value"] * 1e6, places=9)

    def test_csv_of_all_kinds_of_tests_is_one_table(self):
        path = self.folder / "ranks.csv"
        ended = self.measure("--format", "csv", "-o", path, "-z", "barrier", "-X", 1, "-c", 1, "Bcast", "Ibcast", "Memory")
        titles, *rows = (line.split(",") for line in ended.out.splitlines())
        self.assertEqual({len(row) for row in rows}, {len(titles)})
        self.assertEqual(len(set(titles)), len(titles))
        kinds = {row[0]: dict(zip(titles, row)) for row in rows}
        self.assertEqual(list(kinds), ["Bcast", "Ibcast", "Memory"])
        for name, (known, unknown) in {"Bcast": ("Mean", "Total"), "Ibcast": ("Total", "Mean"),
                                       "Memory": ("RSS_max", "Mean")}.items():
            self.assertGreater(float(kinds[name][known]), 0)
            self.assertEqual(kinds[name][unknown], "")
        titles, *rows = (line.split(",") for line in path.read_text().splitlines())
        self.assertEqual({len(row) for row in rows}, {len(titles)})

    def test_31_report_of_each_process(self):
        path = self.folder / "ranks.txt"
        ended = self.measure("-o", path, "--raw", "--precision", 6, "-z", "barrier", "-X", 4, "Bcast")
        rows = [dict(zip(RANK_COLUMNS, map(float, line.split()))) for line in path.read_text().splitlines()
                if not line.startswith("#")]
        self.assertEqual([(r["Count"], r["Rank"]) for r in rows], [(c, i) for c in (1, 2, 4) for i in (0, 1)])
        for point, (first, second) in zip(ended.points, zip(rows[::2], rows[1::2]), strict=True):
            valid = [s["time"] for s in point["samples"] if s["invalid"] is None]
            self.assertEqual(first["CRuns"], len(valid))
            self.assertLessEqual(max(first["Mean"], second["Mean"]), sum(valid) / len(valid) * 1e6 + 2e-6)
            for row, rank in zip((first, second), point["derived"]["by_rank"], strict=True):
                self.assertAlmostEqual(row["Mean"], rank["mean"] * 1e6, places=5)

    def test_33_without_synchronisation(self):
        path = self.folder / "ranks.txt"
        ended = self.measure("-z", "nosync", "-o", path, "Bcast")
        self.assertEqual(len(ended.rows), 8)
        for row, point in zip(ended.rows, ended.points, strict=True):
            self.assertEqual(len(row), 4)
            self.assertEqual(row[2], "100")
            self.assertEqual(point["iterations_per_sample"], 100)
        self.assertIsNone(ended.run["clock_sync"])
        self.assertEqual(ended.run["options"]["start"], "free")
        self.assertIn("# Systematic errors reproduced: -z nosync", ended.header)
        rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual({len(row) for row in rows}, {5})
        self.assertEqual(len(rows), 16)

    def test_a_record_on_standard_output_moves_the_text_to_standard_error(self):
        ended = self.run_it("--json", "-", "-z", "barrier", "-X", 2, "Bcast", record=False)
        self.assertEqual(ended.code, 0)
        self.assertEqual([json.loads(line)["record"] for line in ended.out.splitlines()],
                         ["run", "point", "point", "end"])
        self.assertIn("# Bcast", ended.err)

    # Correctness.

    def assert_waits(self, *arguments):
        """No wait may seem shorter than requested, except for the error of two clock readings. How much longer it may
        seem is tested with simulated networks, where nothing else can be the cause."""
        ended = self.measure("-X", 1, *arguments, *PATTERNS)
        for point in ended.numbers:
            expected = 0 if point["benchmark"] == "WaitPatternNull" else 2e-6
            self.assertGreater(point["value"], expected - 0.3e-6)
        return ended

    @slow
    def test_26_27_waits_with_each_clock(self):
        for timer in ("MPI_Wtime", *counter(), "monotonic"):
            self.assert_waits("-t", timer)

    @slow
    def test_28_waits_with_skewed_clocks(self):
        for algorithm, skews in (("linear", (1, 1000, -1000)), ("ring", (1, 1000))):
            for skew in skews:
                ended = self.assert_waits("-t", f"synthetic:monotonic,skew=rank*{skew}s,ppm=0", "--sync-alg", algorithm)
                sync = ended.run["clock_sync"]
                self.assertLessEqual(abs(sync["offset_max"] - abs(skew)), sync["bound"])
                if os.environ.get("QUIET_MACHINE"):
                    self.assertLess(sync["bound"], 1e-3)
                for point in ended.points:
                    self.assertNotIn("clocks_disagree", point["flags"])

    @slow
    def test_28_clocks_that_disagree_give_no_valid_run_and_do_not_hang(self):
        for skew in ("rank*1000s", "rank*-1000s"):
            with self.subTest(skew=skew):
                ended = self.run_it("-t", f"synthetic:monotonic,skew={skew},ppm=0", "--sync-alg", "none", "-X", 1,
                                    *PATTERNS)
                self.assertEqual(ended.code, 4)
                self.assert_valid(ended)
                for row, point in zip(ended.table, ended.points):
                    self.assertEqual(row["CRuns"], 0)
                    self.assertTrue(math.isnan(row["Mean"]))
                    self.assertEqual(point["status"], "no_valid_samples")
                    self.assertIn("clocks_disagree", point["flags"])

    @harness.not_quick
    def test_29_offsets_of_one_host_are_within_half_a_round_trip(self):
        for algorithm in ("linear", "ring"):
            ended = self.measure("--sync-alg", algorithm, "-t", "monotonic", "-X", 1, "Bcast")
            sync = ended.run["clock_sync"]
            self.assertEqual(sync["algorithm"], algorithm)
            self.assertLessEqual(sync["offset_max"], sync["rtt_max"] / 2)
            self.assertIsNotNone(ended.end["clock_sync_residual"])
            self.assertIsNotNone(ended.points[0]["derived"]["sync"]["residual"])

    def checked(self, *arguments, **keywords):
        """Runs the known waits and checks the verdict of each. On a machine that others use, some may fail."""
        ended = self.run_it("--check", *arguments, **keywords)
        self.assert_valid(ended)
        rows = [line for line in ended.out.splitlines() if line and not line.startswith("#")]
        failed = [row for row in rows if "FAILED" in row]
        skipped = [row for row in rows if " skipped: " in row]
        passed = len(rows) - len(failed) - len(skipped)
        self.assertIn(f"# {passed} passed, {len(failed)} failed, {len(skipped)} skipped", ended.header)
        (summary,) = [r for r in ended.records if r["record"] == "summary"]
        self.assertEqual(summary["derived"], {"passed": passed, "failed": len(failed), "skipped": len(skipped)})
        self.assertEqual(ended.code, 3 if failed or not passed else 0, ended.err)
        for point in ended.numbers:
            derived = point["derived"]
            right = abs(point["value"] - derived["expected"]) <= derived["tolerance"]
            # A wait can be right on each rank while its start is uncertain or its span too long: then its row says so.
            if derived["passed"]:
                self.assertTrue(right, point)
                self.assertNotIn("unverified", point["flags"])
            self.assertGreater(point["value"], derived["expected"] - derived["tolerance"])
        return ended, skipped

    @figures
    def test_check_passes_with_every_timer(self):
        ended, _ = self.checked("-t", "all")
        self.assertIn("# 24 passed, 0 failed, 6 skipped", ended.header)

    @slow
    def test_check_covers_every_timer_and_world_size(self):
        ended, skipped = self.checked("-t", "all")
        self.assertEqual({p["at"]["timer"] for p in ended.points},
                         {"mpi_wtime", "gettimeofday", *counter(), "monotonic", "monotonic_raw"})
        self.assertEqual({p["at"]["ranks"] for p in ended.points}, {1, 2})
        # The steps of gettimeofday are as long as the waits.
        self.assertEqual([row.split()[0] for row in skipped], ["gettimeofday"] * 6)
        for row in skipped:
            self.assertTrue(row.endswith("skipped: the clock is too coarse"), row)

    @plain
    def test_check_fails_if_the_clock_is_too_coarse_to_tell(self):
        ended = self.run_it("--check", "-t", "synthetic:monotonic,quant=5us")
        self.assertEqual(ended.code, 3)

    @harness.not_quick
    def test_operations_with_preparation_can_be_measured_singly(self):
        # If others use the cores, all synchronised starts may be late.
        ended = self.run_it("-z", "barrier", "--batch", 1, "-x", 8, "-X", 8, "-E", 5, "-r", 5, "Rsend", "Send_init")
        self.assertEqual(ended.code, 0, ended.out + "\n".join(ended.err))

    @slow
    def test_an_expired_watchdog_ends_the_run_with_exit_code_1(self):
        # Ranks leave together at a whole second of the wall clock, which each rank chooses by rounding. Around half a
        # second two ranks may choose differently, and the launcher kills the later one.
        time.sleep((0.6 - time.time()) % 1)
        self.assertEqual(self.run_it("--watchdog", "1ms", "-X", "2", "Bcast").code, 1)

    @slow
    def test_check_fails_if_clocks_are_not_synchronised(self):
        ended = self.run_it("--check", "-t", "synthetic:monotonic,skew=rank*1000s,ppm=0", "--sync-alg", "none")
        self.assertEqual(ended.code, 3)
        self.assert_valid(ended)
        failed = [row for row in ended.rows if "FAILED:" in row]
        self.assertEqual([row[2] for row in failed], ["2", "2", "2"])

    @slow
    def test_check_fails_even_for_small_clock_skews(self):
        # Each process waits long enough, but they do not start together. A check that a busy machine prevents counts as
        # not verified.
        for skew in ("0.5us", "5us", "50us", "1s"):
            with self.subTest(skew=skew):
                for _ in range(3):
                    ended = self.run_it("--check", "-t", f"synthetic:monotonic,skew=rank*{skew},ppm=0", "--sync-alg",
                                        "none")
                    # The clock seems too coarse if its readings took long while they were timed.
                    if "the clock is too coarse" not in ended.out:
                        break
                self.assertEqual(ended.code, 3, ended.out)
                self.assert_valid(ended)
                failed = [row for row in ended.rows if "FAILED:" in row]
                self.assertEqual([row[2] for row in failed], ["2", "2", "2"], ended.out)

    @slow
    def test_every_value_from_differing_clocks_is_flagged(self):
        for skew in ("0.5us", "5us", "50us", "1s"):
            for strict, code in (((), (0, 4)), (("--strict",), (4,))):
                with self.subTest(skew=skew, strict=strict):
                    ended = self.run_it(*strict, "-t", f"synthetic:monotonic,skew=rank*{skew},ppm=0", "--sync-alg",
                                        "none", "-x", 8, "-X", 8, "Bcast")
                    self.assertIn(ended.code, code, ended.out)
                    self.assert_valid(ended)
                    point = ended.points[0]
                    flags = {"unsynchronised", "unverified"} & set(point["flags"])
                    self.assertTrue(flags or point["value"] is None, point["flags"])
                    for flag in flags:
                        self.assertTrue(any(line.startswith("# Bcast ") and flag in line for line in ended.header))

    @harness.not_quick
    def test_check_skips_tests_with_more_ranks_than_cores(self):
        _, skipped = self.checked(cores={min(os.sched_getaffinity(0))})
        self.assertEqual([row.split()[1:3] for row in skipped], [[name, "2"] for name in PATTERNS])
        for row in skipped:
            self.assertTrue(row.endswith("skipped: more ranks than cores"), row)

    @slow
    def test_39_the_timer_is_checked_for_every_order_of_options(self):
        first = self.run_it("-j", "-t", "monotonic", record=False)
        second = self.run_it("-t", "monotonic", "-j", record=False)
        for ended in (first, second):
            self.assertEqual(ended.code, 0, ended.out)
            self.assertTrue(ended.header[0].startswith("# Timer: monotonic,"), ended.header)
            self.assertEqual(ended.header[-1], "# monotonic: 2 passed, 0 failed")
            self.assertEqual([row[2] for row in ended.rows], ["PASSED", "PASSED"])

    # Memory.

    def test_34_cold_pools_hold_twice_the_cache(self):
        ended = self.measure("-d", "-X", 2, "Bcast")
        lines = [line for line in ended.header if line.startswith("# footprint")]
        self.assertEqual(len(lines), 2)
        for line, point in zip(lines, ended.points, strict=True):
            footprint = point["derived"]["footprint"]
            self.assertTrue(footprint["in_sum"] >= 2 * footprint["cache"] or "--max-mem" in line, line)
            self.assertEqual(footprint["cut"], "--max-mem" in line)

    def test_34_a_memory_cap_is_reported(self):
        ended = self.measure("-d", "--max-mem", "1MiB", "-X", 2, "Bcast")
        lines = [line for line in ended.header if line.startswith("# footprint")]
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertTrue(line.endswith(", cut by --max-mem"), line)
        for point in ended.points:
            self.assertLessEqual(point["derived"]["footprint"]["per_rank"], 2 ** 20)

    @slow
    def test_35_cold_gather(self):
        ended = self.measure("Gather", "-d", "-x", "1MiB", "-X", "1MiB", "--rotate-root")
        self.assertGreaterEqual(ended.points[0]["derived"]["footprint"]["blocks"], 8)

    def test_a_point_without_memory_is_skipped_and_the_others_continue(self):
        ended = self.run_it("--max-mem", "4KiB", "-x", 1, "-X", "1MiB", "-S", 1024, "Bcast")
        self.assert_valid(ended)
        # Repeated points come last.
        points = sorted(ended.points, key=lambda p: p["at"]["count"])
        self.assertEqual([("no_memory" in p["flags"]) for p in points], [False, False, True])

    def test_buffers_can_be_aligned_to_pages(self):
        self.measure("--align", "page", "-X", 1, "Alltoall")

    # Starts and deviations.

    @harness.not_quick
    def test_every_start_gives_values(self):
        for start in ("slot", "barrier", "dissemination", "roundtime"):
            ended = self.measure("--start", start, "-X", 2, "Bcast")
            self.assertEqual(ended.run["options"]["start"], start)
            for point in ended.numbers:
                self.assertGreater(point["value"], 0)
                self.assertGreaterEqual(point["derived"].get("span", 0), 0)
                # Barriers after lost slots use no synchronised clock.
                self.assertEqual("span" in point["derived"], "start_fell_back" not in point["flags"])

    @harness.not_quick
    def test_41_more_ranks_than_cores(self):
        core = {min(os.sched_getaffinity(0))}
        ended = self.run_it("-X", 4, "Bcast", cores=core)
        self.assertIn(ended.code, (0, 4))
        self.assert_valid(ended)
        self.assertTrue(ended.run["oversubscribed"])
        self.assertEqual(ended.run["options"]["start"], "roundtime")
        self.assertEqual(len([line for line in ended.err if ": warning: " in line]), 1, ended.err)
        self.assertTrue(any(line.startswith("# Warning: more processes than cores") for line in ended.header))
        self.assertEqual(len(ended.points), 3)
        for point in ended.points:
            self.assertIn("oversubscribed", point["flags"])

    @slow
    def test_41_eight_ranks(self):
        ended = self.run_it("-p", 2, "-X", 2, "-t", "monotonic", "Allreduce", ranks=8)
        self.assertIn(ended.code, (0, 4))
        self.assert_valid(ended)
        # Repeated points come last.
        self.assertEqual(sorted(p["at"]["ranks"] for p in ended.points), [2, 2, 4, 4, 8, 8])

    def test_42_a_late_rank_invalidates_runs_and_lengthens_slots(self):
        ended = self.measure("--settle", "off", "-X", 1, "--raw", "-t", "monotonic", "WaitPatternNull", "WaitPatternUp",
                             environment={"MEASURE_TEST_DELAY": "1:2:5ms"})
        self.assertTrue(any("MEASURE_TEST_DELAY" in warning for warning in ended.run["warnings"]))
        for point, expected in zip(ended.points, (0, 2e-6)):
            if "start_fell_back" in point["flags"]:
                # Other programs used the processors, so every slot was lost.
                self.assertGreaterEqual(point["derived"]["lost_in_slots"], 3)
                continue
            self.assertEqual(point["samples"][2]["invalid"], "late")
            self.assertGreaterEqual(point["invalid"]["late"], 3)
            lengths = point["derived"]["slot_lengths"]
            # If a rank lost its core before, the samples are invalid for another reason, which does not lengthen the
            # slots.
            if all(sample["invalid"] is None for sample in point["samples"][:2]):
                self.assertGreater(lengths[1], lengths[0])
            if point["value"] is not None:
                self.assertTrue(expected - 0.3e-6 < point["value"] < 2.5e-3, "the delay is part of the value")

    def test_42_slots_of_the_paper_are_gamma_times_the_stage_divided_by_its_runs(self):
        ended = self.measure("--settle", "off", "-X", 1, "--raw", "-t", "monotonic", "--slot-rule", "paper",
                             "--slot-scale", "1.5", "-E", 20, "-r", 8, "-R", 40, "WaitPatternNull", "WaitPatternUp",
                             environment={"MEASURE_TEST_DELAY": "1:2:5ms"})
        corrected = 0
        for point in ended.points:
            if "start_fell_back" in point["flags"]:
                # Other programs used the processors, so every slot was lost.
                continue
            lengths = point["derived"]["slot_lengths"]
            for stage, (length, following) in enumerate(zip(lengths, lengths[1:]), 1):
                runs = [sample for sample in point["samples"] if sample["stage"] == stage]
                self.assertEqual(len(runs), 8)
                if sum(run["invalid"] is not None for run in runs) > 2:
                    corrected += 1
                    length = 1.5 * max(end for run in runs for _, end in run["ranks"]) / 8
                self.assertAlmostEqual(following / length, 1, places=6)
        self.assertTrue(corrected or all("start_fell_back" in point["flags"] for point in ended.points))

    @slow
    def test_43_epochs(self):
        for point in self.measure("--epochs", 3, "-z", "barrier", "-X", 4, "Bcast").points:
            epochs = point["derived"]["epochs"]
            self.assertEqual(len(epochs), 3)
            mean = sum(epochs) / 3
            deviation = math.sqrt(sum((t - mean) ** 2 for t in epochs) / 2)
            # The interval includes the step of the clock.
            half = math.hypot(4.302653 * deviation / math.sqrt(3), point["estimate"].get("clock_step", 0))
            self.assertAlmostEqual(point["value"] / mean, 1, places=9)
            self.assertAlmostEqual(point["estimate"]["interval"][0], mean - half, delta=1e-6 * (mean + half))
            self.assertAlmostEqual(point["estimate"]["interval"][1], mean + half, delta=1e-6 * (mean + half))

    @slow
    def test_44_first_call(self):
        for point in self.measure("-z", "barrier", "-X", 4, "Bcast", "Barrier").points:
            self.assertGreater(point["derived"]["first_call_ratio"], 0)

    @slow
    def test_45_deviations_from_the_paper_are_named(self):
        for arguments in (["--rotate-root"], ["--time-of", "root"], ["--no-warmup"], ["-z", "barrier"]):
            ended = self.run_it(*arguments, "-X", 2, "Reduce")
            self.assertIn(ended.code, (0, 4))
            self.assert_valid(ended)
            name = " ".join(arguments)
            self.assertIn("# Systematic errors reproduced: " + name, ended.header)
            self.assertEqual(ended.run["options"]["deviations"], [name])

    def test_another_root_can_be_selected(self):
        ended = self.measure("--root", 1, "-X", 1, "Gather", "Bcast", "Scatterv", "Reduce")
        self.assertEqual(ended.run["options"]["root"], 1)

    @harness.not_quick
    def test_strict_refuses_clocks_that_drift_apart(self):
        drift = ["-t", "synthetic:monotonic,ppm=rank*5000", "-X", 1, "WaitPatternNull"]
        self.assert_degraded(self.measure(*drift))
        ended = self.run_it("--strict", *drift)
        self.assertEqual(ended.code, 4, ended.err)
        self.assert_degraded(ended)

    def assert_degraded(self, ended):
        # If other work makes all samples late, there is no value that could be wrong.
        if ended.points[0]["status"] == "no_valid_samples":
            self.assertIn("no sample of", ended.points[0]["message"])
            return
        self.assertIn("sync_degraded", ended.points[0]["flags"])
        self.assertTrue(any("sync_degraded" in line for line in ended.header))

    # Results of a killed run.

    def long_run(self):
        process = self.start("--epochs", 3, "-X", "1MiB", "-s", 1, "Allreduce")
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count("\n") >= 4, "no points")
        return process

    def assert_cut_short(self, process):
        ended = self.finished(process)
        self.assert_valid(ended)
        self.assertEqual(ended.run["record"], "run")
        self.assertEqual({r["record"] for r in ended.records[1:]}, {"point"})

    @slow
    @plain
    def test_a_killed_rank_leaves_the_points_so_far(self):
        process = self.long_run()
        victims = [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")
                   if self.commands(path)[:1] == [MPIPERF] and str(self.json) in self.commands(path)]
        self.assertEqual(len(victims), 2)
        os.kill(victims[0], signal.SIGKILL)
        self.assert_cut_short(process)
        self.assertNotEqual(process.returncode, 0)

    @slow
    @plain
    def test_a_killed_launcher_leaves_the_points_so_far(self):
        process = self.long_run()
        process.kill()
        self.assert_cut_short(process)

    @slow
    @plain
    def test_an_interrupted_run_says_so(self):
        process = self.long_run()
        process.send_signal(signal.SIGTERM)
        ended = self.finished(process)
        self.assert_valid(ended)
        if harness.OPEN_MPI and ended.end["record"] != "end":
            self.skipTest("Open MPI kills ranks that have not ended a second after SIGTERM; the machine is too busy")
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("interrupted", 143))

    @slow
    def test_a_spent_budget_leaves_skipped_points(self):
        ended = self.run_it("--time-budget", "200ms", "-X", "1MiB", "-s", "1KiB", "-x", 0, "Allreduce")
        self.assertEqual(ended.code, 4)
        self.assert_valid(ended)
        self.assertIn("time_budget", [point.get("message") for point in ended.points])


if __name__ == "__main__":
    harness.main(sys.argv[5:])
