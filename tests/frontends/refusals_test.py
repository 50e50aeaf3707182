#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A wrong command line for each program: one line on stderr and exit code 2, on one rank and on four.

The texts are tested in tests/unit/*_refusals_test.cpp, which starts no program.

usage: refusals_test.py FRONTENDS VALIDATE LAUNCHER YIELD_HELPER [unittest options]
"""
import pathlib
import sys

import harness

FRONTENDS = pathlib.Path(sys.argv[1])
WRONG = "--no-such-option"
# Programs in their folders, with the words before the wrong one.
WITH_MPI = {"b_eff/b_eff": [], "b_eff_io/b_eff_io": [], "mpbench/mpbench": [], "mpiperf/mpiperf": [],
            "osu/measure-osu": ["osu_latency"], "patterns/measure-patterns": [], "pmb/PMB-MPI1": [], "pmb/PMB-EXT": [],
            "pmb/PMB-IO": [], "pmb/measure-imb": ["IMB-MPI1"], "skampi/skampi": [], "measure/measure": ["pairs"]}
WITHOUT_MPI = {"blasbench/blasbench": [], "cachebench/cachebench": [], "skampi/skampi-post": [],
               "skampi/skampi-report": [], "measure/measure": ["compare"]}


class Refusals(harness.ProgramTest):
    def assert_refused(self, program, before, ranks):
        process = self.launch(FRONTENDS / program, *before, WRONG, ranks=ranks, record=False)
        out, err = process.communicate(timeout=harness.LIMIT)
        with self.subTest(program=program, ranks=ranks):
            self.assertEqual((process.returncode, out), (2, ""), err)
            self.assertEqual(len(harness.lines_of_ranks(err)), 1, err)
            self.assertIn(f": error: unknown option '{WRONG}'", err)

    def test_each_program_reports_the_error_once(self):
        for program, before in WITH_MPI.items():
            for ranks in (1, 4):
                self.assert_refused(program, before, ranks)

    def test_programs_without_mpi_report_it_too(self):
        for program, before in WITHOUT_MPI.items():
            self.assert_refused(program, before, 0)


if __name__ == "__main__":
    Refusals.tools(sys.argv[2], sys.argv[3], sys.argv[4])
    harness.main(sys.argv[5:])
