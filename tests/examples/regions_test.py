#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An application with regions left in it, off and on; and one that never ends them.

arguments: the example, the program that ends nothing, tools/validate-records, the launcher
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import harness  # noqa: E402

EXAMPLE, FORGETFUL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
harness.ProgramTest.tools(*sys.argv[3:5])


class RegionsOfAnApplication(harness.ProgramTest):
    def run_it(self, program=EXAMPLE, *arguments, ranks=2, **variables):
        process = self.launch(program, *arguments, ranks=ranks, record=False, environment=variables, cwd=self.folder)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        return ended

    @harness.not_quick
    def test_off_there_is_no_trace_and_on_a_record(self):
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

    def test_a_file_that_cannot_be_opened_is_said_once_and_before_the_work(self):
        ended = self.run_it(MEASURE_REGIONS="no/such/folder/file")
        self.assertEqual((ended.code, ended.out, len(ended.err)), (2, "", 1))
        self.assertIn("no/such/folder/file", ended.err[0])

    def test_a_record_that_cannot_be_written_costs_the_application_nothing(self):
        ended = self.run_it(MEASURE_REGIONS="/dev/full")
        self.assertEqual((ended.code, len(ended.err)), (0, 1))
        self.assertIn("change in the last step", ended.out)

    # A communicator that MPI_Finalize finds is memory that MPICH leaves behind.
    @harness.plain
    def test_regions_that_outlive_mpi_say_nothing(self):
        ended = self.run_it(FORGETFUL, MEASURE_REGIONS="record.jsonl")
        self.assertEqual((ended.code, ended.out, ended.err), (0, "done\n", []))
        self.assertEqual(self.json.read_text(), "")

    # A communicator that MPI_Finalize finds is memory that MPICH leaves behind.
    @harness.plain
    def test_an_end_after_mpis_is_a_text_and_no_abort(self):
        ended = self.run_it(FORGETFUL, "late", MEASURE_REGIONS="record.jsonl")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out, "no record of the regions: MPI is finalised already\n")


if __name__ == "__main__":
    harness.main(sys.argv[5:])
