#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The C and Fortran interfaces: runs programs in these languages, checks their records and compares the declarations.

usage: c_api_test.py C_PROGRAM LIBRARY REGIONS_LIBRARY VALIDATE_RECORDS LAUNCHER YIELD_HELPER PURE_C FORTRAN_PROGRAM
       FORTRAN_EXAMPLE FORTRAN_MODULE FORTRAN_SUBMODULE [UNITTEST OPTIONS]

Arguments for parts that were not built are empty. In a sanitized build only the C program runs, on two ranks.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.append(str(TOP / "tests/frontends"))
import harness  # noqa: E402  (the path is known only now)
from harness import LIMIT, plain, slow  # noqa: E402

C_PROGRAM, LIBRARY, REGIONS, VALIDATE, LAUNCHER, YIELD, PURE_C, FORTRAN_PROGRAM, FORTRAN_EXAMPLE = sys.argv[1:10]
MODULE, SUBMODULE = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[10:12])
harness.ProgramTest.tools(VALIDATE, LAUNCHER, YIELD)

HEADER = (TOP / "libmeasure/include/measure.h").read_text(encoding="utf-8")
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)
FUNCTIONS = set(re.findall(r"\b(measure_\w+)\([^)]*\);", CODE))
OF_REGIONS = {name for name in FUNCTIONS if name.startswith("measure_region")}
# Fortran has no equivalent of C's MPI_Comm.
C_ALONE = {"measure_comm_create"}
built_fortran = unittest.skipUnless(FORTRAN_PROGRAM, "no Fortran here")


