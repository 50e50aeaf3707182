#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf from outside: virtual topologies, neighbourhood and persistent collectives, communicators, memory.

usage: mpiperf_topology_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import sys

import harness
from mpiperf_harness import Mpiperf

NEIGHBOURS = "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw".split()
COMMUNICATORS = "Cart_create Comm_dup Comm_split Comm_split_type".split()
HALO = "Cart_shift+Sendrecv"
COLLECTIVES = ("Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce "
               "Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv").split()
INEIGHBOURS = ["I" + name.lower() for name in NEIGHBOURS]
PERSISTENT = [name + "_init" for name in COLLECTIVES]
QUICK = ("-z", "barrier", "-E", 2, "-r", 2, "-R", 8, "--sync-alg", "none")


class TopologyTest(Mpiperf):
    @staticmethod
    def topologies(ended):
        return [p["derived"]["topology"] for p in ended.points]

    def has_persistent(self):
        return "Bcast_init" in self.run_it("-q", ranks=0, record=False).out

    def test_topology_tests_are_listed(self):
        listed = [line.split()[0] for line in self.run_it("-q", ranks=0, record=False).out.splitlines()]
        for name in (*NEIGHBOURS, *INEIGHBOURS, *COMMUNICATORS, HALO, "Memory"):
            self.assertIn(name, listed)
        self.assertEqual([name for name in listed if name.endswith("_init") and name[:-5] in COLLECTIVES],
                         [] if "persistent" in harness.LACKS else PERSISTENT)
        self.assertEqual("Psend_init" in listed, "partitioned" not in harness.LACKS)

    @harness.slow
    def test_every_test_runs_on_a_grid_chosen_by_default(self):
        ended = self.measure(*QUICK, "-p", 1, "-g", 1, "-x", 5, "-X", 5, *NEIGHBOURS, HALO, *COMMUNICATORS, ranks=4)
        self.assertEqual([(p["benchmark"], p["at"]["ranks"]) for p in ended.points],
                         [(b, n) for b in (*NEIGHBOURS, HALO, *COMMUNICATORS) for n in (1, 2, 3, 4)])
        self.assertTrue(all(p["value"] > 0 for p in ended.points))
        for point in ended.points:
            if point["benchmark"] in COMMUNICATORS:
                self.assertNotIn("topology", point["derived"])
                continue
            found = point["derived"]["topology"]
            self.assertEqual(found["dimensions"], {1: [1], 2: [2], 3: [3], 4: [2, 2]}[point["at"]["ranks"]])
            self.assertTrue(found["periodic"])
            self.assertEqual(found["targets"]["max"], 2 * len(found["dimensions"]))
        self.assertIn("# Virtual topology: cart:periodic for tests that need one, reorder off", ended.out)

    @harness.not_quick
    def test_every_test_runs_on_a_requested_grid(self):
        ended = self.measure(*QUICK, "--topology", "cart:2x2", "--reorder", "on", "-X", 1, "Bcast", NEIGHBOURS[0],
                             "Cart_create", "WaitPatternNull", ranks=4)
        for found in self.topologies(ended):
            self.assertEqual((found["kind"], found["dimensions"], found["periodic"], found["reorder"]),
                             ("cart", [2, 2], False, True))
            self.assertTrue(0 <= found["reordered"] <= 4)
            self.assertEqual(found["targets"], {"min": 2, "mean": 2, "max": 2})
        self.assertEqual(ended.run["options"]["topology"], "cart:2x2")
        self.assertIs(ended.run["options"]["reorder"], True)
        self.assertIn("# Virtual topology: cart:2x2, reorder on", ended.out)

    @harness.slow
    def test_neighbourhood_collectives_overlap_and_run_in_blocking_mode(self):
        ended = self.measure(*QUICK, "-c", 1, "-x", 64, "-X", 64, *INEIGHBOURS, ranks=3)
        self.assertEqual([p["benchmark"] for p in ended.points], INEIGHBOURS)
        for point in ended.points:
            self.assertEqual(set(point["derived"]["phases"]), {"issue", "compute", "wait"})
            self.assertIn("overlap", point["derived"])
            self.assertEqual(point["derived"]["topology"]["dimensions"], [3])
            # Values of each rank appear only on request.
            self.assertNotIn("by_rank", point["derived"])
        ended = self.measure(*QUICK, "-b", "--topology", "dist_graph:1,-1,2", "-x", 64, "-X", 64, *INEIGHBOURS, ranks=3)
        for point in ended.points:
            self.assertEqual(set(point["derived"]["phases"]), {"issue", "wait"})

    @harness.slow
    def test_a_graph_can_be_read_from_a_file(self):
        star = self.folder / "star.txt"
        star.write_text("# one in the middle\n0: 1 2 3\n1: 0\n2: 0\n3: 0\n")
        ended = self.measure(*QUICK, "--topology", f"graph:{star}", "-X", 1, *NEIGHBOURS, "Allreduce", ranks=4)
        for found in self.topologies(ended):
            self.assertEqual(found["kind"], "graph")
            self.assertEqual(found["sources"], {"min": 1, "mean": 1.5, "max": 3})

    @harness.slow
    def test_a_directed_graph_can_come_from_a_file_or_from_offsets(self):
        out = self.folder / "out.txt"
        out.write_text("0: 1 2 3\n1:\n2:\n3:\n")
        ended = self.measure(*QUICK, "--topology", f"dist_graph:{out}", "-X", 1, *NEIGHBOURS, ranks=4)
        for found in self.topologies(ended):
            self.assertEqual(found["targets"], {"min": 0, "mean": 0.75, "max": 3})
            self.assertEqual(found["sources"], {"min": 0, "mean": 0.75, "max": 1})
        ended = self.measure(*QUICK, "--topology", "dist_graph:1,-1,2", "-p", 2, "-X", 1, *NEIGHBOURS, ranks=4)
        for found in self.topologies(ended):
            self.assertEqual((found["kind"], found["targets"]["min"]), ("dist_graph", 3))

    @harness.slow
    def test_epochs_cold_buffers_and_a_rotating_root_work_together(self):
        ended = self.measure(*QUICK, "--epochs", 2, "-d", "--max-mem", "64KiB", "--rotate-root", "--topology", "cart:0x0",
                             "-x", 512, "-X", 512, "Bcast", NEIGHBOURS[2], *(["Gatherv_init"] if self.has_persistent() else []),
                             ranks=4)
        for point in ended.points:
            self.assertEqual(len(point["derived"]["epochs"]), 2)
            self.assertGreater(point["derived"]["footprint"]["blocks"], 8)

    def test_a_bad_graph_file_is_reported_line_by_line(self):
        bad = self.folder / "bad.txt"
        bad.write_text("0: 1\n1: zero\n")
        self.assert_usage("--topology", f"graph:{bad}", "Bcast", ranks=2, place=f"{bad}:2:4: error: ", names=["zero"])

    @harness.slow
    def test_persistent_collectives_are_set_up_once(self):
        if not self.has_persistent():
            return
        for ranks, counts, names in ((2, (0, 9), PERSISTENT), (3, (9,), ["Allreduce_init", "Scatterv_init"])):
            ended = self.run_it(*QUICK, "-x", counts[0], "-X", 9, "-s", 9, *names, ranks=ranks)
            self.assert_valid(ended)
            self.assertEqual({(p["benchmark"], p["at"]["ranks"], p["at"]["count"]) for p in ended.points},
                             {(b, ranks, c) for b in names for c in counts})
            left_out = {p["benchmark"]: p["message"] for p in ended.points if p["status"] == "skipped"}
            self.assertEqual(ended.code, 4 if left_out else 0, ended.err)
            # MPICH 4.0.2 cannot execute these twice.
            self.assertLessEqual(set(left_out), {"Allgather_init", "Gather_init", "Scatter_init"}, left_out)
            self.assertEqual({line.removeprefix("mpiperf: warning: ") for line in ended.warnings() if "_init" in line},
                             set(left_out.values()))
            for point in ended.points:
                if point["status"] != "skipped":
                    self.assertGreater(point["derived"]["init"], 0)
        self.assertEqual(len(self.measure("-z", "nosync", "-X", 2, "Bcast_init").points), 2)

    # In MPICH 4.0.2 a failed call leaks memory.
    @harness.slow
    @harness.plain
    def test_an_operation_that_the_library_cannot_repeat_is_skipped(self):
        if not self.has_persistent():
            return
        ended = self.run_it(*QUICK, "-x", 8, "-X", 16, "Scatter_init", "Bcast_init", ranks=3)
        self.assert_valid(ended)
        scatter = [p for p in ended.points if p["benchmark"] == "Scatter_init"]
        self.assertEqual(len(scatter), 2)
        if ended.code == 0:
            return  # this library can
        self.assertEqual(ended.code, 4)
        for point in scatter:
            self.assertEqual((point["status"], point["message"]),
                             ("skipped", "this MPI library fails in the second Scatter_init on 3 processes"))
        self.assertEqual([p["value"] > 0 for p in ended.points if p["benchmark"] == "Bcast_init"], [True, True])

    @harness.not_quick
    def test_memory_is_reported_phase_by_phase(self):
        ended = self.measure(*QUICK, "-X", 1, "Memory", "Bcast", "Alltoall", ranks=4)
        rows = [p for p in ended.points if p["benchmark"] == "Memory"]
        self.assertEqual([(p["at"]["ranks"], p["at"]["phase"]) for p in rows],
                         [(4, "init"), (2, "communicator"), (2, "contact"), (4, "communicator"), (4, "contact"),
                          (4, "Bcast"), (4, "Alltoall")])
        for point in rows:
            over, derived = point["over_ranks"], point["derived"]
            self.assertEqual((point["quantity"], point["unit"]), ("memory", "B"))
            self.assertTrue(1 << 20 < over["min"] <= point["value"] <= over["max"])
            self.assertGreater(derived["anonymous"]["min"], 0)
            self.assertGreaterEqual(derived["file"]["min"], 0)
            self.assertEqual(set(derived), {"delta", "peak", "anonymous", "file", "shared", "huge"})
        self.assertEqual(rows[0]["derived"]["delta"], 0)
        summary = next(r for r in ended.records if r["record"] == "summary")
        self.assertEqual(summary["derived"]["processes"], [2, 4])
        (x1, x2), (y1, y2) = summary["derived"]["processes"], summary["derived"]["taken"]
        self.assertAlmostEqual(summary["value"], (y2 - y1) / (x2 - x1), places=3)
        self.assertAlmostEqual(summary["derived"]["a"] + 2 * summary["derived"]["b"], y1, places=3)
        table = ended.out[ended.out.index("[RSS_min]"):].splitlines()
        self.assertEqual(table[0].replace("[", "").replace("]", "").split(), "RSS_min RSS_mean RSS_max HWM_max dRSS".split())
        self.assertEqual([line.split()[:2] for line in table[1:8]], [[str(p["at"]["ranks"]), p["at"]["phase"]] for p in rows])

    @harness.not_quick
    def test_memory_can_be_measured_alone_and_in_small_worlds(self):
        for ranks, phases in ((1, 3), (2, 3)):
            ended = self.measure("memory", ranks=ranks)
            self.assertEqual(len(ended.points), phases)
            self.assertIn("none, it needs at least two numbers of processes", ended.out)
        ended = self.run_it("--list", "--ranks", 4, "-X", 1, "Bcast", "Memory", ranks=0, record=False)
        self.assertEqual(ended.out.splitlines()[1:], [f"Memory ranks={n} phase={p}" for n in (2, 4)
                                                      for p in ("communicator", "contact")] +
                         ["Memory ranks=4 phase=Bcast", "Bcast ranks=4 count=1 bytes=1"])


if __name__ == "__main__":
    harness.main(sys.argv[5:])
