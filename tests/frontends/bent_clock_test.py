#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All programs with clocks that jump backwards or have coarse steps. tests/support/bent_clock.c distorts the clocks.

usage: bent_clock_test.py FRONTENDS VALIDATE LAUNCHER YIELD_HELPER BENT_CLOCK [unittest options]
"""
import pathlib
import re
import sys

import harness
from harness import not_quick, slow
from skampi_files import params

FRONTENDS = pathlib.Path(sys.argv[1]).resolve()
BENT_CLOCK = str(pathlib.Path(sys.argv[5]).resolve())
WALL = "gettimeofday"
# A prime number of readings between two jumps: some jumps fall into samples, however many readings a sample needs.
SOMETIMES = "back=3,every=13,wall"
OFTEN = "back=3,every=3,wall"
SKAMPI = params("MPI_Bcast { Variation = Length; Scale = Fixed_log; Start_Argument = 8; End_Argument = 8; }")


def numbers(value, path=""):
    """Yields all numbers in a part of a record, with their paths."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}")
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from numbers(member, f"{path}[{i}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


class BentClock(harness.ProgramTest):
    def run_bent(self, program, *arguments, bends, ranks=2, codes=(0, 4), least=0, **options):
        """Runs the program. No time may be negative, and every converged point must have a value."""
        process = self.launch(FRONTENDS / program, *arguments, ranks=ranks, preload=[BENT_CLOCK],
                              environment={"BENT_CLOCK": bends}, **options)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertIn(ended.code, codes, out + err)
        self.assert_valid(ended)
        for point in ended.points:
            with self.subTest(point["benchmark"], at=point["at"]):
                # The starts of ranks are in root time, which the jumps distort. An interval may reach below zero, and
                # so may values from which the cost of a reading was subtracted.
                parts = {key: point.get(key) for key in ("value", "over_ranks", "elapsed")}
                parts["samples"] = [{**sample, "ranks": None} for sample in point.get("samples", [])]
                parts["estimate"] = {key: number for key, number in (point.get("estimate") or {}).items()
                                     if "interval" not in key}
                parts["derived"] = {key: number for key, number in point.get("derived", {}).items()
                                    if key not in ("autocorrelation", "skewness", "corrected", "sync", "trend")}
                self.assertEqual([found for found in numbers(parts) if found[1] < least], [])
                self.assertEqual(point["value"] is None, point["status"] not in ("converged", "exhausted"), point)
                self.assertEqual(point["attempts"], point["valid"] + sum(point["invalid"].values()), point)
        self.assertGreaterEqual(ended.end["elapsed"], 0)
        return ended

    def backward(self, ended):
        return sum(point["invalid"].get("backward", 0) for point in ended.points)

    def assert_no_times_below_zero(self, text):
        self.assertIsNone(re.search(r"(^|\s)-\d", text), text)

    def test_osu_omits_samples_that_the_clock_spoils(self):
        ended = self.run_bent("osu/measure-osu", "osu_latency", "-m", "8:8", "-i", 100, "-x", 0, "--timer", WALL,
                              "--raw", bends=SOMETIMES)
        self.assertGreater(self.backward(ended), 0)
        self.assertEqual(ended.points[0]["attempts"], 100)
        self.assert_no_times_below_zero(ended.out)

    def test_imb_has_no_row_for_a_loop_that_the_clock_spoils(self):
        ended = self.run_bent("pmb/measure-imb", "IMB-MPI1", "Bcast", "-timer", WALL, "-msgsize", 4, "-iter", 5,
                              "-warm_up", "off", bends=OFTEN, codes=(4,))
        self.assertEqual(ended.points[0]["status"], "no_valid_samples")
        self.assertEqual(ended.points[0]["message"], "the clock went back")
        self.assertIn("# 4 bytes: the clock went back", ended.out)
        self.assert_no_times_below_zero(ended.out)

    def test_pmb_has_no_row_for_a_loop_that_the_clock_spoils(self):
        ended = self.run_bent("pmb/PMB-MPI1", "PingPong", "-timer", WALL, "-msgsize", "4,8", "-iter", 5,
                              bends=OFTEN)
        self.assert_no_times_below_zero(ended.out)

    @not_quick
    def test_other_parts_of_pmb_and_imb_omit_spoiled_loops(self):
        for program, *words in (("pmb/PMB-EXT", "Unidir_Put"), ("pmb/PMB-IO", "S_Write_indv", "-file", "scratch"),
                                ("pmb/measure-imb", "IMB-NBC", "Ibcast"), ("pmb/measure-imb", "IMB-RMA", "Unidir_put"),
                                ("pmb/measure-imb", "IMB-P2P", "PingPong")):
            ended = self.run_bent(program, *words, "-timer", WALL, "-iter", 5, "-msglog", "3:4", bends=OFTEN,
                                  cwd=self.folder)
            self.assert_no_times_below_zero(ended.out)
            self.json.unlink()
        ended = self.run_bent("pmb/measure-imb", "IMB-MT", "-thread_level", "single", "-count", 1, "-repeat", 5,
                              "PingPongMT", "-timer", WALL, bends=OFTEN)
        self.assert_no_times_below_zero(ended.out)

    @not_quick
    def test_mpiperf_says_why_samples_are_invalid_with_every_start(self):
        for start in ("barrier", "dissemination", "roundtime"):
            ended = self.run_bent("mpiperf/mpiperf", "-x", 8, "-X", 8, "-r", 24, "-R", 24, "-E", 24, "-z", start,
                                  "--timer", WALL, "Bcast", bends=SOMETIMES)
            self.assertGreater(sum(ended.points[0]["invalid"].values()), 0)
            self.json.unlink()

    @slow
    def test_mpiperf_does_not_wait_for_slots_if_clocks_are_uncertain_by_seconds(self):
        self.run_bent("mpiperf/mpiperf", "-x", 8, "-X", 8, "-r", 24, "-R", 24, "-E", 24, "-z", "slot", "--timer", WALL,
                      "Bcast", bends=SOMETIMES + ",rank=1")

    def test_mpiperf_with_a_bent_clock_on_one_rank_only(self):
        ended = self.run_bent("mpiperf/mpiperf", "-x", 8, "-X", 8, "-r", 40, "-R", 40, "-E", 40, "-z", "barrier",
                              "--timer", WALL, "Bcast", bends=SOMETIMES + ",rank=1")
        self.assertGreater(self.backward(ended), 0)

    def test_mpbench_has_no_value_for_what_the_clock_spoils(self):
        # All sizes read the clock equally often: among seven sizes a jump hits each place of the loop.
        ended = self.run_bent("mpbench/mpbench", "--timer", WALL, "--test", "latency", "-i", 20, "-M",
                              ",".join(map(str, range(1, 14))), bends="back=3,every=7,wall")
        self.assertGreater(self.backward(ended), 0)
        self.assert_no_times_below_zero(ended.out)

    def test_cachebench_continues_with_the_remaining_blocks(self):
        ended = self.run_bent("cachebench/cachebench", "--timer", WALL, "--test", "read", "--size", "1k", "-d", 0.1,
                              "-N", bends="back=3,every=7,wall", ranks=0, codes=(0,))
        self.assertGreater(self.backward(ended), 0)
        self.assertGreater(ended.points[0]["value"], 0)
        self.assert_no_times_below_zero(ended.out)

    @not_quick
    def test_copies_of_cachebench_report_why_blocks_are_invalid(self):
        ended = self.run_bent("cachebench/cachebench", "--timer", WALL, "--test", "read", "--size", "1k", "-d", 0.1,
                              "-N", "--copies", 2, bends="back=3,every=7,wall", ranks=0, codes=(0,))
        self.assertGreater(self.backward(ended), 0)
        self.assert_no_times_below_zero(ended.out)

    def test_no_program_waits_if_the_clock_jumps_back_by_an_hour(self):
        for program, *words in (("cachebench/cachebench", "--test", "read", "--size", "1k", "-d", 0.2, "-N"),):
            self.run_bent(program, *words, bends="back=3600,after=0.1", ranks=0, codes=(0,))

    def test_blasbench_continues_with_the_remaining_blocks(self):
        ended = self.run_bent("blasbench/blasbench", "--timer", WALL, "--blas", "builtin", "--test", "axpy", "--size",
                              "1k", bends="back=3,every=7,wall", ranks=0, codes=(0,))
        self.assertGreater(ended.points[0]["value"], 0)
        self.assert_no_times_below_zero(ended.out)

    @not_quick
    def test_b_eff_repeats_spoiled_loops(self):
        ended = self.run_bent("b_eff/b_eff", "--quick", "--mem", 1, "--reps", 1, "--random", 1, "-f",
                              self.folder / "b_eff", "--timer", WALL, bends="back=3,every=101,wall")
        self.assert_no_times_below_zero(ended.out)
        for file in self.folder.glob("b_eff.*"):
            self.assert_no_times_below_zero(file.read_text())

    @not_quick
    def test_b_eff_io_has_no_value_for_what_the_clock_spoils(self):
        ended = self.run_bent("b_eff_io/b_eff_io", "-MB", 256, "-MT", 512, "-T", 1, "--quick", "-N", 2, "--types", 0,
                              "-p", self.folder, "-f", self.folder / "b_eff_io", "--timer", WALL,
                              bends="back=3,every=7,wall")
        self.assertGreater(self.backward(ended), 0)
        self.assertIsNone(re.search(r"[= ]-\d", (self.folder / "b_eff_io.prot").read_text()))

    @not_quick
    def test_skampi_omits_samples_that_the_clock_spoils(self):
        # The subtracted cost of an empty sample may exceed a time, but not by the 3 s of the jump.
        (self.folder / "parameters").write_text(SKAMPI)
        self.run_bent("skampi/skampi", "-f", self.folder / "parameters", "-o", self.folder / "out", "-l",
                      self.folder / "log", "--timer", WALL, bends=SOMETIMES, least=-1)

    @not_quick
    def test_pairs_omits_spoiled_laps(self):
        ended = self.run_bent("measure/measure", "pairs", "--all", "--timer", WALL, bends=SOMETIMES)
        self.assertTrue(ended.points)

    @not_quick
    def test_all_programs_notice_a_coarse_clock(self):
        for program, ranks, *words in (
                ("mpiperf/mpiperf", 2, "-x", 8, "-X", 8, "-r", 16, "-R", 16, "-E", 16, "-z", "barrier", "Bcast"),
                ("osu/measure-osu", 2, "osu_latency", "-m", "8:8", "-i", 20, "-x", 0),
                ("pmb/measure-imb", 2, "IMB-MPI1", "Bcast", "-msgsize", 8, "-iter", 5, "-warm_up", "off"),
                ("pmb/PMB-MPI1", 2, "PingPong", "-msgsize", 8, "-iter", 5)):
            with self.subTest(program):
                ended = self.run_bent(program, *words, bends="step=0.02", ranks=ranks)
                self.assertGreater(ended.run["timer"]["resolution"], 0.019)
                self.assertTrue(ended.points)
                for point in ended.points:
                    self.assertIn("near_timer_floor", point["flags"])
                self.json.unlink()

    @not_quick
    def test_pairs_flag_round_trips_of_less_than_ten_steps(self):
        ended = self.run_bent("measure/measure", "pairs", "--all", "--timer", WALL, bends="step=1e-3,wall")
        flagged = {point["benchmark"]: "near_timer_floor" in point["flags"] for point in ended.points}
        self.assertEqual(flagged, {"Pair_latency": True, "Pair_bandwidth": False})

    def test_pmb_flags_loops_of_less_than_ten_steps_and_no_longer_ones(self):
        for iterations, bends, is_near in ((1, "step=0.02", True), (2000, "step=1e-6", False)):
            ended = self.run_bent("pmb/PMB-MPI1", "PingPong", "-msgsize", 1, "-timer", WALL, "-iter", iterations,
                                  bends=bends)
            self.assertEqual("near_timer_floor" in ended.points[0]["flags"], is_near)
            self.assertEqual("near_timer_floor: 1 bytes: " in ended.out, is_near)
            self.json.unlink()


if __name__ == "__main__":
    BentClock.tools(sys.argv[2], sys.argv[3], sys.argv[4])
    harness.main(sys.argv[6:])
