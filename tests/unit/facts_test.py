#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that repeat the numbers of a measurement are complete, and facts.py finds and adds missing ones.

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
                     '        "made_up": { "description": "a number of `this` test", '
                     '"$ref": "#/$defs/number_or_null" },',
                     "| `made_up` | number or null | a number of `this` test |"):
            self.assertIn(f"\n+{line}\n", checked.stdout)
        self.assertEqual(self.facts("--write").returncode, 0)
        self.assertEqual(self.facts("--check").returncode, 0)
        # New members are appended to the C struct.
        fields = (self.top / REPEATING[0]).read_text(encoding="utf-8").split("} measure_estimate;")[0].splitlines()
        self.assertIn("made_up", fields[-1])
        self.assertEqual(self.facts("--generate", self.top).returncode, 0)
        self.assertIn('f("made_up", x.made_up);', (self.top / "derived_numbers.hpp").read_text(encoding="utf-8"))
        self.assertIn("to.made_up = c_value(from.made_up);", (self.top / "c_structs.hpp").read_text(encoding="utf-8"))

    def test_a_lost_field_is_named(self):
        for name, line in zip(REPEATING[1:], ('"relative_mad": {', "| `span` |")):
            with self.subTest(file=name):
                text = (self.top / name).read_text(encoding="utf-8").splitlines(keepends=True)
                (self.top / name).write_text("".join(t for t in text if line not in t), encoding="utf-8")
                self.assertIn(line, self.facts("--check").stdout)

    def test_a_member_that_is_not_understood_is_refused(self):
        for line, words in (("double made_up = 0;", "'made_up' of Estimate has no comment after it"),
                            ("double made_up = 0, other = 1;  ///< two", "not understood: double made_up"),
                            ("double made_up = 0;  ///< one\n        ///< two",
                             "the comment must fit on one line: two"),
                            ("double\n        made_up = 0;  ///< one", "not understood: double"),
                            (f"double made_up = 0;  ///< {'long ' * 20}", "the line is too long")):
            with self.subTest(line=line):
                before = (self.top / ESTIMATE).read_text(encoding="utf-8")
                self.add_member(line)
                checked = self.facts("--check")
                self.assertEqual(checked.returncode, 1)
                self.assertIn(words, checked.stderr)
                (self.top / ESTIMATE).write_text(before, encoding="utf-8")

    def change(self, name, old, new):
        text = (self.top / name).read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1, old)
        (self.top / name).write_text(text.replace(old, new), encoding="utf-8")

    def test_changed_descriptions_are_reported_and_written(self):
        changes = (("name of the benchmark", "| `benchmark` | text | {} |"),
                   ("version of the MPI standard:", "| `mpi.standard` | text or null | {} `4.0`. Null if unknown |"),
                   ("capacity, bytes", "| `caches.size` | integer | {} |"),
                   ("a signal ended it", "| `status` = `interrupted` |  | {} |"),
                   ("enough valid samples", "| `count` | {} |"),
                   ("flag of one suite,", "| other | {} explained on its page and by `measure report` |"))
        for old, _ in changes:
            self.change(REPEATING[1], f'"{old}', '"this | that')
        checked = self.facts("--check")
        self.assertEqual(checked.returncode, 1)
        for _, row in changes:
            self.assertIn("\n+" + row.format("this \\| that") + "\n", checked.stdout)
        self.assertEqual(self.facts("--write").returncode, 0)
        self.assertEqual(self.facts("--check").returncode, 0)

    def test_a_member_or_value_without_description_is_refused(self):
        for text, name in (("capacity, bytes", "run.caches.size"),
                           ("wall time of the synchronisation", "run.clock_sync.duration"),
                           ("enough valid samples", "point.stop_reason count"),
                           ("a signal ended it", "end.status interrupted")):
            with self.subTest(name=name):
                self.change(REPEATING[1], f'"description": "{text}"', f'"title": "{text}"')
                checked = self.facts("--check")
                self.assertEqual(checked.returncode, 1)
                self.assertEqual(checked.stderr, f"record.schema.json: {name} has no description\n")
                self.change(REPEATING[1], f'"title": "{text}"', f'"description": "{text}"')

    def test_tables_and_definitions_belong_together(self):
        marker = "<!-- schema of summary -->"
        self.change(REPEATING[2], marker, "")
        self.assertIn(f"has no table {marker}", self.facts("--check").stderr)
        self.change(REPEATING[2], "<!-- schema of end -->",
                    f"<!-- schema of end.x -->\n<!-- end of schema -->\n{marker}\n<!-- end of schema -->\n"
                    "<!-- schema of end -->")
        self.assertIn("record.schema.json has no end.x", self.facts("--check").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
