#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Results of the library with known durations, on a simulated network.

usage: smpi_test.py SMPIEXEC PROBE LINEAR_BROADCAST MPIPERF PAIRS SWITCHES FRONTENDS [UNITTEST OPTIONS]

A message of n bytes takes 2 L + (n + 16) / B. A sample contains one reading of the clock. Without PROBE (SimGrid is not
installed) everything is skipped; without MPIPERF, PAIRS and FRONTENDS (the folder of the programs) the tests that need
a build with -Dmpi=smpi are skipped.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import harness  # noqa: E402  (the path is known only now)

SMPIEXEC, PROBE, LINEAR_BROADCAST, MPIPERF, PAIRS, SWITCHES, FRONTENDS = (sys.argv[1:] + [""] * 7)[:7]
LATENCY, BANDWIDTH = 10e-6, 1.25e9  # of one link: the defaults of smpiexec
READING = 100e-9  # of the clock: ten times the default, so that a wait costs a tenth of the simulation time
TICK = 1e-9  # SMPI's MPI_Wtick, which a bound must include
LARGE_WORLDS = bool(MPIPERF)

if not PROBE:
    print("skipped: SimGrid (smpirun, libsimgrid-dev) is not installed")
    sys.exit(77)


def message(size, latency=LATENCY, bandwidth=BANDWIDTH):
    return 2 * latency + (size + 16) / bandwidth


def largest_offset(algorithm):
    """Pairs that run at the same time share links, so a message may be late by the bytes of another one."""
    return 1e-15 if algorithm in ("linear", "jk") else (8 + 16) / BANDWIDTH


def simulate(ranks, program, *arguments, network=(), timeout=600, folder=None):
    command = [pathlib.Path(SMPIEXEC).resolve(), "-n", str(ranks), "--reading", repr(READING), *network, program,
               *map(str, arguments)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=timeout, cwd=folder)


class SimulationTest(unittest.TestCase):
    def probe(self, ranks, *arguments, **words):
        done = simulate(ranks, PROBE, *arguments, **words)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(lines)
        return lines

    def assert_time(self, found, truth, relative=0.0, more=0.0):
        """The value differs from the truth by at most `more` seconds plus that share of it. A picosecond is allowed for
        rounding."""
        self.assertLessEqual(abs(found - truth), 1e-12 + relative * truth + more, (found, truth))


class MessageTest(SimulationTest):
    def test_half_a_round_trip_is_the_time_of_a_message(self):
        sizes = (0, 1, 1000, 65535, 65536, 65537, 1048576)
        for latency, bandwidth in ((LATENCY, BANDWIDTH), (1e-6, 1e8)):
            lines = self.probe(2, "pingpong", *sizes,
                               network=("--latency", repr(latency), "--bandwidth", repr(bandwidth)))
            for size, line in zip(sizes, lines, strict=True):
                self.assert_time(line["time"], message(size, latency, bandwidth) + READING / 2)

    def test_refinement_adds_no_point_to_a_straight_line(self):
        *points, end = self.probe(2, "refine", 1, 1048576)
        self.assertEqual(end, {"end": "accuracy"})
        self.assertEqual([point["bytes"] for point in points], [2 ** k for k in range(21)])

    def test_refinement_finds_a_break(self):
        """From 30000 bytes on the latency is three times as large: a jump of 4 L."""
        here = 30000
        network = ("--cfg=network/model:SMPI", "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1",
                   f"--cfg=smpi/lat-factor:0:1;{here}:3", "--cfg=smpi/bw-factor:0:1")
        *points, _ = self.probe(2, "refine", 1, 1048576, network=network)
        times = {point["bytes"]: point["time"] for point in points}
        added = sorted(size for size in times if size & (size - 1))
        before = max(size for size in times if size <= here)
        after = min(size for size in times if size > here)
        self.assertGreater(times[after] - times[before], 3 * LATENCY)
        self.assertLess(after / before, 1.05, times)
        # Points are added near the break: all but the first few are within a factor of two of it.
        self.assertGreater(sum(here / 2 < size < 2 * here for size in added), len(added) / 2, added)


