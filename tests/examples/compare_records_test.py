#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The example that compares the starts of two record files by the rules of `measure compare`.

usage: compare_records_test.py PROGRAM [unittest options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


def starts(factor, number=6, **run):
    """A record file of starts whose times are 1.00, 1.01, 1.02 .. times `factor` us."""
    lines = []
    for start in range(number):
        lines.append({"record": "run", "schema": 2, "suite": "own", "program": "halo", "ranks": 2, **run})
        for name, change in (("Bcast", factor), ("Scan", 1)):
            lines.append({"record": "point", "benchmark": name, "at": {"bytes": 8}, "quantity": "time", "unit": "s",
                          "value": change * (1 + start / 100) * 1e-6, "status": "converged"})
    return "".join(json.dumps(line) + "\n" for line in lines)


class CompareRecords(unittest.TestCase):
    def compare(self, before, after):
        with tempfile.TemporaryDirectory(prefix="libmeasure-compare-records-") as folder:
            paths = [pathlib.Path(folder) / name for name in ("before.jsonl", "after.jsonl")]
            for path, text in zip(paths, (before, after)):
                path.write_text(text, encoding="utf-8")
            return subprocess.run([PROGRAM, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=20)

    def test_an_operation_that_takes_half_as_long_again_is_slower(self):
        done = self.compare(starts(1), starts(1.5))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        bcast, scan = done.stdout.splitlines()
        self.assertEqual(bcast, "Bcast is slower: 1.5 times, 6 and 6 starts ")
        self.assertTrue(scan.startswith(("Scan is same: 1 times", "Scan is unclear: 1 times")), scan)

    def test_three_starts_allow_no_verdict(self):
        """The smallest p of three against three is 2/20."""
        done = self.compare(starts(1, number=3), starts(1.5, number=3))
        self.assertTrue(done.stdout.startswith("Bcast is unclear: 1.5 times, 3 and 3 starts "), done.stdout)

    def test_other_conditions_are_a_warning(self):
        done = self.compare(starts(1), starts(1, ranks=4))
        self.assertEqual(done.stderr, "warning: 'A' and 'B' differ in ranks: 2 and 4\n")

    def test_a_file_that_is_missing_is_an_error(self):
        done = self.compare("", starts(1))
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
