#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf, b_eff, measure-osu, measure pairs and the synchronisers on two hosts connected by a wire of known delay.

usage: hosts_test.py MPIPERF B_EFF MEASURE_OSU MEASURE CLOCK_ERRORS VALIDATE_RECORDS LAUNCHER YIELD_HELPER
       [UNITTEST OPTIONS]
Exits with 77 if two hosts cannot be created. The folder of a test is empty and read-only on beta: only rank 0 may read
and write files. Rank 0 is on alpha unless a test says otherwise.
"""
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import harness  # noqa: E402
import two_hosts  # noqa: E402
from harness import LIMIT, figures, plain, slow  # noqa: E402

MPIPERF, B_EFF, OSU, MEASURE, CLOCK_ERRORS = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:6])
harness.ProgramTest.tools(*sys.argv[6:9])
DELAY = 250e-6  # seconds, one way
THERE, BACK = two_hosts.UNEQUAL
# Time that programs, the relay and the system add to a round trip on a free machine.
PROCESSING = 500e-6
# The wire does not become faster by asking more often.
CLOCKS = ("-t", "monotonic", "--sync-patience", 20)
QUICK = (*CLOCKS, "-z", "barrier", "-X", 1)


class Hosts(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        HOSTS.hide("beta", self.folder)
        HOSTS.place("alpha:1", "beta:1")
        HOSTS.delay(DELAY, DELAY)

    # If MPI_Finalize hangs, the tests must not wait long.
    def start(self, program, *arguments, watchdog=30, **keywords):
        return self.launch(program, *arguments, "--watchdog", watchdog, environment=two_hosts.ENVIRONMENT,
                           cwd=self.folder, **keywords)

    def run_it(self, program, *arguments, **keywords):
        self.json.unlink(missing_ok=True)
        process = self.start(program, *arguments, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def run_well(self, program, *arguments, **keywords):
        ended = self.run_it(program, *arguments, **keywords)
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        self.assertEqual(ended.end["status"], "complete")
        return ended

    def assert_offset_found(self, sync, bias, round_trip):
        """Checks the clock of two ranks. The bound contains the truth. The estimate is wrong by half of the difference
        between the two directions, plus at most half of the time by which the quickest exchange was slower than the
        wire."""
        self.assertGreaterEqual(sync["rtt_min"], round_trip)
        found = sync["offset_max"] - two_hosts.AHEAD
        self.assertLessEqual(abs(found), sync["bound"])
        self.assertLessEqual(abs(found - bias), (sync["rtt_min"] - round_trip) / 2 + 1e-6)

    def assert_as_long_as(self, seconds, delay):
        self.assertGreaterEqual(seconds, delay)
        if os.environ.get("QUIET_MACHINE"):
            self.assertLess(seconds, delay + PROCESSING)


class Environment(Hosts):
    @plain
    @harness.not_quick
    def test_the_record_contains_hosts_and_their_ranks(self):
        # Ranks are placed round-robin: 0 and 2 on alpha, 1 and 3 on beta.
        ended = self.run_well(MPIPERF, "--sync-alg", "hier", "--sync-drift", "off", *QUICK, "Barrier", ranks=4)
        self.assertEqual([(host["name"], host["ranks"]) for host in ended.run["hosts"]],
                         [("alpha", "0,2"), ("beta", "1,3")])
        self.assertEqual([line for line in ended.out.splitlines() if line[:3] in ("# 0", "# 1")],
                         ["# 0:alpha", "# 1:beta"])
        # The hosts share the cores of this machine: no host has more ranks than cores, but the machine may.
        self.assertIn("hosts alpha, beta are containers on one machine", "\n".join(ended.run["warnings"]))
        sync = ended.run["clock_sync"]
        # One of the three edges is between the hosts and is measured with messages.
        self.assertEqual((sync["algorithm"], sync["hosts"], sync["edges"], sync["shared"]), ("hier", 2, 3, 2))
        self.assertGreaterEqual(sync["rtt_max"], 2 * DELAY)
        self.assertLessEqual(abs(sync["offset_max"] - two_hosts.AHEAD), sync["bound"])

    @plain
    @harness.not_quick
    def test_one_core_per_rank_is_not_oversubscribed(self):
        ended = self.run_well(MPIPERF, "--sync-alg", "auto", *QUICK, "Barrier")
        self.assertFalse(ended.run["oversubscribed"])
        self.assertNotIn("oversubscribed", ended.points[0]["flags"])
        # Two ranks on two hosts: each is measured against the root and fitted with a line, because clocks of hosts
        # drift.
        self.assertEqual(ended.run["clock_sync"]["algorithm"], "jk")
        self.assertEqual((ended.run["clock_sync"]["hosts"], ended.run["clock_sync"]["shared"]), (2, 0))


class Controls(Hosts):
    @plain
    @harness.not_quick
    def test_a_cache_line_between_hosts_is_skipped(self):
        ended = self.run_it(MPIPERF, *QUICK, "Cacheline", "Fixed_work")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual([(p["benchmark"], p["status"]) for p in ended.points],
                         [("Cacheline", "skipped"), ("Fixed_work", "converged")])
        self.assertEqual(ended.points[0]["message"], "the processes are on different hosts and share no memory")


class Delay(Hosts):
    @plain
    @harness.not_quick
    def test_the_bound_contains_the_truth_on_an_asymmetric_wire(self):
        for there, back, ranks in ((THERE, BACK, ("alpha:1", "beta:1")), (BACK, THERE, ("alpha:1", "beta:1")),
                                   (THERE, BACK, ("beta:1", "alpha:1"))):
            HOSTS.place(*ranks)
            HOSTS.delay(there, back)
            self.check_offset(there, back, ranks)

    def check_offset(self, there, back, ranks):
        # If rank 0 is on beta, it cannot write here.
        ended = self.run_it(MPIPERF, *QUICK, "--json", "-", "Barrier", record=False)
        self.assertEqual(ended.code, 0, ended.err)
        run = json.loads(ended.out.splitlines()[0])
        self.assertEqual(run["hosts"][0]["name"], ranks[0].partition(":")[0])
        self.assert_offset_found(run["clock_sync"], (there - back) / 2, there + back)

    @harness.not_quick
    def test_a_message_takes_the_time_of_the_wire(self):
        ended = self.run_well(MPIPERF, *QUICK, "Pingpong", "Ssend")
        pingpong, ssend = ended.points
        self.assert_as_long_as(pingpong["estimate"]["min"], DELAY)
        one_way = pingpong["derived"]["one_way"]
        self.assertGreaterEqual(one_way["time"] + one_way["uncertainty"], DELAY)
        # The request of the sender and the answer of the receiver.
        self.assert_as_long_as(ssend["estimate"]["min"], 2 * DELAY)

    @harness.not_quick
    def test_the_latency_of_b_eff_is_that_of_the_wire(self):
        ended = self.run_well(B_EFF, "--quick", "--random", 1, "--reps", 1, "--methods", "sendrecv", "--mem", "1MiB")
        # For every length: with so little memory the longest message is one packet.
        times = {p["at"]["bytes"]: p["at"]["bytes"] / p["value"] for p in ended.points
                 if p["at"]["pattern"] == "ping-pong"}
        self.assert_as_long_as(min(times.values()), DELAY)
        found = next(r for r in ended.records if r.get("name") == "latency_ping_pong")
        self.assertAlmostEqual(found["value"], times[1], delta=1e-9)
        self.assertEqual(found["derived"]["hosts"], ["alpha", "beta"])


class Synchronisers(Hosts):
    STARTS = 3

    # tests/long/hosts makes more of them.
    @slow
    @plain
    def test_the_bound_of_every_synchroniser_contains_the_truth(self):
        for seed in range(1, self.STARTS + 1):
            HOSTS.delay(*two_hosts.UNEQUAL[::1 if seed % 2 else -1])
            found = dict(two_hosts.clock_errors(HOSTS, CLOCK_ERRORS, self.yield_helper, 2, seed, LIMIT))
            self.assertEqual(sorted(found), sorted(two_hosts.SYNCHRONISERS))
            for name, errors in found.items():
                self.assertEqual([error.host for error in errors], ["beta"])
                with self.subTest(name, seed=seed):
                    # At least half of a round trip, and the estimates are not exact.
                    self.assertGreaterEqual(errors[0].bound, (THERE + BACK) / 2)
                    self.assertTrue(errors[0].inside, errors[0])


class Fans(Hosts):
    @plain
    @harness.not_quick
    def test_ranks_of_the_first_host_send_or_receive(self):
        # Ranks are placed round-robin: 0 and 2 on alpha, 1 and 3 on beta.
        for name in ("osu_bw_fan_in", "osu_bw_fan_out"):
            ended = self.run_well(OSU, name, "-i", 4, "-x", 1, "-m", "1k:2k", "-W", 8, ranks=4)
            self.assertEqual([p["at"]["pairs"] for p in ended.points], [2, 2])
            for point in ended.points:
                # The window goes there, and the answer comes back.
                self.assertGreaterEqual(2 * 8 * point["at"]["bytes"] / point["value"], 2 * DELAY)
        ended = self.run_it(OSU, "osu_bw_fan_in", ranks=3)
        self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)


class Pairs(Hosts):
    @plain
    @harness.not_quick
    def test_a_wire_is_a_separate_class_and_not_a_finding(self):
        # Ranks are placed round-robin: 0 and 2 on alpha, 1 and 3 on beta.
        ended = self.run_well(MEASURE, "pairs", "--per", "rank", "--what", "latency", "--repetitions", 3, ranks=4)
        self.assertEqual(len(ended.points), 6)
        for point in ended.points:
            at = point["at"]
            self.assertEqual(at["class"] == "between hosts", at["host_from"] != at["host_to"], at)
            if at["class"] == "between hosts":
                self.assert_as_long_as(point["value"], DELAY)


class Slots(Hosts):
    # Slots that are only as long as a message on the wire are lost as soon as another program needs a core.
    @figures
    def test_slots_begin_together_with_different_clocks(self):
        ended = self.run_well(MPIPERF, *CLOCKS, "-X", 1, "-E", 5, "-R", 24, "WaitPatternUp")
        # The second of the two ranks waits for 2 us.
        self.assertAlmostEqual(ended.points[0]["estimate"]["min"], 2e-6, delta=0.5e-6)
        sync = ended.points[0]["derived"]["sync"]
        self.assertLess(ended.points[0]["derived"]["start_imbalance"], sync["bound"])


class Ending(Hosts):
    def start_endless(self, **keywords):
        process = self.start(MPIPERF, *QUICK, "-R", 10**6, "-E", 10**6, "Barrier", **keywords)
        self.wait_for(lambda: self.json.exists() and self.json.read_text(), "no run line")
        time.sleep(0.2)
        return process

    def end_of(self, process):
        process.communicate(timeout=LIMIT)
        end = harness.Ended(process.returncode, "", "", self.json).end
        return end["record"], end["status"], end["exit_code"]

    @plain
    @harness.not_quick
    def test_a_signal_to_the_launcher_ends_the_run_on_both_hosts(self):
        process = self.start_endless()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.end_of(process), ("end", "interrupted", 143))

    @slow
    @plain
    def test_a_broken_network_ends_the_run(self):
        # Long enough for a launch on a busy machine.
        process = self.start_endless(watchdog=8)
        HOSTS.cut()
        self.wait_for(lambda: self.json.read_text().count("\n") > 1, "no end line")
        # The launcher also reaches beta over this wire, so the wire must work for it to end.
        HOSTS.delay(DELAY, DELAY)
        self.assertEqual(self.end_of(process), ("end", "failed", 1))
        self.assertEqual(process.returncode, 1)

    @plain
    def test_an_error_on_any_host_is_one_line_and_one_exit_code(self):
        # A file that is missing on rank 0, and a log that the rank on beta cannot write.
        for option, path in (("--config", self.folder / "none"), ("-l", self.folder / "log")):
            ended = self.run_it(MPIPERF, option, path, *QUICK, "Barrier")
            self.assertEqual(ended.code, 2)
            self.assertEqual(len(ended.err), 1, ended.err)
            self.assertIn(str(path), ended.err[0])


if __name__ == "__main__":
    two_hosts.become_root()
    with tempfile.TemporaryDirectory() as place:
        try:
            HOSTS = two_hosts.TwoHosts(place, Hosts.launcher)
        except two_hosts.NotPermitted as reason:
            print(f"skipped: two hosts cannot be created here: {reason}")
            sys.exit(77)
        try:
            Hosts.launcher = HOSTS.launcher
            harness.main(sys.argv[9:])
        finally:
            HOSTS.end()
