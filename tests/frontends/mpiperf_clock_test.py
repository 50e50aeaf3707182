#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf with wrong clocks: synthetic ones with skew and drift, and a real one in a time namespace.

usage: mpiperf_clock_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

import harness
from harness import LIMIT, plain, slow

MPIPERF = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])
ALGORITHMS = ("linear", "ring", "ring:plain", "tree", "jk", "hca3", "hier", "auto")
SECONDS = 7  # that the clock of a time namespace is ahead


def clocks(skew, ppm):
    return ("-t", f"synthetic:monotonic,skew={skew},ppm={ppm}")


class Clocks(harness.ProgramTest):
    def run_it(self, *arguments, ranks=2):
        self.json.unlink(missing_ok=True)
        process = self.launch(MPIPERF, *arguments, ranks=ranks)
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def waits(self, start, *arguments, **keywords):
        """Runs one known wait. The measured clocks must not be reported as disagreeing, and no wait may seem too short.
        Other work on the machine may make all samples invalid; then the run says so."""
        ended = start(*arguments, "-X", 1, "WaitPatternUp", **keywords)
        self.assert_valid(ended)
        (point,) = ended.points
        lost = point["status"] == "no_valid_samples"
        self.assertEqual(ended.code, 4 if lost else 0, ended.err)
        self.assertNotIn("clocks_disagree", point["flags"])
        if not lost:
            self.assertGreater(point["value"], keywords.get("ranks", 2) * 1e-6 - 0.3e-6)
        return ended

    @plain
    def test_a_clock_declared_global_is_verified_before_use(self):
        self.waits(self.run_it, "-t", "monotonic_raw", "--sync-alg", "global")
        ended = self.run_it(*clocks("rank*1s", "0"), "--sync-alg", "global", "-X", 1, "WaitPatternUp")
        self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
        self.assertRegex(ended.err[0], "the timer is not one clock on all ranks: rank 1 is at least (1 s|999.* ms) from rank 0$")

    @slow
    def test_waits_with_all_clocks_and_algorithms(self):
        for algorithm, skew, ppm in zip(ALGORITHMS, ("rank*1000000s", "rank*-1000s", "random*1000000s") * 3,
                                        ("rank*50", "rank*-20", "rank*20") * 3):
            self.waits(self.run_it, *clocks(skew, ppm), "--sync-alg", algorithm)

    @slow
    @plain
    def test_four_ranks_with_wrong_clocks(self):
        for algorithm in ALGORITHMS:
            ended = self.waits(self.run_it, *clocks("rank*1000000s", "rank*10"), "--sync-alg", algorithm, "-E", 3,
                               "-r", 1, ranks=4)
            sync = ended.run["clock_sync"]
            self.assertEqual(sync["edges"], 4 if algorithm.startswith("ring") else 3)
            # The clock of rank 3 drifts since time zero of its base clock, the boot of the machine.
            self.assertAlmostEqual(sync["offset_max"], 3e6 + 30e-6 * time.monotonic(), delta=0.1)

    @slow
    def test_drift_is_in_the_record(self):
        ended = self.run_it(*clocks("rank*5s", "rank*400"), "--sync-alg", "auto", "--sync-drift", "on", "-X", 1, "Bcast")
        self.assertIn(ended.code, (0, 4))
        self.assert_valid(ended)
        self.assertEqual(ended.run["clock_sync"]["algorithm"], "hier")
        # If the offsets are not linear, there is no drift. Its accuracy is tested with simulated messages in the unit
        # tests.
        self.assertAlmostEqual(ended.run["clock_sync"]["drift"] or 400, 400, delta=200)
        self.assertEqual(ended.run["options"]["sync_drift"], "on")
        found = ended.points[0]["derived"]["sync"]
        # Only one of the two ranks is compared with the root, so the largest residual equals the mean.
        self.assertAlmostEqual(found["residual"], found["residual_rms"], delta=1e-12)
        self.assertAlmostEqual(ended.end["clock_sync_residual"], ended.end["clock_sync_residual_rms"], delta=1e-12)

    def in_namespace(self, *arguments):
        """Runs rank 1 with its own monotonic clock."""
        self.json.unlink(missing_ok=True)
        rank = [MPIPERF, "-t", "monotonic", *map(str, arguments), "--json", str(self.json)]
        ahead = ["unshare", "-T", "--monotonic", str(SECONDS), "--fork"]
        ended = subprocess.run([self.launcher, "-n", "1", *rank, ":", "-n", "1", *ahead, *rank], capture_output=True,
                               stdin=subprocess.DEVNULL, text=True, timeout=LIMIT, check=False)
        self.skip_where_launcher_crashed(ended.returncode)
        return harness.Ended(ended.returncode, ended.stdout, ended.stderr, self.json)

    @harness.not_quick
    def test_the_offset_of_a_time_namespace_is_found_within_the_bound(self):
        unshare = shutil.which("unshare")
        allowed = unshare and subprocess.run([unshare, "-T", "--monotonic", "1", "--fork", "true"], capture_output=True,
                                             check=False).returncode == 0
        if not allowed:
            self.skipTest("time namespaces are not permitted here")
        # The methods of the paper use messages by default, the others use shared memory; `auto` detects clocks that
        # differ within a host.
        for algorithm, options, shared in (("linear", (), 0), ("ring", ("--offset-channel", "shared"), 2),
                                           ("auto", (), 1)):
            ended = self.waits(self.in_namespace, "--sync-alg", algorithm, *options)
            sync = ended.run["clock_sync"]
            self.assertEqual(sync["shared"], shared, algorithm)
            self.assertLessEqual(abs(sync["offset_max"] - SECONDS), sync["bound"])
            self.assertLess(sync["bound"], 1e-3 if os.environ.get("QUIET_MACHINE") else SECONDS)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
