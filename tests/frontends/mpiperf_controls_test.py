#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: controls, which measure without MPI.

usage: mpiperf_controls_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import os
import sys
import unittest

import harness
from mpiperf_harness import Mpiperf

CONTROLS = ["Memcpy", "Cacheline", "Fixed_work"]
# One run of each: these tests do not examine times.
ONCE = ("-z", "barrier", "-E", 1, "-r", 1, "-R", 1, "--stage-runs", 1, "--warmup-runs", 1, "--settle", "off")


def one_core():
    return {min(os.sched_getaffinity(0))}


class MpiperfControlsTest(Mpiperf):
    def test_the_list_marks_controls(self):
        ended = self.run_it("-q", ranks=0, record=False)
        texts = {row[0]: " ".join(row[1:]) for row in ended.rows}
        for name in CONTROLS:
            self.assertTrue(texts[name].startswith("control without MPI: "), texts[name])
        self.assertEqual([name for name, text in texts.items() if text.startswith("control")], CONTROLS)

    @harness.slow
    def test_controls_run_on_2_and_3_processes(self):
        for ranks in (2, 3):
            ended = self.measure("-z", "barrier", "-E", 2, "Memcpy:0,64K", "Cacheline:1", "Fixed_work:1", ranks=ranks)
            self.assertEqual([(p["benchmark"], p["at"]) for p in ended.points],
                             [("Memcpy", {"ranks": ranks, "count": 0, "bytes": 0}),
                              ("Memcpy", {"ranks": ranks, "count": 65536, "bytes": 65536}),
                              ("Cacheline", {"ranks": 2, "count": 1, "bytes": 0}),
                              ("Fixed_work", {"ranks": ranks, "count": 1, "bytes": 0})])
            self.assertEqual([p["iterations_per_sample"] for p in ended.points], [1, 1, 64, 1])
            self.assertTrue(all(p["invalid"].get("failed", 0) == 0 for p in ended.points))

    def test_controls_have_no_mpi_semantics(self):
        for point in self.measure(*ONCE, "-X", 1, *CONTROLS).points:
            self.assertNotIn("semantics", point)

    def test_one_process_can_copy_and_compute(self):
        ended = self.measure(*ONCE, "-X", 1, "Memcpy", "Fixed_work", ranks=1)
        self.assertEqual([p["benchmark"] for p in ended.points], ["Memcpy", "Fixed_work"])

    @harness.not_quick
    def test_a_cache_line_takes_half_of_a_round_trip_on_rank_0(self):
        point, = self.measure("-z", "barrier", "--raw", "-a", "Cacheline:1").points
        self.assertEqual(point["derived"]["time_of"], "root")
        times = [s["time"] for s in point["samples"] if s["invalid"] is None]
        self.assertAlmostEqual(point["value"] / (sum(times) / len(times) / 2), 1)

    @harness.not_quick
    def test_controls_work_with_more_processes_than_cores(self):
        ended = self.measure("-z", "barrier", "-E", 2, "--settle", "off", "Memcpy:64", "Cacheline:1", "Fixed_work:1",
                             ranks=3, cores=one_core())
        self.assertEqual([p["benchmark"] for p in ended.points], CONTROLS)
        self.assertTrue(ended.run["oversubscribed"])

    @unittest.skipIf(harness.OPEN_MPI, "only MPICH can simulate one host per process")
    def test_a_cache_line_on_different_hosts_is_skipped(self):
        ended = self.run_it(*ONCE, "Cacheline:1", "Memcpy:8", environment={"MPIR_CVAR_NOLOCAL": "1"})
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual([(p["benchmark"], p["status"]) for p in ended.points],
                         [("Cacheline", "skipped"), ("Memcpy", "converged")])
        self.assertEqual(ended.points[0]["message"], "the processes are on different hosts and share no memory")

    @harness.not_quick
    def test_copied_data_are_checked(self):
        ended = self.measure("-z", "barrier", "-d", "--max-mem", "1M", "--verify", "Memcpy:0,1,1000", "Fixed_work:1")
        self.assertGreater(ended.points[2]["derived"]["footprint"]["blocks"], 1)
        self.assertFalse([line for line in ended.err if "not checked" in line], ended.err)
        ended = self.run_it(*ONCE, "--verify", "Memcpy:8,1000", environment={"MEASURE_TEST_CORRUPT": "1:1000"})
        self.assertEqual(ended.code, 3, ended.err)
        self.assertEqual([p["status"] == "crashed" for p in ended.points], [False, True])
        self.assertIn("mpiperf: error: Memcpy ", "\n".join(ended.err))

    @harness.slow
    def test_memory_and_file_tests_cover_all_sizes(self):
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

    def test_files_cached_in_memory_are_reported(self):
        ended = self.measure(*ONCE, "--scratch", self.folder, "File_write:64K", "File_read:0,64K")
        self.assertEqual(["page_cache" in p["flags"] for p in ended.points], [False, False, True])

    def test_direct_access_to_files_moves_whole_blocks_only(self):
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

    def test_memory_loops_name_their_instruction_set(self):
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
        # The last-level cache of a host may be larger than 256 MiB, so no factor can be required.
        ended = self.measure("-z", "barrier", "Mem_read:16K,256M", ranks=1)
        near, far = (p["derived"]["bandwidth"] for p in ended.points)
        self.assertGreater(near, far)

    @harness.not_quick
    def test_a_file_that_cannot_be_created_does_not_crash_the_run(self):
        self.assert_usage("--scratch", self.folder / "none", "File_write:8",
                          names=["--scratch", "none' is not a folder"])
        if os.geteuid() != 0:
            self.assert_usage("--scratch", "/proc", "File_write:8", names=["--scratch: '/proc': Permission denied"])
            return
        ended = self.run_it(*ONCE, "--scratch", "/proc", "File_write:8", "Mem_read:8")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual([p["status"] == "skipped" for p in ended.points], [True, False])
        # The name contains a random part, because a process on another host may have the same number.
        self.assertRegex(ended.points[0]["message"],
                         r"^the file '/proc/mpiperf\.\d+\.[0-9a-f]{8}\.scratch' cannot be opened$")

    @harness.slow
    def test_controls_run_in_random_order_and_with_refinement(self):
        ended = self.measure("-z", "barrier", "--shuffle", "Memcpy:8,64,512", "Cacheline:1,2")
        self.assertEqual(sorted(p["at"]["count"] for p in ended.points), [1, 2, 8, 64, 512])
        ended = self.measure("-z", "barrier", "--refine", 0.3, "Memcpy:8,64K")
        self.assertEqual([p["at"]["count"] for p in ended.points][:2], [8, 65536])


if __name__ == "__main__":
    harness.main(sys.argv[5:])
