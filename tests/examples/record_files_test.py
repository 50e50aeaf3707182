#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples that compare two record files. They must not need MPI.

usage: record_files_test.py TWO_LAUNCHES COMPARE_RECORDS [unittest options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def starts(factor):
    """Writes a record file of three launches: Bcast with two sizes, and Barrier, which has no size."""
    lines = []
    for launch in (0.99, 1.0, 1.01):
        lines.append({"record": "run", "schema": 2, "suite": "own", "ranks": 2})
        for name, at, time in (("Bcast", {"bytes": 8}, 1e-6), ("Bcast", {"bytes": 1024}, 4e-6), ("Barrier", {}, 1e-6)):
            lines.append({"record": "point", "benchmark": name, "at": at, "quantity": "time", "unit": "s",
                          "value": factor * launch * time, "status": "converged"})
    return "".join(json.dumps(line) + "\n" for line in lines)


def many_starts(factor, number=6, **run):
    """Writes a record file of launches whose times are 1.00, 1.01, 1.02 .. times `factor` us."""
    lines = []
    for start in range(number):
        lines.append({"record": "run", "schema": 2, "suite": "own", "program": "halo", "ranks": 2, **run})
        for name, change in (("Bcast", factor), ("Scan", 1)):
            lines.append({"record": "point", "benchmark": name, "at": {"bytes": 8}, "quantity": "time", "unit": "s",
                          "value": change * (1 + start / 100) * 1e-6, "status": "converged"})
    return "".join(json.dumps(line) + "\n" for line in lines)


class FilesTest(unittest.TestCase):
    program = None

    def compare(self, before, after):
        with tempfile.TemporaryDirectory(prefix="libmeasure-record-files-") as folder:
            paths = [pathlib.Path(folder) / name for name in ("before.jsonl", "after.jsonl")]
            for path, text in zip(paths, (before, after)):
                path.write_text(text, encoding="utf-8")
            return subprocess.run([self.program, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=20)

    def assert_nothing_of_mpi_is_loaded(self):
        libraries = subprocess.run(["ldd", self.program], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("libmeasure_analysis", libraries)
        for name in ("libmeasure.so", "libmpi"):
            self.assertNotIn(name, libraries)


class TwoStarts(FilesTest):
    def test_points_and_all_sizes_are_compared(self):
        done = self.compare(starts(1), starts(1.5))
        # The value is the median of three. Its error is half of the range: 0.01.
        self.assertEqual(done.stdout, "Bcast bytes=8: 1.5 +- 0.0212132 times the time\n"
                                      "Bcast bytes=1024: 1.5 +- 0.0212132 times the time\n"
                                      "all sizes together:\nBcast : 1.5 times the time\n")
        self.assertEqual(done.returncode, 0)

    def test_a_broken_record_is_an_error(self):
        done = self.compare(starts(1), "no record\n")
        self.assertEqual((done.stderr, done.returncode), ("this is not a record file: it has no 'run' line\n", 2))

    def test_the_program_does_not_load_mpi(self):
        self.assert_nothing_of_mpi_is_loaded()


class CompareRecords(FilesTest):
    def test_an_operation_that_takes_1_5_times_as_long_is_slower(self):
        done = self.compare(many_starts(1), many_starts(1.5))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        bcast, scan = done.stdout.splitlines()
        self.assertEqual(bcast, "Bcast is slower: 1.5 times, 6 and 6 launches")
        self.assertEqual(scan, "Scan is unclear: 1 times, 6 and 6 launches: the interval contains 0 and extends beyond "
                               "2 %")

    def test_three_launches_allow_no_verdict(self):
        """The smallest possible p of three against three launches is 2/20."""
        done = self.compare(many_starts(1, number=3), many_starts(1.5, number=3))
        self.assertTrue(done.stdout.startswith("Bcast is unclear: 1.5 times, 3 and 3 launches: "), done.stdout)

    def test_different_conditions_give_a_warning(self):
        done = self.compare(many_starts(1), many_starts(1, ranks=4))
        self.assertEqual(done.stderr, "warning: 'A' and 'B' differ in ranks: 2 and 4\n")

    def test_a_missing_file_is_an_error(self):
        done = self.compare("", many_starts(1))
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_the_program_does_not_load_mpi(self):
        self.assert_nothing_of_mpi_is_loaded()


if __name__ == "__main__":
    TwoStarts.program, CompareRecords.program = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
