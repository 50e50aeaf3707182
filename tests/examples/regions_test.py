#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An application with regions, switched off and on, and an application that never ends its regions.

arguments: the example, the program that does not end its regions, the examples in C and Fortran or "",
tools/validate-records, the launcher
"""
import fcntl
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import harness  # noqa: E402

EXAMPLE, FORGETFUL, IN_C, IN_FORTRAN = (path and str(pathlib.Path(path).resolve()) for path in sys.argv[1:5])
harness.ProgramTest.tools(*sys.argv[5:7])


class RegionsOfAnApplication(harness.ProgramTest):
    def run_it(self, program=EXAMPLE, *arguments, ranks=2, **variables):
        process = self.launch(program, *arguments, ranks=ranks, record=False, environment=variables, cwd=self.folder)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        return ended

    @harness.not_quick
    def test_regions_leave_no_file_when_off_and_a_record_when_on(self):
        off = self.run_it()
        self.assertEqual((off.code, off.err, list(self.folder.iterdir())), (0, [], []))

        on = self.run_it(MEASURE_REGIONS="record.jsonl", MEASURE_REGIONS_SAMPLES="7")
        self.assertEqual((on.code, on.err, on.out), (0, [], off.out))
        self.assert_valid(on)
        self.assertEqual(on.run["suite"], "regions")
        self.assertEqual(on.run["program"], "regions_in_an_application")
        self.assertEqual(on.run["options"]["name"], "jacobi")
        points = {point["benchmark"]: point for point in on.points}
        self.assertEqual(list(points), ["solve", "solve/halo", "solve/sweep", "solve/check"])
        self.assertEqual([point["valid"] for point in on.points], [2, 120, 120, 12])
        inside = sum(points[name]["derived"]["total"]["mean"] for name in points if "/" in name)
        solve = points["solve"]["derived"]
        self.assertAlmostEqual(solve["exclusive"]["mean"], solve["total"]["mean"] - inside, places=9)
        self.assertGreaterEqual(solve["exclusive"]["mean"], 0)
        for rank in points["solve/halo"]["derived"]["by_rank"]:
            self.assertEqual((rank["valid"], len(rank["samples"])), (60, 7))
            self.assertTrue(all(rank["min"] <= time <= rank["max"] for time in rank["samples"]))

        again = self.run_it(MEASURE_REGIONS="record.jsonl")
        self.assert_valid(again)
        self.assertEqual(sum(record["record"] == "run" for record in again.records), 2)

    def assert_runs_on(self, said, program=EXAMPLE, output="change in the last step", **variables):
        """The application does its work, and one line says why there is no record."""
        ended = self.run_it(program, **variables)
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn(said, ended.err[0])
        self.assertIn(output, ended.out)

    @harness.not_quick
    def test_unusable_settings_in_the_environment_turn_regions_off(self):
        off = "libmeasure: warning: regions are off: "
        os.mkfifo(self.folder / "pipe")
        for said, variables in (
                ("'no/such/folder/file': No such file or directory", {"MEASURE_REGIONS": "no/such/folder/file"}),
                ("'.': Is a directory", {"MEASURE_REGIONS": "."}),
                ("'pipe': No such device or address", {"MEASURE_REGIONS": "pipe"}),
                ("MEASURE_REGIONS = '-': must be a file", {"MEASURE_REGIONS": "-"}),
                ("MEASURE_REGIONS_TIMER = 'sundial': ",
                 {"MEASURE_REGIONS": "record.jsonl", "MEASURE_REGIONS_TIMER": "sundial"}),
                ("MEASURE_REGIONS_SAMPLES = 'many': ",
                 {"MEASURE_REGIONS": "record.jsonl", "MEASURE_REGIONS_SAMPLES": "many"})):
            with self.subTest(said):
                self.assert_runs_on(off + said if said[0] == "M" else said, **variables)
        self.assertFalse(self.json.exists())

    @harness.not_quick
    def test_a_file_that_another_run_writes_is_left_unchanged(self):
        with self.json.open("w") as file:
            # The byte that writers lock; see writer_lock.hpp.
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2**63 - 2)
            self.assert_runs_on("'record.jsonl': another run is writing it", MEASURE_REGIONS="record.jsonl")
        self.assertEqual(self.json.read_text(), "")

    @harness.not_quick
    def test_a_record_that_cannot_be_written_does_not_harm_the_application(self):
        self.assert_runs_on("No space left", MEASURE_REGIONS="/dev/full")

    @unittest.skipUnless(IN_C, "no C here")
    @harness.not_quick
    def test_c_and_fortran_applications_continue_without_a_record(self):
        for program in filter(None, (IN_C, IN_FORTRAN)):
            for said, file in (("warning: regions are off: ", "no/such/folder/file"),
                               ("warning: the record cannot be written: No space left", "/dev/full")):
                with self.subTest(program=program, file=file):
                    self.assert_runs_on(said, program, "sum of the middle columns", MEASURE_REGIONS=file)

    # MPICH leaks a communicator that still exists in MPI_Finalize.
    @harness.plain
    def test_regions_that_outlive_mpi_print_nothing(self):
        ended = self.run_it(FORGETFUL, MEASURE_REGIONS="record.jsonl")
        self.assertEqual((ended.code, ended.out, ended.err), (0, "done\n", []))
        self.assertEqual(self.json.read_text(), "")

    # MPICH leaks a communicator that still exists in MPI_Finalize.
    @harness.plain
    def test_an_end_after_mpi_finalize_prints_a_message_and_does_not_abort(self):
        ended = self.run_it(FORGETFUL, "late", MEASURE_REGIONS="record.jsonl")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out, "no record of the regions: MPI is already finalised\n")


if __name__ == "__main__":
    harness.main(sys.argv[7:])