class InterfaceTest(harness.ProgramTest):
    timed = False  # no test here depends on slots that are kept

    def run_program(self, program, *arguments, ranks=2):
        """Returns the lines of its output."""
        process = self.launch(os.path.abspath(program), *arguments, ranks=ranks, record=False)
        out, err = process.communicate(timeout=LIMIT)
        self.assertIn(process.returncode, (0, 4), out + err)
        self.code = process.returncode
        return out.splitlines()

    def lines(self, name):
        path = self.folder / name
        self.assert_valid_file(path)
        return harness.Ended(0, "", "", path).records

    def check_c(self, ranks):
        out = self.run_program(C_PROGRAM, self.folder, ranks=ranks)
        self.assertEqual(self.code, 0)
        self.assertEqual(len(out), 14, out)
        self.assertTrue(all(line.startswith("passed ") for line in out), out)
        self.check_records(ranks)
        self.check_regions("regions.jsonl", "solver", ranks, {"step": 10, "step/halo": 10}, 3)
        self.check_regions("asked_for.jsonl", "", ranks, {"step": 1}, 0)

    def check_regions(self, file, name, ranks, entries, samples):
        run, *points, _ = self.lines(file)
        self.assertEqual((run["suite"], run["ranks"], run["options"]["name"]), ("regions", ranks, name))
        self.assertEqual({p["benchmark"]: p["valid"] // ranks for p in points}, entries)
        for rank in (rank for p in points for rank in p["derived"]["by_rank"]):
            self.assertEqual(len(rank.get("samples", [])), samples)

    def check_records(self, ranks):
        run, *points, end = self.lines("record.jsonl")
        self.assertEqual(run["ranks"], ranks)
        self.assertEqual(run["command"], ["c_api_test", "with an argument"])
        self.assertEqual([run["options"][name] for name in ("start", "aim", "count")], ["barrier", "count", 8])
        self.assertEqual(points[0]["at"], {"bytes": 5000000000, "share": 0.25, "kind": 'dense "A"'})
        self.assertEqual([p["unit"] for p in points], ["s", "B/s", "1/s", "flop/s", "s", "s", "s"])
        self.assertEqual(len(points[0]["samples"]), 8)
        time = points[0]["value"]
        for point, work in zip(points[1:4], (8, 2, 100)):
            self.assertAlmostEqual(point["value"] * time / work, 1)
        self.assertEqual([p["status"] for p in points[4:6]], ["skipped", "crashed"])
        self.assertEqual([p["message"] for p in points[4:6]], ["too large", "wrong sum"])
        self.assertEqual((end["status"], end["exit_code"]), ("complete", 4))
        run, end = self.lines("failed.jsonl")
        self.assertEqual(run["command"], ["c_api_test"])
        self.assertEqual((end["status"], end["message"]), ("failed", "it broke"))
        # A wrong argument opens no file. A record that was not ended says that its run was killed.
        self.assertFalse((self.folder / "never.jsonl").exists())
        run, point = self.lines("killed.jsonl")
        self.assertEqual((run["record"], point["record"]), ("run", "point"))
        self.assertEqual((run["program"], run["suite"]), ("./C API", "c_api"))

    @plain
    @harness.not_quick
    def test_c_on_one_rank(self):
        self.check_c(1)

    @harness.not_quick
    def test_c_on_two_ranks(self):
        self.check_c(2)

    @slow
    @plain
    def test_c_on_more_ranks_than_cores(self):
        self.check_c(4)

    @built_fortran
    @harness.not_quick
    def test_fortran(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.assertEqual(self.run_program(FORTRAN_PROGRAM, self.folder, ranks=ranks), ["passed fortran"])
                run, *points, end = self.lines("fortran.jsonl")
                self.assertEqual(run["command"][1:], [str(self.folder)])
                self.assertEqual(points[0]["at"],
                                 {"bytes": 5000000000, "ranks": ranks, "share": 0.25, "kind": "halo"})
                self.assertEqual([p["status"] for p in points], ["converged", "converged", "skipped"])
                self.assertEqual((end["exit_code"], end["message"]), (3, "wrong sum"))
                self.check_regions("regions.jsonl", "fortran", ranks, {"step": 5, "step/halo": 5}, 2)
                (self.folder / "regions.jsonl").unlink()

    def check_example(self, program, name, benchmark, sizes):
        out = self.run_program(program, self.folder / "example.jsonl")
        run, *points, end = self.lines("example.jsonl")
        self.assertEqual(run["program"], name)
        self.assertEqual([(p["benchmark"], p["at"]) for p in points],
                         [(benchmark, {"ranks": 2, "bytes": n}) for n in sizes])
        self.assertEqual(end["exit_code"], self.code)
        self.assertEqual(self.code == 4, any(p["status"] == "no_valid_samples" for p in points))
        for line, point in zip(out, points, strict=True):
            self.assertRegex(line, r"^ +{} B +\S+ us \+- +\S+ us  {} of {} samples valid, stopped: {}$".format(
                point["at"]["bytes"], point["valid"], point["attempts"], point["stop_reason"]))

    @unittest.skipUnless(PURE_C, "no examples here")
    @harness.not_quick
    def test_the_example_in_c(self):
        self.check_example(PURE_C, "pure_c", "ring", (8, 128, 2048, 32768))

    @unittest.skipUnless(FORTRAN_EXAMPLE, "no examples here")
    @harness.not_quick
    def test_the_example_in_fortran(self):
        self.check_example(FORTRAN_EXAMPLE, "fortran_halo", "halo", (8, 128, 2048, 32768))


@plain
class DeclarationTest(unittest.TestCase):
    @unittest.skipUnless(LIBRARY, "no shared libraries here")
    def test_the_libraries_export_what_the_header_declares(self):
        self.assertGreater(len(FUNCTIONS), 50)
        self.assertEqual(len(OF_REGIONS), 7)
        for library, functions in ((LIBRARY, FUNCTIONS - OF_REGIONS), (REGIONS, OF_REGIONS)):
            out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
            self.assertEqual(set(re.findall(r" T (measure_\w+)$", out, re.MULTILINE)), functions)

    def test_fortran_binds_every_function(self):
        for source, functions in ((MODULE, FUNCTIONS - C_ALONE - OF_REGIONS), (SUBMODULE, OF_REGIONS)):
            bound = re.findall(r"(\w+)\([^()]*\) *(?:&\n *)?bind\(C, name=\"(measure_\w+)\"\)", source)
            self.assertEqual({c for _, c in bound}, functions)
            procedures = source.split("\ncontains\n", 1)[1]
            for name, c_name in bound:
                with self.subTest(function=c_name):
                    self.assertEqual(len(re.findall(rf"\b{name}\(", procedures)), 1)

    def test_every_fortran_procedure_is_tested(self):
        test = (HERE / "fortran_test.f90").read_text(encoding="utf-8")
        public = set(re.findall(r"\bmeasure_\w+", "".join(re.findall(r"public ::((?:.*&\n)*.*)\n", MODULE))))
        self.assertGreater(len(public), 60)
        codes = set(re.findall(r"enumerator :: (\w+)", MODULE))
        types = set(re.findall(r"^    type(?:, bind\(C\))? :: (\w+)", MODULE, re.MULTILINE))
        interfaces = {"measure_body", "measure_finish", "measure_prepare"}
        for name in public - codes - types - interfaces:
            self.assertRegex(test, rf"\b{name}\(")

    def test_structs_are_the_same_in_c_and_fortran(self):
        c_types = {"double": "real(c_double)", "int64_t": "integer(c_int64_t)"}
        structs = re.findall(r"typedef struct (\w+) \{(.*?)\}", CODE, re.DOTALL)
        compared = 0
        for name, body in structs:
            fields = re.findall(r"(double|int64_t) (\w+);", body)
            if len(fields) == body.count(";"):
                fortran = re.search(rf"type, bind\(C\) :: {name}\n(.*?)end type", MODULE, re.DOTALL)[1]
                self.assertEqual([f"{c_types[t]} :: {f}" for t, f in fields],
                                 re.findall(r"^ *(\w.*)", fortran, re.MULTILINE))
                compared += 1
        self.assertEqual(compared, 8)
        size = re.search(r"MEASURE_MESSAGE_SIZE (\d+)", HEADER)[1]
        self.assertIn(f"message_size = {size}\n", MODULE)

    def test_codes_are_the_same_in_c_and_fortran(self):
        codes = {name.lower(): int(value) for name, value in re.findall(r"\b(MEASURE_\w+) = (\d+)", CODE)}
        self.assertEqual(len(codes), 13)
        self.assertEqual(codes, {n: int(v) for n, v in re.findall(r"enumerator :: (\w+) = (\d+)", MODULE)})

    def test_declarations_without_a_rule_are_refused(self):
        folder = TOP / "libmeasure/fortran"
        for line, words in (("int measure_comm_add(measure_comm* comm, float share);",
                             "no rule for 'float' of measure_comm_add"),
                            ("int measure_each(measure_comm* comm, int (*call)(void*));",
                             "function not understood: measure_each"),
                            ("int measure_many(measure_comm* comm, size_t count, measure_error* error);",
                             "no rule for 'size_t' of measure_many"),
                            ("float measure_share(measure_comm const* comm);", "no rule for 'float' of measure_share"),
                            ("enum { measure_unnamed = 1 };", "an enum not understood"),
                            ("typedef struct measure_new {\n    float share; /**< of all */\n} measure_new;",
                             "not understood, and in no template:\n    float")):
            with self.subTest(line=line), tempfile.TemporaryDirectory() as scratch:
                header = pathlib.Path(scratch) / "measure.h"
                header.write_text(f"{HEADER}{line}\n", encoding="utf-8")
                templates = [word for path in folder.glob("*.in.f90") for word in (path, header.with_suffix(".f90"))]
                done = subprocess.run([sys.executable, folder / "generate.py", header, *templates], text=True,
                                      stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_the_documentation_shows_the_examples(self):
        page = (TOP / "docs/c_api.md").read_text(encoding="utf-8")
        example = (TOP / "examples/pure_c.c").read_text(encoding="utf-8")
        self.assertIn(f"```c\n{example}```\n", page)
        self.assertTrue((TOP / "examples/fortran_halo.f90").is_file())
        self.assertIn("(../examples/fortran_halo.f90)", page)

    def test_the_documentation_names_every_setting(self):
        plans = (TOP / "libmeasure/src/c_api/plan.cpp").read_text(encoding="utf-8")
        tables = plans[plans.index("text_settings[]"):plans.index("/// The row of a table")]
        names = re.findall(r"^    \{\"(\w+)\",", tables, re.MULTILINE)
        self.assertEqual(len(names), 30)
        for name in names:
            self.assertRegex(HEADER, rf"(?m)^ \*     {name} +\S")


if __name__ == "__main__":
    harness.main(sys.argv[12:])
