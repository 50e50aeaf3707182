#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure profile from outside: an application with known calls, ended in every possible way.

usage: measure_profile_test.py MEASURE LIBRARY APPLICATION VALIDATE_RECORDS LAUNCHER YIELD_HELPER PMPI_TOOL
       MPI_THAT_DOES_NOT_BEGIN MPIPERF SLOW_BCAST [FORTRAN_APPLICATION...] [UNITTEST OPTIONS]

SLOW_BCAST is built from slow_bcast.c.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import LIMIT, OPEN_MPI, plain, slow

MEASURE, LIBRARY, APPLICATION = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
harness.ProgramTest.tools(*sys.argv[4:7])
TOOL, NO_INIT, MPIPERF, SLOW_BCAST = (str(pathlib.Path(path).resolve()) for path in sys.argv[7:11])
FORTRAN = [str(pathlib.Path(path).resolve()) for path in sys.argv[11:] if "profile_fortran" in path]
OPTIONS = [word for word in sys.argv[11:] if "profile_fortran" not in word]
# In a build with sanitizers: the wrappers with sanitizers. Only ranks can load it.
INSTRUMENTED = os.environ.get("INSTRUMENTED_LIBRARY")
INT = 4
N = 8  # elements per call, in most calls


class ProfileTest(harness.ProgramTest):
    def profile(self, *words, ranks=2, options=(), preload=(), program=APPLICATION, environment=None, command=()):
        """Runs `measure profile OPTIONS -- LAUNCHER ... PROGRAM WORDS`."""
        libraries = ":".join(filter(None, [self.yield_helper, *preload]))
        started = list(command) or [self.launcher, "-n", str(ranks), "env", "LD_PRELOAD=" + libraries, program,
                                    *map(str, words)]
        done = subprocess.run([MEASURE, "profile", "--json", str(self.json), *map(str, options), "--", *started],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, cwd=self.folder,
                              env=os.environ | (environment or {}), check=False)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def measure(self, *words, environment=None):
        done = subprocess.run([MEASURE, "profile", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT, cwd=self.folder, env=os.environ | (environment or {}),
                              check=False)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def by_hand(self, *words, ranks=2, record="hand.jsonl", preload=(), environment=None):
        """Runs the application with the preloaded library, without the command."""
        libraries = ":".join(filter(None, [INSTRUMENTED or LIBRARY, self.yield_helper, *preload]))
        command = [self.launcher, "-n", str(ranks), "env", "LD_PRELOAD=" + libraries, f"MEASURE_PROFILE={record}",
                   APPLICATION]
        return subprocess.run([*command, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT, cwd=self.folder, env=os.environ | (environment or {}), check=False)

    def calls(self, ended):
        """Returns {(call, ranks, bytes of the class): (calls, bytes sent, bytes received)}."""
        return {(p["benchmark"], p["at"].get("ranks", 0), p["at"]["bytes"]):
                (p["derived"]["calls"], p["derived"]["sent"], p["derived"]["received"]) for p in ended.points}

    def assert_calls(self, ended, expected):
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        # Other work on the machine preempts ranks.
        self.assertEqual([text for text in ended.run["warnings"] if "ranks were preempted" not in text], [])
        self.assertEqual(self.calls(ended), expected)


class KnownCalls(ProfileTest):
    def collectives(self, ranks):
        block = N * INT
        every, others = ranks * block, (ranks - 1) * block
        low = lambda size: 1 << (size.bit_length() - 1)
        same = (ranks, ranks * block, ranks * block)
        table = {
            ("Barrier", 0): (ranks, 0, 0), ("Ibarrier", 0): (ranks, 0, 0), ("Wait", 0): (ranks, 0, 0),
            ("Bcast", block): (ranks, block, others), ("Ibcast", block): (ranks, block, others),
            ("Wait", block): (ranks, 0, 0), ("Wait", 2 * block): (ranks, 0, 0),
            ("Gather", block): (2 * (ranks - 1), 2 * others, 0), ("Gather", low(block + every)): (2, 2 * block, 2 * every),
            ("Gatherv", block): (ranks - 1, others, 0), ("Gatherv", low(block + every)): (1, block, every),
            ("Scatter", block): (ranks - 1, 0, others), ("Scatter", low(block + every)): (1, every, block),
            ("Scatterv", block): (ranks - 1, 0, others), ("Scatterv", low(block + every)): (1, every, block),
            ("Allgather", low(block + every)): (2 * ranks, 2 * every, 2 * ranks * every),
            ("Allgatherv", low(block + every)): (ranks, every, ranks * every),
            ("Reduce", block): (ranks - 1, others, 0), ("Reduce", 2 * block): (1, block, block),
            ("Allreduce", 2 * block): (2 * ranks, 2 * every, 2 * every), ("Iallreduce", 2 * block): same,
            ("Scan", 2 * block): same, ("Exscan", 2 * block): same,
            ("Reduce_scatter", low(every + block)): (ranks, ranks * every, every),
            ("Reduce_scatter_block", low(every + block)): (ranks, ranks * every, every),
            ("Wait", low(2 * every)): (ranks, 0, 0)}
        for call in ("Alltoall", "Alltoallv", "Alltoallw", "Ialltoallv"):
            table[call, low(2 * every)] = (ranks, ranks * every, ranks * every)
        return {(call, ranks, size): counts for (call, size), counts in table.items()}

    def test_collectives_of_two_ranks_are_counted(self):
        self.assert_calls(self.profile("collectives"), self.collectives(2))

    @harness.not_quick
    def test_collectives_of_four_ranks_are_counted(self):
        self.assert_calls(self.profile("collectives", ranks=4), self.collectives(4))

    @plain
    @harness.not_quick
    def test_collectives_of_eight_ranks_are_counted(self):
        self.assert_calls(self.profile("collectives", ranks=8, options=["--counts-only"]), self.collectives(8))

    def test_point_to_point_calls_are_counted(self):
        # Irecv of 100 single elements: MPICH gives all messages that leave at once the same request.
        expected = {("Bsend", 2, 64): (2, 128, 0), ("Buffer_detach", 0, 0): (2, 0, 0),
                    ("Irecv", 2, 4): (200, 0, 800), ("Irecv", 2, 512): (10, 0, 10000),
                    ("Isend", 2, 4): (200, 800, 0), ("Isend", 2, 16): (2, 40, 0), ("Isend", 2, 512): (10, 10000, 0),
                    ("Mprobe", 2, 0): (2, 0, 0), ("Mrecv", 2, 16): (2, 0, 40), ("Probe", 2, 0): (2, 0, 0),
                    ("Recv", 2, 64): (8, 0, 3 * 2 * 100 + 2 * 64), ("Recv_init", 2, 256): (2, 0, 0),
                    ("Send_init", 2, 256): (2, 0, 0), ("Request_free", 2, 256): (4, 0, 0),
                    ("Send", 2, 0): (2, 0, 0), ("Send", 2, 64): (6, 600, 0), ("Sendrecv", 2, 64): (2, 80, 80),
                    ("Startall", 2, 512): (8, 4000, 4000), ("Wait", 2, 16): (2, 0, 0),
                    ("Waitall", 2, 512): (10, 0, 0), ("Waitall", 2, 1024): (10, 0, 0)}
        self.assert_calls(self.profile("point_to_point"), expected)

    def test_neighbourhood_collectives_are_counted(self):
        block = N * INT
        self.assert_calls(self.profile("neighbours", ranks=3), {
            ("Cart_create", 3, 0): (3, 0, 0), ("Comm_free", 3, 0): (3, 0, 0),
            ("Neighbor_allgather", 3, 64): (3, 3 * block, 6 * block),
            ("Neighbor_allgatherv", 3, 64): (3, 3 * block, 6 * block),
            ("Neighbor_alltoall", 3, 128): (3, 6 * block, 6 * block),
            ("Neighbor_alltoallv", 3, 128): (3, 9 * block, 9 * block),
            ("Neighbor_alltoallw", 3, 128): (3, 9 * block, 9 * block)})

    @unittest.skipIf("persistent" in harness.LACKS, "it has no persistent collectives yet")
    def test_persistent_collectives_are_counted(self):
        block = N * INT
        expected = {}
        # Message size of each call, and what two ranks send and receive in one call.
        for call, size, sent, received in (("Barrier", 0, 0, 0), ("Bcast", 32, block, block),
                                           ("Allreduce", 64, 2 * block, 2 * block),
                                           ("Alltoallv", 128, 4 * block, 4 * block)):
            expected |= {(call + "_init", 2, size): (2, 0, 0), ("Start", 2, size): (4, 2 * sent, 2 * received),
                         ("Wait", 2, size): (4, 0, 0), ("Request_free", 2, size): (2, 0, 0)}
        self.assert_calls(self.profile("persistent"), expected)

    def test_other_sends_and_completions_are_counted(self):
        ends = {(call, 2, size): (2, 0, 0) for call, size in (
            ("Barrier", 0), ("Waitany", 32), ("Waitsome", 64), ("Send_init", 64), ("Recv_init", 128), ("Test", 64),
            ("Testall", 256), ("Testany", 256), ("Testsome", 256), ("Request_free", 64), ("Request_free", 128))}
        self.assert_calls(self.profile("completions"), ends | {
            ("Irecv", 2, 32): (2, 0, 80), ("Rsend", 2, 32): (2, 80, 0), ("Irecv", 2, 64): (2, 0, 160),
            ("Ssend", 2, 64): (2, 160, 0), ("Sendrecv_replace", 2, 32): (2, 40, 40)})

    def test_one_sided_calls_are_counted(self):
        block = N * INT
        none = {(call, 2, 0): (times, 0, 0) for call, times in {
            "Win_allocate": 2, "Win_fence": 8, "Win_flush_all": 2, "Win_free": 2, "Win_lock_all": 2,
            "Win_unlock_all": 2}.items()}
        self.assert_calls(self.profile("one_sided"), none | {
            ("Put", 2, 32): (2, 2 * block, 0), ("Get", 2, 32): (2, 0, 2 * block),
            ("Accumulate", 2, 32): (2, 2 * block, 0), ("Fetch_and_op", 2, 8): (2, 8, 8),
            # The compare and the new value are sent; the old value is received.
            ("Compare_and_swap", 2, 8): (2, 16, 8), ("Get_accumulate", 2, 64): (2, 2 * block, 2 * block),
            ("Rput", 2, 32): (2, 2 * block, 0), ("Rget", 2, 32): (2, 0, 2 * block),
            ("Raccumulate", 2, 32): (2, 2 * block, 0), ("Rget_accumulate", 2, 64): (2, 2 * block, 2 * block),
            ("Wait", 2, 32): (6, 0, 0), ("Wait", 2, 64): (2, 0, 0)})

    def test_file_calls_are_counted(self):
        self.assert_calls(self.profile("files", self.folder / "data"), {
            ("File_open", 2, 0): (2, 0, 0), ("File_write_at_all", 2, 256): (2, 512, 0),
            ("File_iwrite_at", 2, 256): (2, 512, 0), ("Wait", 2, 256): (2, 0, 0),
            ("File_read_at", 2, 256): (2, 0, 512), ("File_sync", 2, 0): (2, 0, 0), ("File_close", 2, 0): (2, 0, 0),
            ("File_write_shared", 2, 256): (2, 512, 0), ("File_write_ordered", 2, 256): (2, 512, 0),
            ("File_write_ordered_begin", 2, 256): (2, 512, 0), ("File_write_ordered_end", 2, 0): (2, 0, 0),
            ("File_seek_shared", 2, 0): (2, 0, 0), ("File_read_shared", 2, 256): (2, 0, 512),
            ("File_read_at_all_begin", 2, 256): (2, 0, 512), ("File_read_at_all_end", 2, 0): (2, 0, 0)})

    def test_calls_are_counted_by_communicator_size_and_between_groups(self):
        self.assert_calls(self.profile("communicators", ranks=4), {
            ("Comm_split", 4, 0): (8, 0, 0), ("Comm_free", 2, 0): (12, 0, 0), ("Intercomm_create", 2, 0): (4, 0, 0),
            ("Bcast", 1, 16): (4, 64, 0), ("Bcast", 4, 16): (4, 16, 48),
            # Two halves: 2 roots and 2 others. Between the groups: the root, its neighbour without data, and two
            # others.
            ("Bcast", 2, 16): (7, 2 * 16 + 16, 2 * 16 + 2 * 16), ("Bcast", 2, 0): (1, 0, 0),
            ("Allgather", 2, 32): (4, 4 * 16, 4 * 32)})

    @unittest.skipIf(OPEN_MPI, "it has no sessions yet")
    def test_sessions_alone(self):
        ended = self.profile("sessions")
        self.assert_calls(ended, {("Comm_create_from_group", 0, 0): (2, 0, 0), ("Comm_free", 2, 0): (2, 0, 0),
                                  ("Bcast", 2, 16): (10, 5 * 16, 5 * 16)})
        self.assertEqual(ended.end["status"], "complete")

    @unittest.skipIf(OPEN_MPI, "it has no sessions yet")
    @harness.not_quick
    def test_sessions_one_after_the_other_and_around_the_world(self):
        size = 16
        one = {("Comm_create_from_group", 0, 0): (2, 0, 0), ("Comm_free", 2, 0): (2, 0, 0),
               ("Bcast", 2, 16): (10, 5 * size, 5 * size)}
        times = lambda n: {key: tuple(n * each for each in counts) for key, counts in one.items()}
        for what, expected in (("sessions_again", times(2)),
                               ("sessions_then_world", one | {("Bcast", 2, 16): (20, 10 * size, 10 * size)}),
                               ("sessions_across_init", {("Bcast", 2, 16): (12, 6 * size, 6 * size)}),
                               ("sessions_of_threads", one)):
            with self.subTest(what=what):
                ended = self.profile(what)
                self.assert_calls(ended, expected)
                self.assertEqual(ended.run["profile"]["endings"], {"finalized": "0-1"})

    def test_calls_of_threads_are_counted(self):
        self.assert_calls(self.profile("threads"), {("Sendrecv", 2, 8): (24000, 96000, 96000)})

    @plain
    def test_data_of_a_thread_is_freed_with_it(self):
        ended = self.profile("many_waits")
        # If the handles of 90 threads were kept, they would take 90 times 800 kB.
        self.assertLess(int(ended.out.splitlines()[0]), 40_000)
        self.assertEqual(self.calls(ended), {("Waitall", 0, 0): (200, 0, 0)})

    def test_children_by_fork_and_exec(self):
        self.assert_calls(self.profile("children", environment=harness.LEAKS), {("Barrier", 2, 0): (2, 0, 0)})

    @unittest.skipUnless(FORTRAN, "there are no Fortran applications")
    @harness.not_quick
    def test_calls_through_fortran_bindings_are_counted(self):
        size = N * INT
        for program in FORTRAN:
            with self.subTest(program=program):
                self.assert_calls(self.profile(program=program), {
                    ("Bcast", 2, 32): (20, 10 * size, 10 * size), ("Barrier", 2, 0): (10, 0, 0),
                    ("Irecv", 2, 32): (6, 0, 6 * size), ("Isend", 2, 32): (6, 6 * size, 0),
                    ("Waitall", 2, 64): (6, 0, 0), ("Allreduce", 2, 64): (2, 2 * size, 2 * size)})

    @unittest.skipUnless(FORTRAN, "there are no Fortran applications")
    @harness.not_quick
    def test_call_sites_are_in_the_application_and_not_in_a_fortran_binding(self):
        for program in FORTRAN:
            with self.subTest(program=program):
                ended = self.profile(program=program, options=["--sites"])
                self.assertEqual(ended.code, 0, ended.err)
                self.assertEqual({p["at"]["site"].rsplit("+", 1)[0] for p in ended.points}, {program})

    @harness.not_quick
    def test_another_preloaded_tool_is_called_as_well(self):
        counts = self.folder / "counts"
        ended = self.profile("steady", 5, preload=[TOOL], environment={"MPIPERF_PMPI_COUNTS": str(counts)})
        self.assertEqual(self.calls(ended), {("Allreduce", 2, 64): (10, 10 * N * INT, 10 * N * INT)})
        ended = self.profile("collectives", preload=[TOOL], environment={"MPIPERF_PMPI_COUNTS": str(counts)})
        self.assert_calls(ended, self.collectives(2))
        for rank in range(2):
            self.assertGreaterEqual(int(pathlib.Path(f"{counts}.{rank}").read_text().split()[0]), 1)


@unittest.skipUnless(INSTRUMENTED, "only a build with sanitizers has these wrappers")
class KnownCallsByHand(KnownCalls):
    """The same calls through wrappers with sanitizers."""
    test_children_by_fork_and_exec = None  # child programs cannot load the wrappers
    test_sessions_one_after_the_other_and_around_the_world = None  # they leave parts

    def profile(self, *words, ranks=2, preload=(), environment=None):
        done = self.by_hand(*words, ranks=ranks, record=self.json, preload=preload, environment=environment)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def test_sessions_alone(self):
        self.assertEqual(self.profile("sessions").code, 0)
        self.assertIn("Bcast", self.measure(self.json).out)

    def test_waiting_and_call_sites_are_recorded(self):
        ended = self.profile("late", 1, environment={"MEASURE_PROFILE_WAITING": "1", "MEASURE_PROFILE_SITES": "1"})
        self.assertEqual(ended.code, 0, ended.err)
        points = [p for p in ended.points if p["benchmark"] == "Allreduce"]
        self.assertEqual(sum(p["derived"]["calls"] for p in points), 100)
        for point in points:
            self.assertGreater(point["derived"]["waiting"]["sum"], 0)
            self.assertTrue(point["at"]["site"].startswith(APPLICATION + "+0x"), point["at"])

    def test_a_run_that_ends_before_finalize_says_so(self):
        self.assertNotEqual(self.profile("kill", 15).code, 0)
        self.assertIn("without MPI_Finalize", self.measure(self.json).out)


class Times(ProfileTest):
    def test_times_agree_with_the_clock_of_the_application(self):
        ended = self.profile("own_times")
        own = float(ended.out.splitlines()[0])
        point = next(p for p in ended.points if p["benchmark"] == "Allreduce")
        total = point["derived"]["total"]
        mine = total["max"] if total["max_rank"] == 0 else total["min"]
        # 20 times 3 ms of waiting. The application's time also contains the wrapper and two clock readings. The
        # scheduler may suspend the process between them, so this bound is far above 60 ns per call.
        self.assertGreater(own, 0.05)
        self.assertLessEqual(mine, own)
        self.assertGreater(mine, 0.8 * own)
        # If no other program takes the cores, they differ by microseconds, mostly in the first call.
        if os.environ.get("QUIET_MACHINE"):
            self.assertLess(own - mine, 20 * 5e-6)
        self.assertEqual(sum(point["derived"]["histogram"]), 40)
        estimate = point["estimate"]
        self.assertLessEqual(estimate["min"], estimate["median"])
        self.assertLessEqual(estimate["median"], estimate["max"])
        self.assertAlmostEqual(estimate["mean"], total["sum"] / 40)
        self.assertGreater(estimate["standard_error"], 0)
        self.assertEqual(point["stop_reason"], "application_end")

    @harness.not_quick
    def test_the_time_stamp_counter_can_be_used(self):
        ended = self.profile("steady", 10, options=["--timer", "tsc"])
        if any("tsc" in line for line in ended.err):
            self.skipTest(ended.err[0])
        self.assertEqual(ended.run["timer"]["name"], "tsc")
        total = ended.run["profile"]["in_mpi"]
        self.assertGreater(total["min"], 0)
        self.assertLessEqual(total["max"], ended.run["profile"]["time"]["max"] * 1.01)

    def test_counts_only_records_no_times(self):
        ended = self.profile("steady", 10, options=["--counts-only"])
        self.assert_valid(ended)
        point, = ended.points
        self.assertEqual((point["quantity"], point["value"], point["estimate"]), ("count", 20, None))
        self.assertIn("counted only", ended.out)

    @harness.not_quick
    def test_waiting_is_separated_from_the_operation(self):
        ended = self.profile("late", 1, options=["--waiting"])
        point = next(p for p in ended.points if p["benchmark"] == "Sendrecv")
        self.assertNotIn("waiting", point["derived"])
        point = next(p for p in ended.points if p["benchmark"] == "Allreduce")
        self.assertEqual(point["derived"]["calls"], 100)
        self.assertGreater(point["derived"]["waiting"]["sum"], 0)
        self.assertIn("a barrier preceded each blocking collective, which changed the run",
                      " ".join(ended.out.replace("#", " ").split()))

    @slow
    @plain
    def test_surplus_call_sites_are_counted_as_other(self):
        ended = self.profile("places", options=["--sites", "--counts-only"], ranks=1)
        self.assert_valid(ended)
        self.assertEqual(len(ended.points), 4096 + 1)
        other = next(p for p in ended.points if p["benchmark"] == "other")
        self.assertEqual(other["derived"]["calls"], 10000 - 4096)
        self.assertEqual(ended.run["profile"]["calls"], 10000)
        self.assertIn("had more different keys", ended.run["warnings"][0])
        site = next(p for p in ended.points if p["benchmark"] == "Test")["at"]["site"]
        self.assertTrue(site.startswith(APPLICATION + "+0x"), site)


class BadEnds(ProfileTest):
    def ending(self, *words, code):
        before = set(pathlib.Path("/dev/shm").glob("measure-profile.*"))
        ended = self.profile(*words, environment=harness.LEAKS)
        self.assertIn(ended.code, code)
        self.assert_valid(ended)
        self.assertEqual(ended.run["ranks"], 2)
        self.assertEqual(ended.run["profile"]["missing"], "")
        self.assertIn("without MPI_Finalize", " ".join(ended.run["warnings"]))
        self.assertIn("without MPI_Finalize", ended.out)
        self.assertEqual([each for each in self.folder.iterdir() if each != self.json], [])
        self.assertEqual(set(pathlib.Path("/dev/shm").glob("measure-profile.*")) - before, set())
        return ended

    @harness.not_quick
    def test_an_aborted_run_leaves_a_record(self):
        ended = self.ending("abort", code=(7,))
        self.assertEqual(ended.run["profile"]["endings"]["aborted"], "0")
        self.assertEqual(self.calls(ended), {("Barrier", 2, 0): (2, 0, 0)})
        self.assertEqual(ended.end["status"], "failed")

    @unittest.skipIf(OPEN_MPI, "its launcher treats an exit without MPI_Finalize as a failure")
    @harness.not_quick
    def test_an_exit_without_finalize_leaves_a_record(self):
        # The launcher may kill the other rank, and then fails.
        ended = self.ending("exit", code=(0, 1, 9))
        self.assertIn("exited", ended.run["profile"]["endings"])
        self.assertLessEqual(set(ended.run["profile"]["endings"]), {"exited", "killed"})
        self.assertEqual(self.calls(ended), {("Barrier", 2, 0): (2, 0, 0)})

    @unittest.skipIf(OPEN_MPI, "its launcher treats an exit without MPI_Finalize as a failure")
    @harness.not_quick
    def test_an_exit_without_destructors_leaves_a_record(self):
        ended = self.ending("_exit", code=(0, 1, 9))
        self.assertEqual(ended.run["profile"]["endings"], {"killed": "0-1"})
        self.assertEqual(self.calls(ended), {("Barrier", 2, 0): (2, 0, 0)})
        self.assertIsNone(ended.run["profile"]["time"])

    @harness.not_quick
    def test_a_rank_ended_by_sigterm_is_recorded(self):
        ended = self.ending("kill", 15, code=range(1, 256))
        self.assertIn("1", ended.run["profile"]["endings"]["signalled"])

    @harness.not_quick
    def test_a_rank_ended_by_sigkill_is_recorded(self):
        ended = self.ending("kill", 9, code=range(1, 256))
        self.assertIn("1", ended.run["profile"]["endings"]["killed"])

    @slow
    def test_sigterm_to_the_command_leaves_a_record(self):
        libraries = ":".join(filter(None, [self.yield_helper]))
        command = [MEASURE, "profile", "--json", str(self.json), "--", self.launcher, "-n", "2", "env",
                   "LD_PRELOAD=" + libraries, APPLICATION, "stay"]
        old = set(pathlib.Path("/dev/shm").glob("measure-profile.*"))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder)
        self.addCleanup(process.kill)
        barriers = lambda: [part for part in pathlib.Path("/dev/shm").glob("measure-profile.*/1.*.part")
                            if part.parent not in old]
        self.wait_for(barriers, "no rank has begun")
        time.sleep(1)
        process.terminate()
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143)
        self.assert_valid_file(self.json)
        run = json.loads(self.json.read_text().splitlines()[0])
        self.assertEqual(run["profile"]["recorded"], "0-1")

    def test_a_failing_mpi_init_records_nothing(self):
        # The application handles the failure and exits with 3.
        for program in (APPLICATION, *FORTRAN):
            with self.subTest(program=program):
                ended = self.profile("steady", 1, ranks=1, program=program, preload=[NO_INIT])
                self.assertEqual(ended.code, 3, ended.err)
                self.assertIn("the command ended with exit code 3, and nothing was recorded", "".join(ended.err))

    def test_a_command_without_mpi_records_nothing(self):
        self.json.write_text("")
        ended = self.profile(command=["true"])
        self.assertEqual(ended.code, 1)
        self.assertEqual(len(ended.errors()), 1)
        self.assertIn("nothing was recorded", ended.err[0])

    def test_the_exit_code_is_that_of_the_command(self):
        for code in (1, 2, 3, 77):
            ended = self.profile(command=["sh", "-c", f"exit {code}"])
            self.assertEqual(ended.code, code)
            self.assertEqual(len(ended.err), 1, ended.err)
            self.assertIn(f"the command ended with exit code {code}, and nothing was recorded", ended.err[0])

    def test_a_signal_for_a_file_limit_ends_the_command_as_usual(self):
        ended = self.profile(command=["sh", "-c", "ulimit -c 0; kill -s XFSZ $$; exit 5"])
        self.assertEqual(ended.code, 128 + signal.SIGXFSZ, ended.err)

    def test_input_and_output_belong_to_the_command(self):
        done = subprocess.run([MEASURE, "profile", "--", "sh", "-c", "cat; exit 5"], input="hear me\n", text=True,
                              capture_output=True, timeout=LIMIT, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stdout), (5, "hear me\n"))


