#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure model from outside: pieces, breaks, the document, and refused input.

usage: measure_model_test.py MEASURE MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]

YIELD_HELPER: see measure_test.py.
"""
import json
import math
import pathlib
import random
import sys

import harness
from harness import LIMIT, plain

MEASURE, MPIPERF = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
harness.ProgramTest.tools(*sys.argv[3:6])

RUN = {"record": "run", "schema": 2, "suite": "own", "program": "halo", "version": "0.1.0", "command": ["halo"],
       "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"}, "ranks": 2,
       "hosts": [{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": None}], "oversubscribed": False, "kernel": None,
       "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None}, "clock_sync": None,
       "options": {"seed": 1}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}


def point(benchmark, at, value, **more):
    return {"record": "point", "benchmark": benchmark, "at": at, "quantity": "time", "unit": "s", "value": value,
            "status": "converged", "estimate": None, "attempts": 32, "valid": 30, "kept": 16, "invalid": {},
            "derived": {}, "flags": [], "elapsed": 0.5} | more


def cost(benchmark, size, ranks):
    """The true times: a broadcast that changes its algorithm at 4 KiB, and a reduction that does so far too late."""
    if benchmark == "Bcast":
        return (1e-6 + 1e-9 * size) * math.log2(ranks) if size <= 4096 else 6e-6 * math.log2(ranks) + 0.2e-9 * size
    return 10e-6 + 1e-9 * size if size <= 65536 else 20e-6 + 0.1e-9 * size


def points(noise=0.005):
    chance = random.Random(1)
    for ranks in (2, 4, 8):
        for benchmark in ("Bcast", "Reduce"):
            for i in range(20):
                yield point(benchmark, {"ranks": ranks, "count": 2 ** i, "bytes": 2 ** i},
                            cost(benchmark, 2 ** i, ranks) * (1 + noise * chance.gauss(0, 1)))
        yield point("Barrier", {"ranks": ranks}, 1e-6 * ranks)


def time_of(model, size, ranks):
    """Computes a time from the document, as its description says."""
    for one in model["by_ranks"]:
        if one["ranks"] == ranks:
            number = sum(b["at"] < size for b in one["breaks"])
            return one["pieces"][number]["alpha"] + one["pieces"][number]["beta"] * size
    over = model["over_ranks"]
    piece = next(p for p in over["pieces"] if size <= p["high"])
    scale = {"constant": 0, "log2(p)": math.log2(ranks), "p": ranks}
    alpha, beta = (piece[name]["c0"] + piece[name]["c1"] * scale[piece[name]["form"]] for name in ("alpha", "beta"))
    return alpha + beta * size


class ModelTest(harness.ProgramTest):
    def run_it(self, *arguments, record=False, **keywords):
        process = self.launch(MEASURE, "model", *arguments, ranks=0, record=record, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, pathlib.Path("/nonexistent"))
        return ended

    def file(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def refused(self, *arguments, text):
        ended = self.run_it(*arguments)
        self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
        self.assertIn(text, ended.err[0])

    def modelled(self):
        """Returns the document of the made-up measurements."""
        source = self.file("source.jsonl", RUN, *points(), END)
        ended = self.run_it(source, "--json", self.folder / "model.json")
        self.assertEqual((ended.code, ended.err), (0, []))
        return ended, harness.document(MEASURE, (self.folder / "model.json").read_text())

    def test_breaks_and_forms_are_found(self):
        ended, document = self.modelled()
        bcast, reduce, barrier = (next(m for m in document["models"] if m["identifier"] == name)
                                  for name in ("Bcast", "Reduce", "Barrier"))
        for one in bcast["by_ranks"]:
            self.assertEqual(len(one["breaks"]), 1)
            self.assertIn(one["breaks"][0]["low"], (2048, 4096, 8192))
            self.assertLess(one["relative_error"], 0.02)
        for one in reduce["by_ranks"]:
            (only,) = one["breaks"]
            self.assertEqual(only["badly_placed"]["too"], "late")
            self.assertAlmostEqual(only["badly_placed"]["saving"], 1 - 26.5536 / 75.536, delta=0.05)
        self.assertIn("badly placed: the change at", ended.out)
        self.assertEqual(bcast["over_ranks"]["pieces"][0]["beta"]["form"], "log2(p)")
        self.assertEqual(reduce["over_ranks"]["pieces"][0]["alpha"]["form"], "constant")
        self.assertEqual(barrier["over_ranks"]["pieces"][0]["alpha"]["form"], "p")

    def test_the_document_reproduces_the_true_times(self):
        for model in self.modelled()[1]["models"]:
            for size in (1, 3, 1024, 16384, 100000, 524288):
                for ranks in (2, 3, 4, 7, 8):
                    if model["has_sizes"]:
                        truth = cost(model["benchmark"], size, ranks)
                        self.assertAlmostEqual(time_of(model, size, ranks) / truth, 1, delta=0.05)

    def test_the_document_can_be_written_to_standard_output(self):
        source = self.file("source.jsonl", RUN, *points(), END)
        ended = self.run_it(source, "--json", "-")
        self.assertEqual(ended.code, 0)
        self.assertEqual(json.loads(ended.out)["document"], "measure model")
        self.assertTrue(ended.err[0].startswith("Bcast "), ended.err[0])

    def test_several_files_have_their_labels_in_the_models(self):
        source = self.file("a.jsonl", RUN, *points(), END)
        other = self.file("b.jsonl", RUN, *points(0.001), END)
        ended = self.run_it(source, other, "--labels", "old,new", "--json", "-")
        self.assertEqual(ended.code, 0)
        models = json.loads(ended.out)["models"]
        self.assertEqual(sorted(m["identifier"] for m in models if m["benchmark"] == "Bcast"),
                         ["Bcast_new", "Bcast_old"])

    def test_a_report_contains_the_models_and_exports_them(self):
        source = self.file("source.jsonl", RUN, *points(), END)
        page, document = self.folder / "report.md", self.folder / "model.json"
        process = self.launch(MEASURE, "report", source, "-o", page, "--model", document, ranks=0, record=False)
        self.assertEqual((process.wait(LIMIT), process.stderr.read()), (0, ""))
        self.assertIn("Models", page.read_text())
        self.assertIn("comes too late", page.read_text())
        self.assertEqual(len(json.loads(document.read_text())["models"]), 3)
        document.unlink()
        process = self.launch(MEASURE, "report", source, "-o", self.folder / "report.csv", "--model", document, ranks=0,
                              record=False)
        self.assertEqual((process.wait(LIMIT), process.stderr.read()), (0, ""))
        self.assertEqual(len(json.loads(document.read_text())["models"]), 3)

    def test_unusable_input_is_refused(self):
        source = self.file("source.jsonl", RUN, *points(), END)
        self.refused(source, "--json", "/nonexistent/model.json", text="/nonexistent/model.json")
        page = self.folder / "page.md"
        process = self.launch(MEASURE, "report", source, "-o", page, "--model", page, ranks=0, record=False)
        self.assertEqual(process.wait(LIMIT), 2)
        self.assertIn("is the file of", process.stderr.read())
        self.assertFalse(page.exists())
        self.refused(self.file("input.json", RUN, END), "--json", self.folder / "input.json", text="is an input")
        broken = self.folder / "broken"
        broken.write_text("<html>")
        self.refused(broken, text="this is not a record file")

    def test_hostile_values_are_handled_safely(self):
        odd = [point("Bcast", {"ranks": 2, "bytes": size}, value) for size, value in
               ((1, 1e-320), (2, 1e308), (4, None), (8, -1.0), (16, 0), (32, 1e-9), (64, 1e300), (2 ** 62, 1e-6))]
        odd += [point("*/ int x; /*", {"ranks": 10 ** 12, "bytes": 2 ** i}, 1e-6, message="\n") for i in range(6)]
        odd += [point("at", {"ranks": 2, "bytes": 2 ** i}, 1e-6 * 1000 ** (i % 2)) for i in range(9)]
        odd += [point("count", {"ranks": 2, "bytes": 2 ** i}, 1e-6) for i in range(4)]
        odd += [point("Text", {"ranks": "two", "bytes": "many"}, 1e-6)] * 3
        ended = self.run_it(self.file("odd", RUN, *odd), "--json", "-")
        self.assertEqual(ended.code, 0)
        self.assertEqual(json.loads(ended.out)["document"], "measure model")

    @plain
    @harness.not_quick
    def test_a_real_run_has_a_model(self):
        process = self.launch(MPIPERF, "-z", "barrier", "-E", "10", "-x", "1", "-X", "65536", "Pingpong", "Send")
        process.communicate(timeout=LIMIT)
        ended = self.run_it(self.json, "--json", "-")
        self.assertEqual(ended.code, 0, ended.err)
        document = harness.document(MEASURE, ended.out)
        self.assertEqual([m["benchmark"] for m in document["models"]], ["Pingpong", "Send"])
        for model in document["models"]:
            if not model["by_ranks"]:  # a busy machine
                self.assertIn("scatter too much", model["notes"][0])
                continue
            self.assertGreater(model["by_ranks"][0]["sizes"], 5)
            self.assertGreater(model["by_ranks"][0]["pieces"][0]["alpha"], 0)
        (parameters,) = document["loggp"]
        self.assertTrue(parameters["o"]["value"] is None or parameters["o"]["value"] > 0)
        self.assertIn("mpbench bandwidth", parameters["g"]["from"])


if __name__ == "__main__":
    harness.main(sys.argv[6:])
