#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: what is measured beside MPI.

usage: mpiperf_controls_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import os
import sys
import unittest

import harness
from mpiperf_harness import Mpiperf

CONTROLS = ["Memcpy", "Cacheline", "Fixed_work"]
# One run of each: what is looked at is not the time.
ONCE = ("-z", "barrier", "-E", 1, "-r", 1, "-R", 1, "--stage-runs", 1, "--warmup-runs", 1, "--settle", "off")


def one_core():
    return {min(os.sched_getaffinity(0))}


class MpiperfControlsTest(Mpiperf):
    def test_they_are_listed_as_what_they_are(self):
        ended = self.run_it("-q", ranks=0, record=False)
        texts = {row[0]: " ".join(row[1:]) for row in ended.rows}
        for name in CONTROLS:
            self.assertTrue(texts[name].startswith("control without MPI: "), texts[name])
        self.assertEqual([name for name, text in texts.items() if text.startswith("control")], CONTROLS)

    @harness.slow
    def test_they_run_on_2_and_3_processes(self):
        for ranks in (2, 3):
            ended = self.measure("-z", "barrier", "-E", 2, "Memcpy:0,64K", "Cacheline:1", "Fixed_work:1", ranks=ranks)
            self.assertEqual([(p["benchmark"], p["at"]) for p in ended.points],
                             [("Memcpy", {"ranks": ranks, "count": 0, "bytes": 0}),
                              ("Memcpy", {"ranks": ranks, "count": 65536, "bytes": 65536}),
                              ("Cacheline", {"ranks": 2, "count": 1, "bytes": 0}),
                              ("Fixed_work", {"ranks": ranks, "count": 1, "bytes": 0})])
            self.assertEqual([p["iterations_per_sample"] for p in ended.points], [1, 1, 64, 1])
            self.assertTrue(all(p["invalid"].get("failed", 0) == 0 for p in ended.points))

    def test_they_have_no_semantics_of_mpi(self):
        for point in self.measure(*ONCE, "-X", 1, *CONTROLS).points:
            self.assertNotIn("semantics", point)

    def test_one_process_copies_and_computes(self):
        ended = self.measure(*ONCE, "-X", 1, "Memcpy", "Fixed_work", ranks=1)
        self.assertEqual([p["benchmark"] for p in ended.points], ["Memcpy", "Fixed_work"])

    @harness.not_quick
    def test_a_cache_line_is_half_of_there_and_back_on_rank_0(self):
        point, = self.measure("-z", "barrier", "--raw", "-a", "Cacheline:1").points
        self.assertEqual(point["derived"]["time_of"], "root")
        times = [s["time"] for s in point["samples"] if s["invalid"] is None]
        self.assertAlmostEqual(point["value"] / (sum(times) / len(times) / 2), 1)

    @harness.not_quick
    def test_more_processes_than_cores(self):
        ended = self.measure("-z", "barrier", "-E", 2, "--settle", "off", "Memcpy:64", "Cacheline:1", "Fixed_work:1",
                             ranks=3, cores=one_core())
        self.assertEqual([p["benchmark"] for p in ended.points], CONTROLS)
        self.assertTrue(ended.run["oversubscribed"])

    @unittest.skipIf(harness.OPEN_MPI, "MPICH can be told that each process has a host of its own")
    def test_on_different_hosts_there_is_no_common_cache_line(self):
        ended = self.run_it(*ONCE, "Cacheline:1", "Memcpy:8", environment={"MPIR_CVAR_NOLOCAL": "1"})
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual([(p["benchmark"], p["status"]) for p in ended.points],
                         [("Cacheline", "skipped"), ("Memcpy", "converged")])
        self.assertEqual(ended.points[0]["message"], "the processes are on different hosts and share no memory")

    @harness.not_quick
    def test_copies_are_checked(self):
        ended = self.measure("-z", "barrier", "-d", "--max-mem", "1M", "--verify", "Memcpy:0,1,1000", "Fixed_work:1")
        self.assertGreater(ended.points[2]["derived"]["footprint"]["blocks"], 1)
        self.assertFalse([line for line in ended.err if "not checked" in line], ended.err)
        ended = self.run_it(*ONCE, "--verify", "Memcpy:8,1000", environment={"MEASURE_TEST_CORRUPT": "1:1000"})
        self.assertEqual(ended.code, 3, ended.err)
        self.assertEqual([p["status"] == "crashed" for p in ended.points], [False, True])
        self.assertIn("mpiperf: error: Memcpy ", "\n".join(ended.err))

    @harness.slow
    def test_memory_and_files_are_passed_through(self):
        folder = self.folder / "scratch"
        folder.mkdir()
        tests = ["Mem_read", "Mem_write", "Mem_copy", "File_write", "File_read"]
        for ranks in (1, 2):
            ended = self.measure(*ONCE, "--scratch", folder, *(name + ":0,100,64K" for name in tests), ranks=ranks)
            self.assertEqual([(p["benchmark"], p["at"]["bytes"]) for p in ended.points],
                             [(name, size) for name in tests for size in (0, 100, 65536)])
            for point in ended.points:
                self.assertNotIn("semantics", point)
                self.assertEqual(point["invalid"].get("failed", 0), 0)
                self.assertAlmostEqual(point["derived"]["bandwidth"] * point["value"] / ranks, point["at"]["bytes"])
            self.assertEqual(list(folder.iterdir()), [])

    def test_files_that_are_read_from_memory_say_so(self):
        ended = self.measure(*ONCE, "--scratch", self.folder, "File_write:64K", "File_read:0,64K")
        self.assertEqual(["page_cache" in p["flags"] for p in ended.points], [False, False, True])

    def test_files_past_the_page_cache_move_whole_blocks(self):
        for name in ("File_write_direct", "File_read_direct"):
            ended = self.run_it(*ONCE, "--scratch", self.folder, f"{name}:100,64K")
            self.assertEqual(ended.code, 4, ended.err)
            odd, whole = sorted(ended.points, key=lambda point: point["at"]["bytes"])
            self.assertEqual((odd["status"], odd["message"]), ("skipped", "O_DIRECT moves whole blocks of 4096 bytes"))
            if whole["status"] == "skipped":
                self.assertEqual(whole["message"], f"the file system of '{self.folder}' refuses O_DIRECT")
                continue
            self.assertGreater(whole["derived"]["bandwidth"], 0)
            if name == "File_write_direct":
                self.assertNotIn("page_cache", whole["flags"])
        self.assertEqual([path for path in self.folder.iterdir() if "scratch" in path.name], [])

    def test_loops_over_memory_name_their_instruction_set(self):
        ended = self.measure(*ONCE, "Mem_read:8,99", "Mem_triad:0,3", "Mem_copy:8", ranks=1)
        kernels = [p["derived"].get("kernel") for p in ended.points]
        self.assertIn(kernels[0], ("baseline", "avx2", "avx512"))
        self.assertEqual(kernels, [kernels[0]] * 4 + [None])
        self.assertEqual([p["at"]["bytes"] for p in ended.points if p["benchmark"] == "Mem_triad"], [0, 72])
        listed = self.run_it("-q", ranks=0, record=False).out
        for name in ("Mem_read", "Mem_triad"):
            self.assertRegex(listed, rf"(?m)^\s*{name}\b.* in vectors of {kernels[0]}$")

    @harness.slow
    def test_a_cache_delivers_more_than_memory(self):
        # The last cache of a host may be larger than 256 MiB, so no factor is known.
        ended = self.measure("-z", "barrier", "Mem_read:16K,256M", ranks=1)
        near, far = (p["derived"]["bandwidth"] for p in ended.points)
        self.assertGreater(near, far)

    @harness.not_quick
    def test_a_file_that_cannot_be_made_is_no_crash(self):
        self.assert_usage("--scratch", self.folder / "none", "File_write:8", names=["--scratch", "none' is no folder"])
        if os.geteuid() != 0:
            self.assert_usage("--scratch", "/proc", "File_write:8", names=["--scratch: '/proc': Permission denied"])
            return
        ended = self.run_it(*ONCE, "--scratch", "/proc", "File_write:8", "Mem_read:8")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual([p["status"] == "skipped" for p in ended.points], [True, False])
        # The number of a process alone is also that of one on another host.
        self.assertRegex(ended.points[0]["message"],
                         r"^the file '/proc/mpiperf\.\d+\.[0-9a-f]{8}\.scratch' cannot be opened$")

    @harness.slow
    def test_in_random_order_and_refined(self):
        ended = self.measure("-z", "barrier", "--shuffle", "Memcpy:8,64,512", "Cacheline:1,2")
        self.assertEqual(sorted(p["at"]["count"] for p in ended.points), [1, 2, 8, 64, 512])
        ended = self.measure("-z", "barrier", "--refine", 0.3, "Memcpy:8,64K")
        self.assertEqual([p["at"]["count"] for p in ended.points][:2], [8, 65536])


if __name__ == "__main__":
    harness.main(sys.argv[5:])
