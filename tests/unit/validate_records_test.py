#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of tools/validate-records. Argument: the program."""
import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "frontends"))
import harness  # noqa: E402  (the path is known only now)

GOLDEN = (HERE / "golden.jsonl").read_text(encoding="utf-8")
RUN, BCAST, *_, END = GOLDEN.splitlines()
PROGRAM = sys.argv.pop(1)


def validate(text, *options):
    """Validates like the program, but reads the schema only once. A separate test runs the program itself."""
    data = text if isinstance(text, bytes) else text.encode()
    faults = harness.validator(PROGRAM)(data, "--torn" in options)
    return min(len(faults), 1), "".join(f"-:{number}: {fault}\n" for number, fault in faults)


def changed(line, **fields):
    return json.dumps(json.loads(line) | fields)


def lines(*texts):
    return "".join(text + "\n" for text in texts)


class ValidateRecords(unittest.TestCase):
    def assert_fault(self, text, part, *options):
        code, message = validate(text, *options)
        self.assertEqual(code, 1)
        self.assertIn(part, message)

    def assert_valid(self, text, *options):
        self.assertEqual(validate(text, *options), (0, ""))

    def test_the_lines_that_the_library_writes_are_valid(self):
        self.assert_valid(GOLDEN)

    def test_runs_may_be_concatenated_and_a_killed_one_has_no_end(self):
        self.assert_valid(GOLDEN + GOLDEN)
        self.assert_valid(lines(RUN, BCAST, RUN, END))

    def test_another_schema_is_a_fault(self):
        for schema in (1, 3):
            self.assert_fault(lines(changed(RUN, schema=schema)), "-:1: $.schema: ")

    def test_what_stopped_a_measurement_is_a_word(self):
        self.assert_valid(lines(RUN, changed(BCAST, stop_reason="steady")))
        self.assert_fault(lines(RUN, changed(BCAST, stop_reason="")), "-:2: $.stop_reason: ")

    def test_unknown_fields_are_ignored(self):
        self.assert_valid(lines(changed(RUN, weather="fine")))

    def test_a_file_begins_with_a_run(self):
        self.assert_fault(lines(BCAST, END), "-:1: a file must start with a \"run\" line")

    def test_a_line_that_does_not_begin_as_a_record_is_a_fault(self):
        for first in ("x", "[", "0", " ", ""):
            self.assert_fault(lines(RUN, first + BCAST[1:], END), "-:2: not JSON")
        self.assert_fault(lines(RUN, "a launcher's words", BCAST, END), "-:2: not JSON")
        self.assert_fault(lines(RUN, "", BCAST, END), "-:2: not JSON")

    def test_settings_and_campaign_have_their_types(self):
        self.assert_valid(lines(changed(RUN, mpi_settings={"UCX_TLS": "tcp"}, campaign={"id": "x", "launch": 1})))
        self.assert_fault(lines(changed(RUN, mpi_settings={"UCX_TLS": 1})), "mpi_settings")
        self.assert_fault(lines(changed(RUN, campaign={"id": "x"})), "campaign")

    def test_only_a_run_follows_an_end(self):
        self.assert_fault(lines(RUN, END, BCAST), "-:3: only a \"run\" line may follow")

    def test_a_torn_last_line_is_a_fault_unless_it_is_allowed(self):
        torn = GOLDEN[:-10]
        self.assert_fault(torn, "-:7: the last line is torn")
        self.assert_valid(torn, "--torn")
        self.assert_fault(GOLDEN[:-1], "-:7: the last line is torn")

    def test_an_earlier_torn_line_is_always_a_fault(self):
        self.assert_fault(lines(RUN, BCAST[:20], END), "-:2: not JSON", "--torn")

    def test_an_empty_file_holds_no_record(self):
        self.assert_fault("", "no record")

    def test_nan_is_not_json(self):
        self.assert_fault(lines(RUN, BCAST.replace("4.5e-06", "NaN", 1)), "NaN is not JSON")

    def test_a_name_may_not_occur_twice(self):
        self.assert_fault(lines(RUN[:-1] + ', "ranks": 2}'), "occurs twice")

    def test_text_must_be_utf_8(self):
        self.assert_fault(lines(RUN).encode().replace(b"halo", b"hal\xff"), "-:1: not JSON")

    def test_a_wrong_field_is_named(self):
        self.assert_fault(lines(RUN, changed(BCAST, attempts=-1)), "-:2: $.attempts: ")
        self.assert_fault(lines(RUN, changed(BCAST, unit="B/s")), "-:2: $.unit: ")
        self.assert_fault(lines(RUN, changed(BCAST, status="fine")), "$.status: 'fine' is not one of ['converged', ")
        self.assert_fault(lines(RUN, changed(BCAST, invalid={"slow": 1})), "-:2: $.invalid: ")
        self.assert_fault(lines(RUN, changed(BCAST, flags=["Bad"])), "-:2: $.flags[0]: ")
        self.assert_fault(lines(RUN, changed(BCAST, status="skipped")), "'message' is a required property")

    def test_an_unknown_kind_is_a_fault(self):
        self.assert_fault(lines(RUN, "{}"), "-:2: not a record")
        self.assert_fault(lines(RUN, "[1]"), "-:2: not a record")

    def test_a_file_that_cannot_be_read_is_named(self):
        done = subprocess.run([PROGRAM, "/nonexistent"], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"/nonexistent: No such file", done.stderr)

    def test_the_program_reads_its_standard_input(self):
        for text, options, code, message in ((GOLDEN, (), 0, b""),
                                             (lines(RUN, "{}"), (), 1, b"-:2: not a record"),
                                             (lines(RUN) + BCAST[:20], ("--torn",), 0, b"")):
            done = subprocess.run([PROGRAM, *options, "-"], input=text.encode(), capture_output=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, code)
            self.assertTrue(done.stderr.startswith(message) and (code or not done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
