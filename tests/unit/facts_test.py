#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What repeats the numbers of a measurement has all of them, and facts.py finds and writes what lacks.

usage: facts_test.py TOP [UNITTEST OPTIONS]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(sys.argv[1]).resolve()
REPEATING = ("libmeasure/include/measure.h", "docs/record.schema.json", "docs/records.md")
ESTIMATE = "libmeasure/include/measure/statistics.hpp"
LAST = "    double skewness = 0;"


class FactsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in (*REPEATING, "libmeasure/facts.py", "libmeasure/analysis/record/record_fields.hpp"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        shutil.copytree(TOP / "libmeasure/include/measure", self.top / "libmeasure/include/measure")

    def facts(self, *arguments):
        return subprocess.run([sys.executable, self.top / "libmeasure/facts.py", *arguments], text=True,
                              capture_output=True, check=False)

    def add_member(self, line):
        text = (self.top / ESTIMATE).read_text(encoding="utf-8")
        self.assertEqual(text.count(LAST), 1)
        (self.top / ESTIMATE).write_text(text.replace(LAST, f"    {line}\n{LAST}"), encoding="utf-8")

    def test_nothing_lacks(self):
        checked = self.facts("--check")
        self.assertEqual((checked.returncode, checked.stdout), (0, ""), "run facts.py --write")

    def test_a_new_number_is_missed_and_written(self):
        self.add_member("std::optional<double> made_up{};  ///< a number of `this` test")
        checked = self.facts("--check")
        self.assertEqual(checked.returncode, 1)
        for name in REPEATING:
            self.assertIn(f"--- {name}\n", checked.stdout)
        for line in ("    double made_up;                       /**< a number of this test */",
                     '            "made_up": { "$ref": "#/$defs/number_or_null" },',
                     "| `made_up` | a number of `this` test |"):
            self.assertIn(f"\n+{line}\n", checked.stdout)
        self.assertEqual(self.facts("--write").returncode, 0)
        self.assertEqual(self.facts("--check").returncode, 0)
        # The C struct grows at its end.
        fields = (self.top / REPEATING[0]).read_text(encoding="utf-8").split("} measure_estimate;")[0].splitlines()
        self.assertIn("made_up", fields[-1])
        self.assertEqual(self.facts("--generate", self.top).returncode, 0)
        self.assertIn('f("made_up", x.made_up);', (self.top / "derived_numbers.hpp").read_text(encoding="utf-8"))
        self.assertIn("to.made_up = c_value(from.made_up);", (self.top / "c_structs.hpp").read_text(encoding="utf-8"))

    def test_a_lost_field_is_named(self):
        for name, line in zip(REPEATING[1:], ('"rse": {', "| `span` |")):
            with self.subTest(file=name):
                text = (self.top / name).read_text(encoding="utf-8").splitlines(keepends=True)
                (self.top / name).write_text("".join(t for t in text if line not in t), encoding="utf-8")
                self.assertIn(line, self.facts("--check").stdout)

    def test_a_member_that_is_not_understood_is_refused(self):
        for line, words in (("double made_up = 0;", "'made_up' of Estimate has no words behind it"),
                            ("double made_up = 0, other = 1;  ///< two", "not understood: double made_up"),
                            ("double made_up = 0;  ///< one\n        ///< two", "words of one line only: two"),
                            (f"double made_up = 0;  ///< {'long ' * 20}", "too long a line")):
            with self.subTest(line=line):
                before = (self.top / ESTIMATE).read_text(encoding="utf-8")
                self.add_member(line)
                checked = self.facts("--check")
                self.assertEqual(checked.returncode, 1)
                self.assertIn(words, checked.stderr)
                (self.top / ESTIMATE).write_text(before, encoding="utf-8")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
