#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that keep their published warm-up, measuring operations that touch new memory in each call: the flag, the
page faults, and the line below the table. The unit tests check that runs without page faults report nothing: here an
MPI library may touch new memory at any time.

usage: unsettled_test.py FRONTENDS VALIDATE_RECORDS LAUNCHER YIELD_HELPER NEW_PAGES [UNITTEST OPTIONS]

FRONTENDS is the folder with the folders of the programs; NEW_PAGES is the library to preload.
"""
import pathlib
import sys

import harness
from harness import LIMIT, plain
from skampi_files import block, params

FRONTENDS, NEW_PAGES = (pathlib.Path(sys.argv[i]).resolve() for i in (1, 5))
harness.ProgramTest.tools(*sys.argv[2:5])


def sentence(names, unit=" bytes"):
    rows = "these rows were" if len(names) > 1 else "this row was"
    return f"unsettled: {', '.join(names)}{unit}: memory was touched for the first time while {rows} measured"


class Unsettled(harness.ProgramTest):
    def measure(self, program, *arguments, preload=(str(NEW_PAGES),), **keywords):
        """Runs a program with new pages. All points must be flagged. Points of one or two calls are not checked,
        because the programs ignore stray page faults there."""
        process = self.launch(str(FRONTENDS / program), *arguments, preload=preload, cwd=self.folder, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, 0, err)
        self.assert_valid(ended)
        measured = [point for point in ended.points
                    if point["value"] is not None and point["attempts"] * point["iterations_per_sample"] > 2]
        self.assertTrue(measured)
        for point in measured:
            self.assertIn("unsettled", point["flags"], point)
            settling = point["derived"]["settling"]
            self.assertEqual(settling["reason"], "off")
            self.assertGreater(settling["faults_counted"], 0.9, point)
            self.assertGreaterEqual(settling["faults_all_ranks"], settling["faults_counted"])
        return ended

    def assert_line(self, text, names, unit=" bytes", mark="# "):
        self.assertIn(mark + sentence(names, unit), text.splitlines())

    def test_pmb_flags_new_pages(self):
        ended = self.measure("pmb/PMB-MPI1", "-iter", 50, "-msgsize", "0,64,1k", "PingPong")
        self.assert_line(ended.out, ["0", "64", "1024"])

    def test_pmb_with_single_calls_flags_new_pages(self):
        ended = self.measure("pmb/PMB-MPI1", "-iter", 50, "-msgsize", "64", "-start", "barrier", "PingPong")
        self.assert_line(ended.out, ["64"])

    @harness.not_quick
    def test_pmb_with_rows_of_groups_flags_new_pages(self):
        ended = self.measure("pmb/PMB-MPI1", "-iter", 50, "-msgsize", "64", "-multi", 1, "-npmin", 2, "PingPong",
                             ranks=4)
        self.assert_line(ended.out, ["64 bytes in group 0", "64 bytes in group 1"], "")

    def test_pmb_csv_has_a_warning(self):
        ended = self.measure("pmb/PMB-MPI1", "-iter", 50, "-msgsize", "64", "-format", "csv", "PingPong")
        self.assertNotIn("unsettled", ended.out)
        self.assertIn("PMB-MPI1: warning: " + sentence(["64"]), ended.err)

    def test_pmb_io_flags_new_pages(self):
        ended = self.measure("pmb/PMB-IO", "-iter", 20, "-msgsize", "64,1k", "S_Write_Indv")
        self.assert_line(ended.out, ["64", "1024"])

    @harness.not_quick
    def test_mpbench_flags_new_pages(self):
        for arguments in ((), ("-e", 2), ("--stderr", "0.5")):
            with self.subTest(arguments):
                ended = self.measure("mpbench/mpbench", "-b", "-M", "4,1k", "-i", 50, *arguments)
                self.assert_line(ended.out, ["4", "1024"])

    def test_skampi_flags_new_pages(self):
        (self.folder / "skampi.params").write_text(params(
            block("MPI_Send-MPI_Recv", Scale="Fixed_log", Start_Argument=4, End_Argument=64, Stepwidth=4),
            MEMORY="64kB"))
        self.measure("skampi/skampi", "-f", "skampi.params")
        text = (self.folder / "skampi.out").read_text()
        self.assert_line(text, ["4", "16", "64"])
        rows = [line for line in text.splitlines() if line.startswith("length= ")]
        self.assertTrue(all("unsettled" in row.partition("#")[2] for row in rows), rows)

    @harness.not_quick
    def test_b_eff_flags_new_pages(self):
        self.measure("b_eff/b_eff", "--quick", "--methods", "sendrecv", "--no-extra", "--mem", 1, "--random", 1,
                     "--reps", 1)
        last = (self.folder / "b_eff.prot").read_text().split("SECTION-VALUES-END")[0].splitlines()[-1]
        self.assertRegex(last, "^unsettled: 1 sendrecv ring-1, .*: memory was touched for the first time")

    @plain  # the sanitizer affects which pages are new
    @harness.not_quick
    def test_b_eff_io_flags_new_pages(self):
        data = self.folder / "data"
        data.mkdir()
        self.measure("b_eff_io/b_eff_io", "-MB", 256, "-MT", 512, "-p", data, "-N", 1, "-T", 2, "--quick", "--types",
                     "separated", ranks=1)
        self.assert_line((self.folder / "b_eff_io.prot").read_text(), [f"p={number}" for number in range(18, 25)], "",
                         " ")
        self.assert_line((self.folder / "b_eff_io.sum").read_text(),
                         [f"{row} {access} separated" for access in ("write", "read") for row in range(1, 8)], "", "")

    def test_blasbench_flags_new_pages(self):
        ended = self.measure("blasbench/blasbench", "--blas", NEW_PAGES, "-v", "--n", 100, "-i", 10, ranks=0)
        self.assert_line(ended.out, ["1600"])

    @plain
    @harness.not_quick
    def test_cachebench_flags_new_pages(self):
        ended = self.measure("cachebench/cachebench", "-s", "-m", 10, "-d", "10ms", ranks=0)
        self.assert_line(ended.out, ["256", "384", "512", "768", "1024"])


if __name__ == "__main__":
    harness.main(sys.argv[6:])