class ByHand(ProfileTest):
    def test_records_are_appended(self):
        for _ in range(2):
            self.assertEqual(self.by_hand("steady", 3).returncode, 0)
        record = self.folder / "hand.jsonl"
        self.assert_valid_file(record)
        self.assertEqual([json.loads(line)["record"] for line in record.read_text().splitlines()],
                         ["run", "point", "end"] * 2)
        self.assertEqual(self.measure(record).out.count("Profile of"), 2)

    def test_a_call_site_is_shown_as_a_source_line(self):
        self.assertEqual(self.profile("steady", 3, options=["--sites"]).code, 0)
        stand_in = self.folder / "addr2line"
        stand_in.write_text("#!/bin/sh\necho 'exchange at halo.c:42 (discriminator 3)'\n")
        stand_in.chmod(0o755)
        ended = self.measure(self.json, environment={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertRegex(ended.out, r"(?m)^Allreduce .* halo\.c:42 exchange$")

    def test_the_record_contains_ranks_and_the_spread_of_times(self):
        ended = self.profile("steady", 3)
        self.assertNotIn("version", ended.run)  # the version of the application is unknown
        run, point, end = ended.records
        self.assertEqual([sorted(rank) for rank in run["profile"]["by_rank"]], [["calls", "in_mpi", "rank", "time"]] * 2)
        run["profile"]["by_rank"] = [{"rank": 0, "calls": 3, "time": 2.0, "in_mpi": 0.5, "waiting": 0.25},
                                     {"rank": 1, "calls": 3, "time": 4.0, "in_mpi": 3.0, "waiting": 1.0}]
        point["value"] = 2e-3
        point["estimate"] |= {"mean": 2e-3, "median": 1.5e-3, "interval": [-1e-3, 5e-3]}
        point["derived"]["means"] = {"min": 1e-3, "min_rank": 0, "max": 3e-3, "max_rank": 1}
        record = self.folder / "known.jsonl"
        record.write_text("".join(json.dumps(line) + "\n" for line in (run, point, end)))
        self.assert_valid_file(record)
        page = self.folder / "page.html"
        shown = self.measure("-o", page, record)
        rows = [line.split() for line in shown.out.splitlines()]
        self.assertIn("0 2.00s 500ms 25.0 % 250ms".split(), rows)
        self.assertIn("1 4.00s 3.00s 75.0 % 1.00s".split(), rows)
        heading = next(row for row in rows if row[:1] == ["call"])
        self.assertEqual(heading[4:11], ["share", "mean", "median", "min", "mean", "max", "mean"])
        row = next(row for row in rows if row[:1] == ["Allreduce"])
        self.assertEqual(row[7:11], ["2.00ms", "1.50ms", "1.00ms", "3.00ms"], row)
        text = page.read_text()
        self.assertIn("Time of each rank", text)
        self.assertIn("<svg", text)
        table = subprocess.run([MEASURE, str(record)], capture_output=True, text=True, timeout=LIMIT, check=True).stdout
        self.assertIn(f"{record}: {pathlib.Path(APPLICATION).name},", table)
        self.assertNotIn("-1.000", table)

    def test_a_report_works_without_a_folder_for_temporary_files(self):
        self.assertEqual(self.profile("steady", 3, options=["--sites"]).code, 0)
        ended = self.measure(self.json, environment={"TMPDIR": "/nonexistent"})
        self.assertEqual((ended.code, ended.out.count("Profile of")), (0, 1), ended.err)

    @unittest.skipIf(OPEN_MPI, "its launcher treats an exit without MPI_Finalize as a failure")
    @harness.not_quick
    def test_parts_next_to_the_record_are_joined(self):
        # One in a hundred of these launches exits with 1, with or without the library: the launcher treats the exit of
        # the first rank as a failure. A fault of the library would show in all of them.
        for _ in range(5):
            for part in self.folder.glob("hand.jsonl.*.part"):
                part.unlink()
            code = self.by_hand("exit", environment=harness.LEAKS).returncode
            if code == 0:
                break
        self.assertEqual(code, 0)
        # The launcher may kill the other rank.
        first, *second = sorted(self.folder.glob("hand.jsonl.*.part"))
        ended = self.measure("hand.jsonl")
        self.assertEqual(ended.code, 0 if second else 4, ended.err)
        self.assertRegex(ended.out, r"MPI calls on (ranks 0-1|rank [01]) of 2;")
        for part in second:
            part.unlink()
        ended = self.measure("hand.jsonl")
        self.assertEqual(ended.code, 4)
        self.assertIn(f"no data from rank {1 - int(first.name.split('.')[2])}", ended.out)

    @harness.not_quick
    def test_an_application_may_change_its_working_directory(self):
        self.assertEqual(self.by_hand("chdir").returncode, 0)
        self.assert_valid_file(self.folder / "hand.jsonl")

    def test_an_unwritable_record_is_reported(self):
        for record, why in (("/nonexistent/x.jsonl", "No such file"), ("/dev/full", "No space left")):
            with self.subTest(record=record):
                done = self.by_hand("steady", 3, record=record)
                self.assertEqual(done.returncode, 0)
                lines = [line for line in done.stderr.splitlines() if "measure profile" in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(why, lines[0])

    def test_parts_that_the_library_could_not_write_are_joined_by_the_command(self):
        ended = self.profile(command=[self.launcher, "-n", "2", "sh", "-c",
                                      f"MEASURE_PROFILE=/nonexistent/x.jsonl exec '{APPLICATION}' steady 3"])
        self.assert_calls(ended, {("Allreduce", 2, 64): (6, 6 * N * INT, 6 * N * INT)})
        self.assertEqual(sum("No such file" in line for line in ended.err), 1, ended.err)

    @harness.not_quick
    def test_a_file_size_limit_does_not_harm_the_application(self):
        # A table has 118 MB, most of which is never touched.
        limit = "ulimit -f 131072; exec "
        ended = self.profile(command=[self.launcher, "-n", "2", "sh", "-c", f"{limit} '{APPLICATION}' steady 3"])
        self.assert_calls(ended, {("Allreduce", 2, 64): (6, 6 * N * INT, 6 * N * INT)})
        libraries = ":".join(filter(None, [LIBRARY, self.yield_helper]))
        done = subprocess.run([self.launcher, "-n", "1", "sh", "-c", limit +
                               f"env LD_PRELOAD={libraries} MEASURE_PROFILE=hand.jsonl '{APPLICATION}' exit"],
                              stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=LIMIT, cwd=self.folder,
                              env=os.environ | harness.LEAKS, check=False)
        self.assertEqual(done.stderr.count("measure profile: "), 1, done.stderr)
        self.assertIn("cannot be written", done.stderr)

    def test_an_unknown_timer_is_reported_once(self):
        done = self.by_hand("steady", 3, environment={"MEASURE_PROFILE_TIMER": "cat"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("MEASURE_PROFILE_TIMER = 'cat'"), 1)

    def test_a_process_without_mpi_is_not_affected(self):
        done = subprocess.run(["env", "LD_PRELOAD=" + LIBRARY, "MEASURE_PROFILE=x.jsonl", "sh", "-c", "true; echo hello"],
                              capture_output=True, text=True, cwd=self.folder, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "hello\n", ""))
        self.assertEqual(list(self.folder.iterdir()), [])


class Unlike(ProfileTest):
    """Ranks with different settings or different libraries."""

    def started(self, *variables):
        """Returns a command with one rank for each element of `variables`, with these variables."""
        command = []
        for rank, words in enumerate(variables):
            words = list(words)
            libraries = [word.removeprefix("LD_PRELOAD=") for word in words if word.startswith("LD_PRELOAD=")]
            words = [word for word in words if not word.startswith("LD_PRELOAD=")]
            preload = ":".join(filter(None, [*libraries, self.yield_helper]))
            command += ([":"] if rank else [self.launcher]) + ["-n", "1", "env", *words, "LD_PRELOAD=" + preload,
                                                               APPLICATION, "steady", "3"]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.folder)

    def ended(self, *variables):
        """\\return the messages of the library"""
        process = self.started(*variables)
        self.addCleanup(process.kill)
        _, err = process.communicate(timeout=LIMIT)
        self.skip_where_launcher_crashed(process.returncode)
        self.assertEqual(process.returncode, 0, err)
        return [line for line in err.splitlines() if "measure profile" in line]

    def parts(self):
        return [part.name.split(".")[2] for part in sorted(self.folder.glob("hand.jsonl.*.part"))]

    def test_a_rank_without_the_setting_gives_one_part_per_rank(self):
        library = "LD_PRELOAD=" + LIBRARY
        said = self.ended([library, "MEASURE_PROFILE=hand.jsonl", "MEASURE_PROFILE_WAITING=1"], [library])
        self.assertEqual(len(said), 1, said)
        self.assertIn("rank 1: there is no common record, only one part per rank: MEASURE_PROFILE is not set", said[0])
        self.assertEqual(self.parts(), ["0"])
        shown = self.measure("hand.jsonl")
        self.assertEqual(shown.code, 4)
        self.assertIn("no data from rank 1", shown.out)
        self.assertNotIn("without MPI_Finalize", shown.out)

    def test_without_the_setting_on_any_rank_nothing_is_recorded(self):
        library = "LD_PRELOAD=" + LIBRARY
        self.assertEqual(self.ended([library], [library]), [])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_settings_of_rank_0_apply_to_all_ranks(self):
        words = ["LD_PRELOAD=" + LIBRARY, "MEASURE_PROFILE=hand.jsonl"]
        self.assertEqual(self.ended([*words, "MEASURE_PROFILE_WAITING=1"],
                                    [*words, "MEASURE_PROFILE_TIMER=cat", "MEASURE_PROFILE_COUNTS_ONLY=1"]), [])
        self.assert_valid_file(self.folder / "hand.jsonl")
        run, point, _ = (json.loads(line) for line in (self.folder / "hand.jsonl").read_text().splitlines())
        self.assertEqual([run["options"][name] for name in ("counts_only", "waiting")], [False, True])
        self.assertEqual(point["derived"]["calls"], 6)
        self.assertGreater(point["derived"]["waiting"]["sum"], 0)

    def test_ranks_with_different_copies_of_the_library(self):
        (self.folder / "alone").mkdir()
        alone = shutil.copy(LIBRARY, self.folder / "alone")
        record = "MEASURE_PROFILE=hand.jsonl"
        for libraries in ((LIBRARY, alone), (alone, LIBRARY), (alone, alone)):
            with self.subTest(libraries=libraries):
                said = self.ended(*(["LD_PRELOAD=" + str(library), record] for library in libraries))
                self.assertEqual(len(said), 1, said)
                rank = libraries.index(alone)
                self.assertIn(f"rank {rank}: there is no common record, only one part per rank: ", said[0])
                self.assertIn("libmeasure_profile_recorder.so", said[0])
                self.assertEqual(self.parts(), ["0", "1"])
                shown = self.measure("hand.jsonl")
                self.assertEqual(shown.code, 0, shown.err)
                self.assertNotIn("without MPI_Finalize", shown.out)
                self.assertIn("6 MPI calls on ranks 0-1 of 2", shown.out)
                for part in self.folder.glob("hand.jsonl.*.part"):
                    part.unlink()

    @slow
    @plain
    def test_a_rank_without_the_library_is_reported(self):
        has = [f"LD_PRELOAD={LIBRARY}", "MEASURE_PROFILE=hand.jsonl"]
        for ranks in ((has, []), ([], has, has)):
            with self.subTest(ranks=ranks):
                process = self.started(*ranks)
                self.addCleanup(process.kill)
                line = next((line for line in process.stderr if "measure profile" in line), "")
                if not line:
                    self.skip_where_launcher_crashed(process.wait(LIMIT))
                time.sleep(1)  # the other waiting rank prints nothing
                self.assertIsNone(process.poll())
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=LIMIT)
                # Usually the lowest rank reports it; if ranks arrive at different times, it may be another one.
                waiting = "|".join(str(rank) for rank, words in enumerate(ranks) if words)
                self.assertRegex(line, f"rank ({waiting}) has waited 10 s for other ranks in MPI_Init")
                self.assertIn("-x LD_PRELOAD", line)
                self.assertNotIn("measure profile", err)


class Against(ProfileTest):
    def setUp(self):
        super().setUp()
        self.ended = self.profile("late", 1)
        self.points = {p["benchmark"]: p for p in self.ended.points}

    def against(self, times, name="measured.jsonl", **run):
        """Writes a record of mpiperf with these times, for the message sizes of the application."""
        record = self.folder / name
        size = {"Allreduce": N * INT, "Sendrecv": 100 * INT}
        head = {key: self.ended.run[key] for key in self.ended.run if key not in ("profile", "mpi_settings")}
        lines = [head | {"suite": "mpiperf", "program": "mpiperf", "warnings": []} | run]
        for operation, value in times.items():
            estimate = {"mean": value, "standard_error": value / 100, "confidence": 0.95,
                        "interval": [0.9 * value, 1.1 * value], "median": value, "median_interval": None, "min": value,
                        "max": value}
            lines.append({"record": "point", "benchmark": operation, "at": {"ranks": 2, "bytes": size[operation]},
                          "quantity": "time", "unit": "s", "value": value, "status": "converged", "stop_reason": "count",
                          "estimate": estimate, "attempts": 32, "valid": 32, "kept": 32, "invalid": {}, "flags": [],
                          "elapsed": 1})
        lines.append({"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1, "clock_sync_residual": None})
        record.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.assert_valid_file(record)
        return record

    def words(self, ended):
        """Returns the text without its line ends."""
        return " ".join(ended.out.replace("#", " ").split())

    def row(self, ended, call):
        return next(line for line in ended.out.splitlines() if line.startswith(call))

    @harness.not_quick
    def test_times_as_measured_have_no_finding(self):
        times = {call: point["value"] for call, point in self.points.items()}
        ended = self.measure("--against", self.against(times), self.json)
        self.assertEqual(ended.code, 0, ended.err)
        for call in times:
            self.assertRegex(self.row(ended, call), r" 1 +as measured$")
        self.assertIn("as measured here: 2 keys", ended.out)
        self.assertTrue(all(len(line) <= 80 for line in ended.out.splitlines()), ended.out)

    @harness.not_quick
    def test_times_above_the_measured_ones_are_findings(self):
        # All ranks take 1.5 times the measured time.
        times = {call: point["value"] / 1.5 for call, point in self.points.items()}
        for line in self.ended.records:
            if line["record"] == "point":
                value = line["value"]
                line["estimate"]["median"] = value
                line["derived"]["medians"] = {"min": value, "min_rank": 0, "max": value, "max_rank": 1}
        self.json.write_text("".join(json.dumps(line) + "\n" for line in self.ended.records))
        ended = self.measure("--against", self.against(times), self.json)
        self.assertRegex(self.row(ended, "Allreduce"), r" 1\.5 +slower$")
        self.assertIn("slower than measured here: 2 keys", ended.out)
        self.assertRegex(self.words(ended), r"possible gain: \S+s, sum over ranks")

    @harness.not_quick
    def test_the_late_rank_is_named(self):
        point = self.points["Sendrecv"]
        # It is late 50 times by 5 ms. The other rank waits for it in the next call, provided that it has a core.
        total, medians = point["derived"]["total"], point["derived"]["medians"]
        self.assertGreater(total["max"], 0.05)
        # If at least 32 of the 100 calls took 2.1 ms (class 31 and above) and at most 5 of these are of one rank, they
        # include more than half of the 50 calls of the other rank, and thus its median.
        if sum(point["derived"]["histogram"][31:]) >= 32 and total["min"] < 6 * 2.1e-3:
            self.assertLess(1.3 * medians["min"], medians["max"])
            self.assertEqual(medians["min_rank"], total["min_rank"])
        if min(point["value"], point["estimate"]["median"]) < 1.3 * medians["min"]:
            self.skipTest("the machine has kept the other rank from running as long")
        self.assertEqual(medians["min_rank"], 1)
        ended = self.measure("--against", self.against({"Sendrecv": medians["min"]}), self.json)
        self.assertRegex(self.row(ended, "Sendrecv"), " waiting for 1$")
        self.assertIn("where rank 1 comes last", self.words(ended))
        self.assertIn("which cover 1 of 2 keys", ended.out)

    @harness.not_quick
    def test_records_of_another_machine_are_refused(self):
        host = dict(self.ended.run["hosts"][0])
        record = self.against({"Allreduce": 1e-6}, hosts=[host | {"cpu": "An Abacus"}])
        ended = self.measure("--against", record, self.json)
        self.assertEqual(ended.code, 2)
        self.assertEqual(len(ended.err), 1)
        self.assertIn("An Abacus", ended.err[0])
        self.assertEqual(self.measure("--mixed", "--against", record, self.json).code, 0)
        record = self.against({"Allreduce": 1e-6}, mpi={"library": "MPI by Post 1.0", "standard": "4.0"})
        self.assertEqual(self.measure("--against", record, self.json).code, 2)

    @harness.not_quick
    def test_a_page_can_compare_with_several_records(self):
        records = [self.against({"Allreduce": 1e-6}, name="a.jsonl"), self.against({"Sendrecv": 1e-6}, name="b.jsonl")]
        page = self.folder / "page.html"
        ended = self.measure("-o", page, "--against", *records, self.json)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("which cover 2 of 2 keys", ended.out)
        self.assertIn("Time by size class", page.read_text())


class Slowed(ProfileTest):
    @slow
    @plain
    def test_a_call_slowed_by_a_preloaded_library_is_slower_than_measured(self):
        record = self.folder / "measured.jsonl"
        process = self.launch(MPIPERF, "-z", "barrier", "Bcast:1048576", "--json", record, record=False)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, (out, err))
        # Five times the time is far more than other programs can cause in either measurement.
        ended = self.profile("broadcasts", 60, preload=[SLOW_BCAST], environment={"SLOW_BCAST": "4"})
        self.assertEqual(ended.code, 0, ended.err)
        ended = self.measure("--against", record, self.json)
        self.assertEqual(ended.code, 0, ended.err)
        row = next(line for line in ended.out.splitlines() if line.startswith("Bcast"))
        self.assertRegex(row, r" +slower$")
        self.assertRegex(ended.out, r"slower than measured here: 1 key\b")


class WrongUse(ProfileTest):
    def test_wrong_files_and_programs_are_refused(self):
        (self.folder / "else.jsonl").write_text("{}\n")
        for words, why in (
                (["--", "no-such-launcher"], "is not an executable program"),
                (["--json", "/nonexistent/x", "--", "true"], "--json"), (["-o", "/nonexistent/x", "--", "true"], "-o"),
                (["--json", "one.jsonl", "-o", "one.jsonl", "--", "true"], "one.jsonl"),
                (["--against", "/nonexistent/x.jsonl", "--", "true"], "/nonexistent/x.jsonl"),
                (["else.jsonl", "--against", "x.jsonl"], "'else.jsonl' is a record; put options before it"),
                (["else.jsonl"], "else.jsonl"), (["missing.jsonl"], "missing.jsonl")):
            with self.subTest(words=words):
                ended = self.measure(*words)
                self.assertEqual(ended.code, 2, ended.err)
                self.assertEqual(len(ended.err), 1, ended.err)
                self.assertTrue(ended.err[0].startswith("measure profile: "), ended.err)
                self.assertIn(why, ended.err[0])

    def test_a_record_of_a_benchmark_is_not_a_profile(self):
        ended = self.profile("steady", 3)
        text = self.json.read_text().replace('"suite":"profile"', '"suite":"mpiperf"')
        (self.folder / "suite.jsonl").write_text(text)
        self.assertEqual(ended.code, 0)
        ended = self.measure("suite.jsonl")
        self.assertEqual((ended.code, len(ended.err)), (2, 1))

    def test_a_refused_run_keeps_the_existing_record(self):
        self.json.write_text("what was here\n")
        ended = subprocess.run([MEASURE, "profile", "--json", str(self.json), "--", "no-such-launcher"],
                               capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(self.json.read_text(), "what was here\n")


if __name__ == "__main__":
    harness.main(OPTIONS)
