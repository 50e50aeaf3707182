#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The example that compares two record files, and that it needs no MPI.

usage: two_starts_test.py PROGRAM [unittest options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


def starts(factor):
    """A record file of three starts: Bcast of two sizes, and Barrier, which has none."""
    lines = []
    for launch in (0.99, 1.0, 1.01):
        lines.append({"record": "run", "schema": 2, "suite": "own", "ranks": 2})
        for name, at, time in (("Bcast", {"bytes": 8}, 1e-6), ("Bcast", {"bytes": 1024}, 4e-6), ("Barrier", {}, 1e-6)):
            lines.append({"record": "point", "benchmark": name, "at": at, "quantity": "time", "unit": "s",
                          "value": factor * launch * time, "status": "converged"})
    return "".join(json.dumps(line) + "\n" for line in lines)


class TwoStarts(unittest.TestCase):
    def compare(self, before, after):
        with tempfile.TemporaryDirectory(prefix="libmeasure-two-starts-") as folder:
            paths = [pathlib.Path(folder) / name for name in ("before.jsonl", "after.jsonl")]
            for path, text in zip(paths, (before, after)):
                path.write_text(text, encoding="utf-8")
            return subprocess.run([PROGRAM, *paths], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)

    def test_points_and_all_sizes_are_compared(self):
        done = self.compare(starts(1), starts(1.5))
        # The value is the median of three, its error half of what lies between the smallest and the largest: 0.01.
        self.assertEqual(done.stdout, "Bcast bytes=8: 1.5 +- 0.0212132 times the time\n"
                                      "Bcast bytes=1024: 1.5 +- 0.0212132 times the time\n"
                                      "all sizes together:\nBcast : 1.5 times the time\n")
        self.assertEqual(done.returncode, 0)

    def test_a_broken_record_is_an_error(self):
        done = self.compare(starts(1), "no record\n")
        self.assertEqual((done.stdout, done.returncode), ("this is no record file: it has no 'run' line\n", 2))

    def test_nothing_of_mpi_is_loaded(self):
        libraries = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("libmeasure_analysis", libraries)
        for name in ("libmeasure.so", "libmpi"):
            self.assertNotIn(name, libraries)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
