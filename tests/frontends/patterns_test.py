#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure-patterns from outside: its list, measurements, checks and refusals.

usage: patterns_test.py MEASURE_PATTERNS VALIDATE_RECORDS LAUNCHER YIELD_HELPER CORRUPT [UNITTEST OPTIONS]

CORRUPT is built from patterns_corrupt.c.
"""
import pathlib
import sys

import harness
from harness import LIMIT, Ended

PROGRAM, CORRUPT = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 5))
PATTERNS = ["halo_2d", "halo_3d", "sweep", "transpose", "dot"]
# A few calls of each pattern; these starts are valid on a busy machine.
FEW = ("--settle", "off", "--start", "dissemination", "--stop", "count:2")


class PatternsTest(harness.ProgramTest):
    def run_it(self, *arguments, **keywords):
        process = self.launch(PROGRAM, *arguments, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return Ended(process.returncode, out, err, self.json)

    def assert_refused(self, text, *arguments, **keywords):
        ended = self.run_it(*arguments, **keywords)
        self.assertEqual((ended.code, ended.errors()), (2, [f"measure-patterns: error: {text}"]), ended.err)

    def test_the_list_has_every_pattern_at_every_size(self):
        ended = self.run_it("--list", "--ranks", "6", "--bytes", "8,1K", ranks=0, record=False)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out.splitlines(), [f"{name} ranks=6 bytes={size}" for name in PATTERNS[:-1]
                                                  for size in (8, 1024)] + ["dot ranks=6 bytes=16"])

    def test_two_ranks_measure_all_patterns(self):
        ended = self.run_it(*FEW, "--bytes", "0,1,100000")
        self.assertEqual((ended.code, ended.errors()), (0, []), ended.err)
        self.assert_valid(ended)
        self.assertEqual([(p["benchmark"], p["at"]["bytes"]) for p in ended.points],
                         [(name, size) for name in PATTERNS[:-1] for size in (0, 1, 100000)] + [("dot", 16)])
        for point in ended.points:
            self.assertGreater(point["value"], 0)
            if point["benchmark"] == "sweep":  # from the first start to the last end
                self.assertAlmostEqual(point["value"], point["derived"]["span"], delta=1e-9 * point["value"])

    def test_operations_known_from_other_suites_have_semantics(self):
        ended = self.run_it(*FEW, "--bytes", 8)
        self.assertEqual({p["benchmark"]: (p["semantics"]["operation"], p["semantics"]["size"]) for p in ended.points
                          if "semantics" in p},
                         {"transpose": ("Alltoall", "block"), "dot": ("Allreduce", "whole")})

    @harness.not_quick
    def test_blocks_are_right_for_any_number_of_ranks(self):
        ended = self.run_it(*FEW, "--ranks", "1,2,3,4,8", "--bytes", 40, ranks=8)
        self.assertEqual((ended.code, ended.errors()), (4, []), ended.err)
        self.assert_valid(ended)
        self.assertEqual([(p["benchmark"], p["at"]["ranks"]) for p in ended.points],
                         [(name, ranks) for name in PATTERNS for ranks in (1, 2, 3, 4, 8)])
        left_out = [p for p in ended.points if p["value"] is None]
        self.assertEqual([(p["benchmark"], p["at"]["ranks"], p["status"], p["message"]) for p in left_out],
                         [("sweep", 1, "skipped", "needs 2 ranks")])

    @harness.not_quick
    def test_wrong_data_are_found(self):
        for name in PATTERNS:
            with self.subTest(name):
                ended = self.run_it(*FEW, "--bytes", 4000, name, preload=[CORRUPT])
                self.assertEqual(ended.code, 3, ended.err)
                says = "the sums are 3 and 3, not 3 and 2" if name == "dot" else "byte 3999 of the block from rank "
                self.assertIn(says, "\n".join(ended.errors()))

    def test_bad_input_is_one_error_line(self):
        self.assert_refused("NAME: 'halo' is unknown (halo_2d, halo_3d, sweep, transpose or dot)", "halo", ranks=0)
        self.assert_refused("--bytes: '-8' is out of range (a size of at least 0 bytes)", "--bytes", "-8", ranks=0)
        self.assert_refused("--ranks: 3 are needed, but there are only 2", "--ranks", 3)
        self.assert_refused("rank 0: bytes: 3221225472 does not fit MPI's count (0 .. 2147483647)", "--bytes", "3G")
        self.assert_refused("the span over ranks needs synchronised clocks", "--start", "free", "sweep")


if __name__ == "__main__":
    PatternsTest.tools(sys.argv[2], sys.argv[3], sys.argv[4])
    harness.main(sys.argv[6:])
