#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: the data of messages: datatypes, large counts, and checks of received data.

usage: mpiperf_data_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER CORRUPT_LIBRARY [UNITTEST OPTIONS]
"""
import csv
import io
import pathlib
import sys

import harness
from mpiperf_harness import Mpiperf

CORRUPT = str(pathlib.Path(sys.argv[5]).resolve())
MOVING = "Allgather Allgatherv Alltoall Alltoallv Alltoallw Bcast Gather Gatherv Scatter Scatterv".split()
ADDING = "Allreduce Exscan Reduce Reduce_scatter Reduce_scatter_block Scan".split()
LOCAL = ["Reduce_local"]
NEIGHBOURS = [f"{i}eighbor_{name}" for i in ("N", "In") for name in
              ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")]
MESSAGES = "Send Ssend Rsend Bsend Isend Send_init Sendrecv Pingpong".split()
# One run of each call: these tests examine data only.
ONCE = ("-z", "barrier", "-E", 1, "-r", 1, "-R", 1, "--stage-runs", 1, "--warmup-runs", 1)


class MpiperfDataTest(Mpiperf):
    # Datatypes.

    @harness.slow
    def test_payload_extent_and_blocks_are_recorded(self):
        # Name, requested count, payload, extent, blocks: computed by hand from the definitions in the README.
        for name, asked, payload, extent, blocks in (
                ("vector:2:3", 40, 48, 64, 3), ("indexed:4", 100, 128, 224, 8), ("subarray:2x3", 48, 48, 160, 2),
                ("struct", 1, 32, 40, 3), ("resized", 12, 16, 32, 2), ("double", 12, 16, 16, 1)):
            with self.subTest(name):
                ended = self.measure(*ONCE, "--verify", "--datatype", name, "-x", asked, "-X", asked, "Gather")
                typed, plain = ended.points
                self.assertEqual(typed["at"], {"ranks": 2, "count": payload, "datatype": name, "bytes": payload})
                self.assertEqual(typed["derived"]["datatype"],
                                 {"name": name, "payload": payload, "extent": extent, "blocks": blocks})
                self.assertEqual(plain["at"], {"ranks": 2, "count": payload, "datatype": "byte", "bytes": payload})
                self.assertEqual(plain["derived"]["datatype"],
                                 {"name": "byte", "payload": payload, "extent": payload, "blocks": 1})

    @harness.slow
    def test_each_point_has_its_ratio_to_contiguous_bytes(self):
        ended = self.measure("-z", "barrier", "-E", 8, "--datatype", "vector:1:3", "-x", 8, "-X", 16384, "-S", 2048,
                             "Bcast", "Barrier")
        pairs = [p for p in ended.points if p["benchmark"] == "Bcast"]
        self.assertEqual([(p["at"]["count"], p["at"]["datatype"]) for p in pairs],
                         [(8, "vector:1:3"), (8, "byte"), (16384, "vector:1:3"), (16384, "byte")])
        comments = [line for line in ended.out.splitlines() if "contiguous bytes" in line]
        self.assertEqual(len(comments), 2)
        for typed, plain, comment in zip(pairs[::2], pairs[1::2], comments):
            ratio = plain["derived"]["ratio"]
            # The ratio is that of pairs of stages, not of the two values.
            value, error = ratio["value"], ratio["standard_error"]
            self.assertEqual(ratio["of"], "vector:1:3")
            self.assertGreater(value, 0)
            self.assertTrue(ratio["interval"][0] <= value <= ratio["interval"][1], ratio)
            self.assertIn(f"takes {value:.2f} times as long (+- {error:.2f};", comment)
        self.assertNotIn("datatype", ended.points[-1]["at"])
        rows = [line.split() for line in ended.out.splitlines() if line and not line.startswith("#")]
        self.assertEqual([row[1] for row in rows], ["8", "16384", "8", "16384"])

    def test_the_header_says_how_many_runs_a_comparison_has(self):
        ended = self.measure("-z", "barrier", "-R", 16, "-E", 16, "-r", 1, "--datatype", "vector:1:4", "-x", "1k", "-X",
                             "1k", "Bcast")
        limit, = (line for line in ended.out.splitlines() if line.startswith("# Maximal runs: "))
        self.assertEqual(limit, "# Maximal runs: 16; 32 in each of 8 placements of the buffers, both for the datatype "
                                "and for bytes: 256 of each")
        self.assertEqual([p["attempts"] for p in ended.points], [256, 256])

    def test_a_point_that_ended_at_the_limit_of_placements_gives_their_number(self):
        for how, parts in ((["--datatype", "vector:1:4"], "8 of 8 placements"), (["--epochs", 2], "2 of 2 epochs")):
            ended = self.measure("-z", "barrier", "-R", 16, "-E", 1000, "-r", 1, "-x", 16, "-X", 16, *how, "Bcast")
            for point in ended.points:
                self.assertEqual(point["status"], "exhausted")
                self.assertIn(f"{parts} stopped at their limit (exhausted)", point["message"])
            self.assertIn(f"exhausted, the exit condition was not reached; {parts} stopped at their limit", ended.out)

    def test_csv_names_the_datatype_of_each_row(self):
        path = self.folder / "ranks.csv"
        ended = self.measure(*ONCE, "--format", "csv", "-o", path, "--datatype", "resized", "-x", 8, "-X", 8, "Scatter")
        rows = list(csv.DictReader(io.StringIO(ended.out)))
        self.assertEqual([row["Datatype"] for row in rows], ["resized", "byte"])
        self.assertEqual(rows[0]["Ratio"], "")
        self.assertAlmostEqual(float(rows[1]["Ratio"]), ended.points[1]["derived"]["ratio"]["value"], places=6)
        ranks = list(csv.DictReader(path.open()))
        self.assertEqual([(row["Datatype"], row["Rank"]) for row in ranks],
                         [("resized", "0"), ("resized", "1"), ("byte", "0"), ("byte", "1")])

    def test_the_list_has_pairs_of_datatypes(self):
        ended = self.run_it("--list", "--datatype", "resized", "-X", 16, "Bcast", ranks=0, record=False)
        self.assertEqual(ended.out.splitlines(),
                         [f"Bcast ranks=1 count={c} datatype={t} bytes={c}" for c in (8, 16) for t in ("resized", "byte")])

    @harness.not_quick
    def test_refined_and_shuffled_points_come_in_pairs(self):
        for how in (("--refine", 0.3), ("--shuffle",)):
            ended = self.measure(*ONCE, *how, "--datatype", "struct", "-x", 32, "-X", 4096, "-S", 128, "Bcast")
            for typed, plain in zip(ended.points[::2], ended.points[1::2]):
                self.assertEqual(typed["at"] | {"datatype": "byte"}, plain["at"])
                self.assertEqual(typed["at"]["count"] % 32, 0)

    # Checks of received data.

    @harness.not_quick
    def test_every_collective_delivers_what_was_sent(self):
        ended = self.measure(*ONCE, "--verify", "-p", 1, "-g", 1, "-x", 0, "-X", 7, "-s", 7, *MOVING, *ADDING, *LOCAL,
                             "Barrier", ranks=3)
        self.assertEqual(len(ended.points), 18 * 3 * 2)
        self.assertTrue(ended.run["options"]["verify"])

    @harness.slow
    def test_roots_and_cold_buffers_are_checked(self):
        for how in (("--root", 2), ("--rotate-root", "-d", "--max-mem", "64KiB")):
            self.measure(*ONCE, "--verify", *how, "--datatype", "double", "-x", 96, "-X", 96, "Bcast", "Gather", "Gatherv",
                         "Reduce", "Scatter", "Scatterv", ranks=3)

    @harness.not_quick
    def test_ranks_with_different_buffer_sizes_use_the_same_number_of_blocks(self):
        # The memory limit allows the root fewer blocks. If other ranks made more calls or set up again, they would wait
        # forever.
        runs = [("5MiB", ("Gather:1048576", "Scatterv:1048576"))]
        if "persistent" not in harness.LACKS:
            runs.append(("3MiB", ("Reduce_init:131072",)))
        for limit, tests in runs:
            ended = self.measure("-z", "barrier", "-E", 4, "-r", 1, "-R", 1, "-d", "--verify", "--max-mem", limit, *tests)
            for point in ended.points:
                footprint = point["derived"]["footprint"]
                self.assertEqual((footprint["blocks"], footprint["cut"]), (1, True))
        # Every rank is root in turn.
        self.measure(*ONCE, "-d", "--verify", "--max-mem", "1MiB", "--rotate-root", "Gather:30000", "Reduce:3000", ranks=3)

    @harness.slow
    def test_every_datatype_is_moved_by_every_collective(self):
        for name in ("vector:1:3", "indexed:3", "struct"):
            with self.subTest(name):
                self.measure(*ONCE, "--verify", "--datatype", name, "-x", 480, "-X", 480, *MOVING, ranks=3)

    @harness.slow
    def test_overlap_neighbour_and_pair_tests_are_checked(self):
        nonblocking = ["I" + name.lower() for name in (*MOVING, *ADDING, "Barrier")]
        for how in (("-x", 0, "-X", 7, "-s", 7), ("-x", 48, "-X", 48, "--rotate-root", "-d", "--max-mem", "64KiB")):
            self.measure(*ONCE, "--verify", "-b", *how, *nonblocking, *NEIGHBOURS, *MESSAGES, ranks=3)
        ended = self.measure(*ONCE, "--verify", "-c", 1, "--datatype", "vector:1:3", "-x", 48, "-X", 48, "Ialltoallw",
                             "Iscatterv", *NEIGHBOURS, *MESSAGES, ranks=3)
        self.assertFalse([line for line in ended.warnings() if "--verify" in line], ended.err)
        self.assertEqual([p["at"]["datatype"] for p in ended.points], ["vector:1:3", "byte"] * (2 + 10 + 8))

    @harness.slow
    def test_neighbours_on_edges_and_graphs_are_checked(self):
        for topology in ("cart:3", "cart:2:periodic", "dist_graph:1,1,-1"):
            ranks = 2 if "2" in topology else 3
            self.measure(*ONCE, "--verify", "-b", "--topology", topology, "--datatype", "resized", "-x", 16, "-X", 16,
                         *NEIGHBOURS, ranks=ranks)

    @harness.slow
    def test_changed_bytes_are_found_in_these_tests_too(self):
        for test in ("Ibcast", "Ineighbor_alltoall", "Neighbor_allgatherv", "Bsend", "Pingpong"):
            ended = self.run_it(*ONCE, "--verify", "-b", "-x", 8, "-X", 8, test, environment={"MEASURE_TEST_CORRUPT": "1:8"})
            self.assert_wrong(ended, test, 8, r"^rank 1: byte \d+ of the message from rank \d is ")

    def test_unchecked_tests_are_reported(self):
        ended = self.run_it(*ONCE, "--verify", "-X", 1, "Cart_shift+Sendrecv")
        self.assertTrue(any("--verify: Cart_shift+Sendrecv cannot check its data" in line for line in ended.warnings()))

    def assert_wrong(self, ended, test, count, text):
        self.assertEqual(ended.code, 3, ended.err)
        self.assert_valid(ended)
        wrong = [p for p in ended.points if p["status"] == "crashed"]
        self.assertEqual([(p["benchmark"], p["at"]["count"]) for p in wrong], [(test, count)])
        self.assertIsNone(wrong[0]["value"])
        self.assertRegex(wrong[0]["message"], text)
        lines = [line for line in ended.errors() if wrong[0]["message"] in line]
        self.assertEqual(len(lines), 1, ended.err)
        self.assertTrue(lines[0].startswith(f"mpiperf: error: {test} ranks=2 count={count}"))

    @harness.not_quick
    def test_a_changed_byte_is_found(self):
        for test, text in (("Bcast", r"^rank 1: byte 7 of the message from rank 0 is 0x\w\w instead of 0x\w\w$"),
                           ("Exscan", r"^rank 1: number 7 is \S+ instead of 8$")):
            ended = self.run_it(*ONCE, "--verify", "-x", 4, "-X", 8, test, environment={"MEASURE_TEST_CORRUPT": "1:8"})
            self.assert_wrong(ended, test, 8, text)
            self.assertEqual(len(ended.points), 2)

    @harness.slow
    def test_errors_of_an_mpi_library_are_found(self):
        for name, test, count, text, more in (
                ("bcast", "Bcast", 4096, r"^rank 1: byte 4095 of the message from rank 0 is ", ()),
                ("alltoallv", "Alltoallv", 64, r"^rank 1: byte 63 of the message from rank 0 is ", ()),
                ("allreduce", "Allreduce", 512, r"^rank 1: number 511 is ", ()),
                ("gap", "Alltoallv", 16, r"^rank 1: byte 8 of the buffer, outside of all messages, is ",
                 ("--datatype", "resized")),
                ("ialltoall", "Ialltoall", 64, r"^rank 1: byte 63 of the message from rank 0 is ", ("-b",)),
                ("neighbor", "Neighbor_alltoall", 64, r"^rank 1: byte 63 of the message from rank 0 is ", ()),
                ("recv", "Send", 4096, r"^rank 1: byte 4095 of the message from rank 0 is ", ())):
            with self.subTest(name):
                ended = self.run_it(*ONCE, "--verify", *more, "-x", count, "-X", count, test, preload=[CORRUPT],
                                    environment={"MPIPERF_CORRUPT": name})
                self.assert_wrong(ended, test, count, text)

    @harness.slow
    def test_a_persistent_operation_that_delivers_wrong_data_is_skipped_in_every_mode(self):
        if "Bcast_init" not in self.run_it("-q", ranks=0, record=False).out:
            return
        reason = "this MPI library delivers wrong data in the second Bcast_init on 2 processes"
        for how in (("-z", "barrier"), ("-z", "nosync"), ("-z", "barrier", "--verify", "-d", "--max-mem", "1MiB")):
            with self.subTest(how):
                ended = self.run_it(*how, "--retry", 0, "--sync-alg", "none", "-R", 10, "-x", 8, "-X", 16, "Bcast_init",
                                    "Reduce_init", preload=[CORRUPT], environment={"MPIPERF_CORRUPT": "bcast_init"})
                self.assertEqual(ended.code, 4, ended.err)
                self.assert_valid(ended)
                self.assertEqual([p["message"] for p in ended.points if p["benchmark"] == "Bcast_init"], [reason] * 2)
                self.assertEqual([p["value"] > 0 for p in ended.points if p["benchmark"] == "Reduce_init"], [True] * 2)
                self.assertEqual([line for line in ended.warnings() if "Bcast" in line], ["mpiperf: warning: " + reason])

    def test_data_are_checked_on_request_only(self):
        ended = self.measure(*ONCE, "-x", 64, "-X", 64, "Alltoallv", preload=[CORRUPT],
                             environment={"MPIPERF_CORRUPT": "alltoallv"})
        self.assertFalse(ended.run["options"]["verify"])

    # Large counts.

    def test_a_count_beyond_int_is_measured_unchanged_or_skipped(self):
        ended = self.run_it("-x", "4GiB", "-X", "4GiB", "--max-mem", "1MiB", "Bcast")
        self.assertEqual(ended.code, 4, ended.err)
        (point,) = ended.points
        self.assertEqual(point["at"]["count"], 1 << 32)
        self.assertEqual((point["status"], point["flags"]), ("skipped", ["no_memory"]))

    def test_a_point_that_does_not_fit_does_not_end_the_run(self):
        ended = self.run_it(*ONCE, "-x", 8, "-X", "1MiB", "-S", 131072, "--max-mem", "1MiB", "Bcast", "Barrier")
        self.assertEqual([p["status"] for p in ended.points], ["converged", "skipped", "converged", "converged"])

    @harness.not_quick
    def test_a_displacement_too_large_on_one_process_is_refused_on_all(self):
        (self.folder / "star.txt").write_text("0: 1 2 3\n1: 0\n2: 0\n3: 0\n")
        ended = self.run_it(*ONCE, "--topology", "graph:star.txt", "-x", "1GiB", "-X", "1GiB", "Neighbor_alltoallv", ranks=4,
                            cwd=self.folder)
        self.assertEqual((ended.code, len(ended.errors())), (2, 1), ended.err)
        self.assertIn("Neighbor_alltoallv", ended.errors()[0])
        self.assertIn("2147483648", ended.errors()[0])

    @harness.slow
    def test_counts_beyond_int_are_passed_by_other_means(self):
        for hook, moved, added in (("100", "large", True), ("100:chunks", "int", False)):
            if hook == "100" and not self.has_large_counts():
                continue
            ended = self.measure(*ONCE, "--verify", "-x", 256, "-X", 256, *(set(MOVING) - {"Alltoallw"}),
                                 *(ADDING + LOCAL if added else ()), environment={"MEASURE_TEST_INT_MAX": hook})
            for point in ended.points:
                large = point["derived"]["large_count"]
                self.assertEqual(large["functions"], moved)
                self.assertEqual(large["chunk"] > 1, moved == "int")
        ended = self.run_it("-x", 256, "-X", 256, "Allreduce", environment={"MEASURE_TEST_INT_MAX": "100:chunks"},
                            record=False)
        self.assertEqual(ended.code, 2)
        self.assertEqual(len(ended.errors()), 1)
        self.assertIn("Allreduce: count 256 for 2 processes does not fit", ended.errors()[0])

    def has_large_counts(self):
        """Whether large counts are available according to the standard that the MPI library reports."""
        return float(self.measure(*ONCE, "-X", 1, "Barrier").run["mpi"]["standard"]) >= 4


if __name__ == "__main__":
    harness.main(sys.argv[6:])