class ClockTest(SimulationTest):
    """All ranks read one clock: the true offset is zero, and messages take the same time in both directions."""
    ALGORITHMS = ("linear", "ring", "tree", "jk", "hca3", "hier")
    WORLDS = (2, 3, 8) + ((16, 33, 64) if LARGE_WORLDS else ())

    def test_offsets_are_zero_within_their_bound(self):
        round_trip = 2 * message(8) + 2 * READING
        for ranks in self.WORLDS:
            for algorithm in self.ALGORITHMS:
                with self.subTest(algorithm=algorithm, ranks=ranks):
                    line, = self.probe(ranks, "clocks", algorithm)
                    self.assertEqual(line["algorithm"], algorithm)
                    self.assertLess(line["offset"], largest_offset(algorithm))
                    self.assertEqual(line["beyond"], 0)
                    self.assertLessEqual(abs(line["rtt"] - round_trip), READING)
                    self.assert_bound(line, ranks, round_trip / 2 + TICK)
                    self.assert_cost(line, ranks)

    def assert_bound(self, line, ranks, pair):
        """Returns the maximum number of pairs between a rank and the root. A ring uses both directions."""
        hops = {"linear": 1, "jk": 1, "ring": ranks // 2}.get(line["algorithm"], int(math.log2(ranks)) + 1)
        self.assertGreaterEqual(line["bound"], 0.98 * pair)
        # Clocks of several hosts may drift while others are measured.
        self.assertLessEqual(line["bound"], 1.02 * hops * pair + 50e-6 * line["duration"])

    def assert_cost(self, line, ranks):
        """A pair of patience 5 asks 1 + 6 times in each role, and at most twice as often if a rounding error looks like
        a quicker round trip. It begins and ends with control messages."""
        points = 5 if line["algorithm"] in ("jk", "hca3", "hier") else 1
        edges = ranks if line["algorithm"] == "ring" else ranks - 1
        self.assertEqual(line["edges"], edges)
        self.assertGreaterEqual(line["messages"], edges * points * 2 * 7 * 2)
        self.assertLessEqual(line["messages"], edges * points * (2 * 14 * 2 + 8))


class StartTest(SimulationTest):
    WORLDS = (3, 4) + ((16, 64) if LARGE_WORLDS else ())

    def test_ranks_continue_at_one_instant(self):
        for ranks in self.WORLDS:
            for line in self.probe(ranks, "instant"):
                self.assertTrue(line["in_time"])
                self.assertLessEqual(line["apart"], READING + 1e-12)

    def test_slots_begin_at_one_instant_and_the_span_is_the_longest_rank(self):
        for ranks in self.WORLDS:
            for line in self.probe(ranks, "collective", "dissemination", 0):
                self.assertLessEqual(line["start_imbalance"], READING + 1e-12)
                self.assertGreaterEqual(line["span"], line["time"] - 1e-12)
                self.assertLessEqual(line["span"], line["time"] + line["start_imbalance"] + 1e-12)


class WaitTest(SimulationTest):
    def test_waits_have_their_true_duration_whatever_the_clocks_say(self):
        for timer in ("mpi_wtime", "synthetic:mpi_wtime,skew=rank*1000s", "synthetic:mpi_wtime,skew=rank*-1000000s"):
            for algorithm in ("linear", "ring", "tree"):
                with self.subTest(timer=timer, algorithm=algorithm):
                    lines = self.probe(3, "waits", timer, algorithm)
                    self.assertGreaterEqual(len(lines), 6)
                    for line in lines:
                        # The time includes the reading that ends the region, and the readings until the deadline has
                        # passed.
                        self.assertGreaterEqual(line["time"], 3e-6 - TICK)
                        self.assertLessEqual(line["time"], 3e-6 + 4 * READING)
                        self.assertLessEqual(line["start_imbalance"], 2 * READING + TICK)


class CollectiveTest(SimulationTest):
    """Times that follow from the algorithm, which SMPI is told to use."""
    WORLDS = (2, 4) + ((8, 16, 64) if LARGE_WORLDS else ())

    def measured(self, ranks, name, size, algorithm=None):
        network = (f"--cfg=smpi/{name}:{algorithm}",) if algorithm else ()
        lines = self.probe(ranks, "collective", name, size, network=network)
        self.assertGreaterEqual(len(lines), 6)
        times = sorted(line["time"] for line in lines)
        return times[len(times) // 2]

    def check(self, name, size, algorithm, messages, worlds=None):
        """That many consecutive messages, within 1 %: ranks begin one reading apart, and links are shared."""
        for ranks in worlds or self.WORLDS:
            with self.subTest(collective=name, ranks=ranks):
                truth = messages(ranks) * message(size) + READING
                self.assert_time(self.measured(ranks, name, size, algorithm), truth, relative=0.01, more=2 * READING)

    def test_a_dissemination_barrier_takes_the_logarithm_of_the_ranks(self):
        self.check("dissemination", 0, None, lambda n: math.ceil(math.log2(n)), (3, *self.WORLDS))

    def test_a_barrier_by_bruck_takes_the_logarithm_of_the_ranks(self):
        self.check("barrier", 0, "ompi_bruck", lambda n: math.ceil(math.log2(n)), (3, *self.WORLDS))

    def test_a_binomial_broadcast_takes_the_logarithm_of_the_ranks(self):
        self.check("bcast", 8, "binomial_tree", math.log2)

    def test_an_allgather_in_a_ring_takes_a_message_for_each_other_rank(self):
        self.check("allgather", 1000, "ring", lambda n: n - 1, (3, 4))

    def test_an_allreduce_by_recursive_doubling_takes_the_logarithm_of_the_ranks(self):
        self.check("allreduce", 8, "rdb", math.log2)


class LoopTest(unittest.TestCase):
    def test_a_loop_of_broadcasts_shows_the_ratios_of_the_formula(self):
        for ranks, calls, ratios in ((4, 4, (1, 2.5, 1.375, 1)), (3, 10, (1, 1.9, 1))):
            done = simulate(ranks, LINEAR_BROADCAST, 1000000, calls, network=("--reading", "1e-6"))
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
            self.assertEqual([int(row[0]) for row in rows], list(range(ranks)))
            for (rank, start, loop, ratio, expected), truth in zip(rows, ratios, strict=True):
                # With a common start rank i waits for i messages and rank 0 for all of them: the true time.
                own = (int(rank) or ranks - 1) * message(1000000)
                self.assertAlmostEqual(float(start) * 1e-6 / own, 1, delta=0.01)
                self.assertAlmostEqual(float(expected), truth, delta=0.001)
                self.assertAlmostEqual(float(ratio) / truth, 1, delta=0.1)
                self.assertAlmostEqual(float(loop) / float(start), float(ratio), delta=0.01)


@unittest.skipUnless(MPIPERF, "mpiperf is compiled for SMPI with -Dmpi=smpi")
class MpiperfTest(SimulationTest):
    LATENCY, READING = 1e-6, 20e-9  # so that waits of a microsecond are longer than messages
    FEW = ("-r", 8, "-E", 8)  # runs: a simulation gives the same result each time

    def mpiperf(self, ranks, *arguments, few=FEW, latency=LATENCY, reading=READING, more=()):
        network = ("--latency", repr(latency), "--reading", repr(reading), *more)
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.jsonl"
            done = simulate(ranks, MPIPERF, *few, *arguments, "--json", record, network=network)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            records = [json.loads(line) for line in record.read_text().splitlines()]
        self.assertEqual(records[-1]["status"], "complete")
        return records

    def points(self, *arguments, **words):
        return [record for record in self.mpiperf(*arguments, **words) if record["record"] == "point"]

    def message(self, size):
        return message(size, self.LATENCY)

    def test_waits_have_their_true_duration(self):
        # mpiperf first observes 20 ms. Each reading costs the simulator time, so many ranks have longer readings.
        for ranks, reading, arguments, count in ((8, self.READING, ("--check",), 12),
                                                 (64, 5 * self.READING, ("-X", 1, "WaitPatternUp"), 1)):
            points = self.points(ranks, *arguments, reading=reading)
            self.assertEqual(len(points), count)
            for point in points:
                truth = 0 if point["benchmark"] == "WaitPatternNull" else point["at"]["ranks"] * 1e-6
                # The time includes the reading that ends the region, and the readings until the deadline has passed.
                self.assertGreaterEqual(point["value"], truth)
                self.assertLessEqual(point["value"], truth + 4 * reading)

    def test_a_broadcast_to_one_rank_is_a_message(self):
        for point in self.points(2, "-x", 1, "-X", "1MiB", "-S", 32, "Bcast"):
            truth = self.message(point["at"]["bytes"]) + self.READING
            self.assert_time(point["value"], truth, more=2 * self.READING)
            self.assertEqual(point["invalid"], {})
            self.assertLessEqual(point["derived"]["span"], point["value"] + self.READING + 1e-12)

    def test_overlapping_calls_are_measured_correctly_with_a_common_start(self):
        """Consecutive calls of a chain overlap: each takes a reading or two. A single call takes seven messages, which
        is more than 64 times as long."""
        latency, reading = 25e-6, 1e-6
        point, = self.points(8, "--retry", 0, "-x", 1, "-X", 1, "Bcast", latency=latency, reading=reading,
                             more=("--cfg=smpi/bcast:NTSL", "--cfg=smpi/async-small-thresh:65000"))
        self.assertEqual(point["status"], "converged")
        self.assert_time(point["value"], 7 * message(1, latency), more=3 * reading)

    def test_every_collective_is_measured(self):
        names = ("Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv "
                 "Reduce Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv").split()
        points = self.points(8, "-x", 64, "-X", 64, *names)
        self.assertEqual([point["benchmark"] for point in points], names)
        for point in points:
            with self.subTest(point["benchmark"]):
                self.assertEqual(point["status"], "converged")
                self.assertGreaterEqual(point["value"], self.message(0))
                self.assertLess(point["value"], 64 * self.message(8 * 8 * 64))

    def test_synchronisers_leave_no_residual(self):
        # Without drift models, whose waits take minutes here, because simulated time advances by readings of the clock.
        for algorithm in (("linear",), ("ring",), ("tree",), ("hier", "--sync-drift", "off")):
            begin, point, end = self.mpiperf(8, "--sync-alg", *algorithm, "-x", 8, "-X", 8, "Barrier")
            algorithm = algorithm[0]
            self.assertEqual(begin["clock_sync"]["algorithm"], algorithm)
            self.assertLess(begin["clock_sync"]["offset_max"], largest_offset(algorithm))
            self.assertLess(abs(end["clock_sync_residual"]), largest_offset(algorithm))
            self.assertLessEqual(point["derived"]["start_imbalance"], self.READING + 1e-12)

    def test_a_loop_without_synchronisation_shortens_a_broadcast(self):
        """The root is in its next call while the leaves still wait for the previous one: error 6 of the paper."""
        slots, = self.points(8, "-x", 8, "-X", 8, "Bcast")
        loop, = self.points(8, "-x", 8, "-X", 8, "-z", "nosync", "Bcast", few=("-R", 20))
        self.assertLess(loop["value"], 0.7 * slots["value"])


def platform(hosts, slow=None, late=None, slow_pairs=None, slow_ways=None, trunk=None, behind=None):
    """Writes a SimGrid description of hosts with one link each, and a route of two links between any two hosts.

    slow, late: {host: factor} for the bandwidth and latency of its link. slow_pairs: {(i, j): factor}, an additional
    link on this route only; slow_ways is the same for the direction from i to j only. trunk: bandwidth of a link that
    all routes between the first half of the hosts and the others cross.
    """
    slow, late, ways = slow or {}, late or {}, dict(slow_ways or {})
    for (i, j), factor in (slow_pairs or {}).items():
        ways[i, j] = ways[j, i] = factor
    behind = range(hosts // 2) if behind is None else behind
    links = [f'<link id="u{i}" bandwidth="{BANDWIDTH / slow.get(i, 1)!r}Bps" latency="{LATENCY * late.get(i, 1)!r}s" '
             'sharing_policy="SPLITDUPLEX"/>' for i in range(hosts)]
    links += [f'<link id="p{i}-{j}" bandwidth="{BANDWIDTH / factor!r}Bps" latency="0s"/>'
              for (i, j), factor in ways.items()]
    links += [f'<link id="trunk" bandwidth="{trunk!r}Bps" latency="0s"/>'] if trunk else []
    routes = []
    for i in range(hosts):
        for j in range(hosts):
            if i == j:
                continue
            between = f'<link_ctn id="p{i}-{j}"/>' if (i, j) in ways else ""
            between += '<link_ctn id="trunk"/>' if trunk and (i in behind) != (j in behind) else ""
            routes.append(f'<route src="host{i}" dst="host{j}" symmetrical="NO"><link_ctn id="u{i}" direction="UP"/>'
                          f'{between}<link_ctn id="u{j}" direction="DOWN"/></route>')
    return "\n".join(["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                      '<platform version="4.1"><zone id="all" routing="Full">',
                      *(f'<host id="host{i}" speed="1Gf"/>' for i in range(hosts)), *links, *routes,
                      "</zone></platform>"])


@unittest.skipUnless(PAIRS, "measure pairs is compiled for SMPI with -Dmpi=smpi")
class PairsTest(SimulationTest):
    """All pairs of a network with known times and one fault."""
    HOSTS, SIZE = 10, 65536
    QUICK = ("--repetitions", 3, "--trips", 2, "--windows", 2, "--window", 4, "--size", SIZE)
    LARGE = ("--what", "latency", "--latency-size", SIZE)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pairs(self, *arguments, code=0, hosts=HOSTS, name="record.jsonl", **faults):
        description, record = self.folder / "platform.xml", self.folder / name
        description.write_text(platform(hosts, **faults))
        done = simulate(hosts, PAIRS, *self.QUICK, *arguments, "--json", record,
                        network=("--platform", description, "--reading", "1e-8"))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        records = [json.loads(line) for line in record.read_text().splitlines()]
        summary = next(r for r in records if r["record"] == "summary")["derived"]
        return summary, [r for r in records if r["record"] == "point"], done.stdout

    def found(self, summary):
        return [(f["kind"], f["quantity"], tuple(f["members"])) for f in summary["findings"] if f["confirmed"]]

    def test_all_pairs_of_a_sound_network_have_equal_times(self):
        summary, points, out = self.pairs(*self.LARGE)
        self.assertEqual(len(points), self.HOSTS * (self.HOSTS - 1) / 2)
        for point in points:  # including rank 0: the pair that begins is not late
            self.assert_time(point["value"], message(self.SIZE), relative=0.001)
        self.assertEqual(summary["findings"], [])
        self.assertIn("clean", out)

    def test_a_slow_link_is_the_only_finding(self):
        summary, _, out = self.pairs(*self.LARGE, slow_pairs={(3, 7): 1.25}, code=3)
        self.assertEqual(self.found(summary), [("link", "latency", ("host3", "host7"))])
        truth = (20e-6 + (self.SIZE + 16) * 1.25 / BANDWIDTH) / message(self.SIZE) - 1
        self.assertAlmostEqual(summary["findings"][0]["effect"], truth, delta=0.01)
        self.assertIn("link host3 - host7: latency 18 % slower than its class", out)

    def test_slow_nodes_are_findings_and_their_links_are_not(self):
        for slow in ({5: 1.25}, {2: 1.25, 5: 1.25}):
            summary, _, _ = self.pairs(*self.LARGE, slow=slow, code=3)
            self.assertEqual(sorted(self.found(summary)), [("node", "latency", (f"host{i}",)) for i in sorted(slow)])

    def test_a_node_with_long_latency_is_found_with_any_message_size(self):
        for size in (8, self.SIZE):
            summary, _, _ = self.pairs("--what", "latency", "--latency-size", size, late={5: 3}, code=3)
            self.assertEqual(self.found(summary), [("node", "latency", ("host5",))])

    def test_a_link_of_lower_bandwidth_is_not_found_with_small_messages(self):
        summary, _, _ = self.pairs("--what", "latency", slow_pairs={(3, 7): 1.5})
        self.assertEqual(summary["findings"], [])
        summary, _, _ = self.pairs(slow_pairs={(3, 7): 1.5}, code=3)
        self.assertEqual(self.found(summary), [("link", "bandwidth", ("host3", "host7"))])

    def test_a_slow_direction_is_distinguished_from_the_other_one(self):
        summary, _, out = self.pairs("--what", "bandwidth", slow_ways={(7, 3): 2}, code=3)
        self.assertIn("host7 to host3: 46 % less bandwidth than the other way", out)
        directions = [f for f in summary["findings"] if f["kind"] == "direction"]
        self.assertEqual([(f["members"], f["confirmed"]) for f in directions], [(["host7", "host3"], True)])
        window = 4 * (self.SIZE + 16) / BANDWIDTH  # plus 20 us there, 20 us for the answer
        self.assertAlmostEqual(directions[0]["effect"], (2 * window + 40e-6) / (window + 40e-6) - 1, delta=0.01)
        # The link has the mean of both directions.
        self.assertEqual([f["kind"] for f in summary["findings"]], ["direction", "link"])

    def test_a_shared_trunk_is_found_under_load_only(self):
        summary, points, out = self.pairs(*self.LARGE, "--mode", "both", trunk=BANDWIDTH)
        self.assertEqual(summary["findings"], [])
        times = {mode: [point["value"] for point in points if point["at"]["mode"] == mode]
                 for mode in ("alone", "loaded")}
        self.assertEqual([len(values) for values in times.values()], [45, 45])
        for value in times["alone"]:
            self.assert_time(value, message(self.SIZE), relative=0.001)
        self.assertGreater(max(times["loaded"]), 1.5 * message(self.SIZE))
        self.assertIn("loaded by the other pairs of a round", out)

    @harness.slow
    def test_a_slow_group_is_one_finding(self):
        racks = self.folder / "racks"
        racks.write_text("".join(f"host{i} rack{i // 6}\n" for i in range(18)))
        summary, points, out = self.pairs(*self.LARGE, "--groups", racks, hosts=18,
                                          trunk=BANDWIDTH / 4, behind=range(6),
                                          code=3)
        finding, = [f for f in summary["findings"] if f["confirmed"]]
        self.assertEqual((finding["kind"], finding["group"]), ("group", "rack0"))
        self.assertEqual(finding["members"], [f"host{i}" for i in range(6)])
        self.assertIn("group rack0, 6 hosts: latency", out)
        self.assertEqual({point["at"]["class"] for point in points}, {"same group", "between groups"})

    def test_repetitions_follow_from_the_effect_size(self):
        for effect, reached in (("20", True), ("5.1", False)):
            quick, self.QUICK = self.QUICK, self.QUICK[2:]
            try:
                summary, points, out = self.pairs(*self.LARGE, "--effect", effect, "--time-budget", "60min", hosts=6)
            finally:
                self.QUICK = quick
            effort = summary["effort"]
            self.assertEqual({point["valid"] for point in points}, {effort["repetitions"]})
            self.assertEqual(max(effort["reach"].values()) <= float(effect) / 100, reached)
            self.assertEqual("is out of reach" in " ".join(out.split()), not reached)

    def test_a_slow_node_is_found_with_some_rounds(self):
        summary, _, out = self.pairs(*self.LARGE, "--rounds", 5, slow={5: 1.25}, code=3)
        self.assertIn("a link that was measured", out)
        self.assertEqual(self.found(summary), [("node", "latency", ("host5",))])
        self.assertIn("56 % of all pairs meet in 5", out)

    def test_pairs_slower_than_in_a_reference_are_found(self):
        sick = {"slow_pairs": {(1, 2): 1.5}}  # unchanged
        self.pairs(*self.LARGE, code=3, name="before.jsonl", **sick)
        before = ("--reference", self.folder / "before.jsonl")
        summary, _, out = self.pairs(*self.LARGE, *before, **sick)
        self.assertEqual(summary["findings"], [])
        self.assertIn("as a whole against the reference: time +0.0 %", out)
        summary, _, out = self.pairs(*self.LARGE, *before, slow_pairs={(1, 2): 1.5, (3, 7): 1.25}, code=3)
        self.assertEqual(self.found(summary), [("link", "latency", ("host3", "host7"))])
        self.assertIn("slower than in the reference", out)

    def test_two_runs_are_compared(self):
        runs = []
        for name, faults, code in (("old", {}, 0), ("new", {"slow_pairs": {(3, 7): 1.25}}, 3)):
            self.pairs(*self.LARGE, name=f"{name}.jsonl", code=code, **faults)
            runs.append(self.folder / f"{name}.jsonl")
        description, record = self.folder / "platform.xml", self.folder / "both.jsonl"
        done = simulate(1, PAIRS, "--compare", "--what", "latency", *runs, "--json", record,
                        network=("--platform", description, "--reading", "1e-8"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("suspect  link host3 - host7: latency 18 % slower than in the reference", done.stdout)
        summary = next(json.loads(line) for line in record.read_text().splitlines() if '"summary"' in line)
        finding, = summary["derived"]["findings"]
        self.assertEqual((finding["kind"], finding["members"], finding["confirmed"]),
                         ("link", ["host3", "host7"], False))

    def test_four_hosts_have_values_and_no_statistical_test(self):
        summary, points, out = self.pairs(*self.LARGE, hosts=4, slow={1: 2})
        self.assertEqual(len(points), 6)
        self.assertIn("fewer than 5 nodes", summary["untested"])
        self.assertIn("Not tested", out)


class SwitchesTest(SimulationTest):
    """Sizes at which measure tune finds that the quickest broadcast changes."""
    NAMES = ("scatter_LR_allgather", "flattree", "binomial_tree", "scatter_rdb_allgather")

    def switches(self, gain):
        done = simulate(16, SWITCHES, gain, *self.NAMES)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        times = {}
        for _, size, name, seconds in [line for line in lines if line[0] == "time"]:
            times.setdefault(int(size), {})[name] = float(seconds)
        segments = [(int(low), int(high), name) for word, low, high, name in
                    [line for line in lines if line[0] == "segment"]]
        return times, segments

    def test_each_size_uses_the_quickest_algorithm(self):
        gain = 0.05
        times, segments = self.switches(gain)
        # The root sends 15 messages one after another, and the last one arrives.
        self.assert_time(times[8]["flattree"], message(8) + 14 * (8 + 16) / BANDWIDTH, relative=0.01)
        ahead = 0
        for size, of_size in times.items():
            first, second = sorted(of_size, key=of_size.get)[:2]
            if of_size[second] > (1 + gain) * of_size[first]:
                ahead += 1
                self.assertEqual([name for low, high, name in segments if low <= size <= high], [first], size)
        self.assertGreater(ahead, 8)
        # Brackets are narrow if there is something to gain.
        self.assertGreater(len(times), 12)

    def test_an_island_is_found_if_it_contains_sizes(self):
        # At 65536 B the protocol changes, and for some sizes a tree gains 2.5 %.
        times, segments = self.switches(0.01)
        self.assertLess(times[65536]["binomial_tree"], times[65536]["scatter_rdb_allgather"])
        leader = {size: name for size in (65535, 65536, 131072) for low, high, name in segments if low <= size <= high}
        self.assertEqual(leader, {65535: "scatter_rdb_allgather", 65536: "binomial_tree",
                                  131072: "scatter_rdb_allgather"})


@unittest.skipUnless(FRONTENDS, "the suites are compiled for SMPI with -Dmpi=smpi")
class SuitesTest(SimulationTest):
    """Results of the suites' methods with known times of messages.

    A loop after a barrier reads the clock once, and its first call may wait one message for the other rank.
    """
    SKAMPI = "@NODE simulated\n@NETWORK cluster\n@USER tests\n@MEASUREMENTS\nMPI_Send-MPI_Recv {}\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def points(self, ranks, program, *arguments):
        record = self.folder / "record.jsonl"
        done = simulate(ranks, pathlib.Path(FRONTENDS) / program, *arguments, "--json", record, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        points = [record for record in map(json.loads, record.read_text().splitlines()) if record["record"] == "point"]
        self.assertGreater(len(points), 10)
        return points

    def assert_loop(self, time, truth, calls):
        """Returns the time of a call, measured with a loop."""
        self.assertGreaterEqual(time, truth - 1e-12)
        self.assertLessEqual(time, truth + (message(1) + 2 * READING) / calls)

    def test_pmb_ping_pong(self):
        for point in self.points(2, "pmb/PMB-MPI1", "-mem", 0.1, "PingPong"):
            self.assert_loop(2 * point["value"], 2 * message(point["at"]["bytes"]), point["iterations_per_sample"])

    def test_mpbench_round_trip(self):
        for point in self.points(2, "mpbench/mpbench", "-r", "-m", 14, "-i", 20):
            self.assert_loop(1 / point["value"], 2 * message(point["at"]["bytes"]), point["iterations_per_sample"])

    def test_osu_latency(self):
        for point in self.points(2, "osu/measure-osu", "osu_latency", "-i", 40, "-x", 10, "-m", "0:65536"):
            self.assert_time(point["estimate"]["median"], message(point["at"]["bytes"]) + READING / 2)

    def test_osu_bandwidth_is_a_window_and_its_answer(self):
        for point in self.points(2, "osu/measure-osu", "osu_bw", "-i", 40, "-x", 10, "-m", "1:65536"):
            size, window = point["at"]["bytes"], point["at"]["window"]
            truth = 2 * LATENCY + window * (size + 16) / BANDWIDTH + message(4)
            self.assert_time(window * size / point["estimate"]["median"], truth, more=2 * READING)

    def test_skampi_ping_pong(self):
        """Checks the minimum over samples, because in half of them the other rank has not arrived yet."""
        parameters = self.folder / "parameters"
        parameters.write_text(self.SKAMPI)
        for point in self.points(2, "skampi/skampi", "-f", parameters, "-o", self.folder / "out",
                                 "-l", self.folder / "log"):
            self.assert_time(point["estimate"]["min"], 2 * message(point["at"]["bytes"]) + READING, more=READING)

    def test_b_eff_rings(self):
        """One message to each neighbour: one after the other with MPI_Sendrecv, otherwise both at once over one link.
        With MPI_Alltoallv all other ranks also get a message of zero bytes."""
        for point in self.points(4, "b_eff/b_eff", "--quick", "--mem", 1, "--no-extra", "--reps", 1):
            messages, size, method = point["derived"]["messages"] // 4, point["at"]["bytes"], point["at"]["method"]
            in_turn = messages if method == "sendrecv" else 1
            heads = 3 if method == "alltoallv" else messages
            truth = in_turn * 2 * LATENCY + (messages * size + heads * 16) / BANDWIDTH
            calls = point["iterations_per_sample"]
            self.assert_loop(point["derived"]["loop_time"] / calls, truth, calls)
            self.assertAlmostEqual(point["value"] * point["derived"]["loop_time"] / calls / (4 * messages * size), 1)


if __name__ == "__main__":
    harness.main(sys.argv[8:])
