#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with a user's own benchmarks: the examples, and a program that ends in every possible way.

usage: own_test.py FOLDER_OF_EXAMPLES PROBE VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import fcntl
import json
import os
import pathlib
import signal
import sys

import harness
from harness import LIMIT, Ended, after_signal_to_launcher, after_signal_to_launcher_says, slow

EXAMPLES, PROBE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
harness.ProgramTest.tools(*sys.argv[3:6])
# Arguments for busy machines: these starts are valid however late they are.
ANY_TIME = ("--start", "dissemination")


class OwnTest(harness.ProgramTest):
    def run_program(self, name, *arguments, **keywords):
        program = str(PROBE if name == "own_probe" else EXAMPLES / name)
        process = self.launch(program, *arguments, cwd=self.folder, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return Ended(process.returncode, out, err, self.json)

    def listed(self, name, *arguments):
        shown = self.run_program(name, "--list", *arguments, ranks=0, record=False)
        self.assertEqual((shown.code, shown.err), (0, []))
        return shown.out.splitlines()

    def assert_complete(self, ended, code=0):
        self.assertEqual((ended.code, ended.errors()), (code, []), ended.err)
        self.assert_valid(ended)
        self.assertEqual((ended.end["record"], ended.end["exit_code"]), ("end", code))

    # The examples.

    @harness.not_quick
    def test_every_example_measures(self):
        for name, arguments, points in (("own_allreduce", ANY_TIME, 6), ("own_notify", ANY_TIME, 2),
                                        ("own_stop", ANY_TIME, 2), ("own_timer", (), 2),
                                        ("own_checkpoint", ("--bytes", "4K"), 2)):
            with self.subTest(name=name):
                ended = self.run_program(name, *arguments)
                self.assert_complete(ended)
                self.assertEqual(len(ended.points), points)
                for point in ended.points:
                    self.assertEqual(point["at"]["ranks"], 2)
                    self.assertGreater(point["value"], 0)
                    self.assertGreater(point["valid"], 0)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["record.jsonl"])

    @slow
    def test_an_example_on_one_rank_measures_or_says_what_it_needs(self):
        for name in ("own_allreduce", "own_checkpoint", "own_exchange", "own_stop"):
            with self.subTest(name=name):
                ended = self.run_program(name, *ANY_TIME, "--bytes", "8", ranks=0)
                self.assert_complete(ended)
                self.assertEqual({point["at"]["ranks"] for point in ended.points}, {1})
        for name in ("own_notify", "own_timer"):
            with self.subTest(name=name):
                ended = self.run_program(name, ranks=0, record=False)
                self.assertEqual((ended.code, ended.err),
                                 (2, [f"{name}: error: --ranks: 2 are needed, but there is only 1"]))

    @harness.not_quick
    def test_an_example_for_two_ranks_skips_other_numbers_of_ranks(self):
        for name, ranks in (("own_notify", 1), ("own_notify", 3), ("own_timer", 1), ("own_timer", 3)):
            with self.subTest(name=name, ranks=ranks):
                ended = self.run_program(name, "--ranks", ranks, ranks=max(ranks, 2))
                self.assert_complete(ended, 4)
                self.assertEqual({(point["status"], point["message"]) for point in ended.points},
                                 {("skipped", "needs two ranks")})

    def test_an_own_stopping_rule_is_named_as_stop_reason(self):
        ended = self.run_program("own_stop", *ANY_TIME, "--bytes", "8")
        self.assertEqual(ended.points[0]["stop_reason"], "own")
        self.assertTrue(any(line.startswith("# ranks=2 bytes=8: median of 8 ") for line in ended.err), ended.err)

    @harness.not_quick
    def test_an_own_timer_is_the_default_and_others_can_be_selected(self):
        ended = self.run_program("own_timer", "--wait", "1ms")
        self.assertEqual((ended.run["timer"]["name"], ended.points[0]["quantity"]), ("process", "ratio"))
        ended = self.run_program("own_timer", "--wait", "1ms", "--timer", "Monotonic")
        self.assertEqual(ended.run["timer"]["name"], "monotonic")
        self.assertGreaterEqual(ended.points[0]["value"], 0.9)

    @harness.not_quick
    def test_an_own_synchroniser_is_the_default_and_others_can_be_selected(self):
        ended = self.run_program("own_sync")
        self.assertEqual((ended.run["clock_sync"]["algorithm"], ended.errors()), ("shortest", []))
        self.assert_valid(ended)
        self.assertIsNotNone(ended.points[0]["derived"]["sync"]["residual"])
        # Changing only the start keeps the program's own synchroniser; naming one of the library's replaces it.
        for arguments, name in ((("--start", "roundtime"), "shortest"), (("--sync-alg", "tree"), "tree")):
            ended = self.run_program("own_sync", *arguments)
            self.assertEqual(ended.run["clock_sync"]["algorithm"], name)

    @harness.not_quick
    def test_a_benchmark_compared_with_a_baseline_has_a_ratio(self):
        ended = self.run_program("own_allreduce", *ANY_TIME, "--bytes", "8,64")
        self.assertEqual([point["benchmark"] for point in ended.points], ["MPI_Allreduce", "gather_and_add"] * 2)
        reference, own = ended.points[:2]
        ratio = own["derived"]["ratio"]
        self.assertEqual(ratio["of"], "MPI_Allreduce")
        # The ratio is that of pairs of stages, not of the two values.
        self.assertGreater(ratio["value"], 0)
        self.assertGreater(ratio["standard_error"], 0)
        self.assertTrue(ratio["interval"][0] < ratio["value"] < ratio["interval"][1], ratio)
        self.assertNotIn("ratio", reference["derived"])
        self.assertEqual(sum("  to MPI_Allreduce " in line for line in ended.out.splitlines()), 2)
        alone = self.run_program("own_allreduce", *ANY_TIME, "--bytes", "8", "gather_and_add")
        self.assertEqual([point["benchmark"] for point in alone.points], ["gather_and_add"])
        self.assertNotIn("ratio", alone.points[0]["derived"])

    def test_a_suite_prints_its_benchmarks_as_a_table(self):
        ended = self.run_program("own_suite", *ANY_TIME, "-b", "8,64", "--stop", "count:10", ranks=2)
        self.assert_complete(ended)
        self.assertEqual(len(ended.points), 20)
        self.assertEqual({point["stop_reason"] for point in ended.points} - {"count", "exhausted"}, set())
        self.assertEqual(ended.run["options"]["stop"], "count:10")
        head, *rows = [line.split() for line in ended.out.splitlines() if not line.startswith("#")]
        self.assertEqual(head, "benchmark ranks bytes t[us] +- valid verdict".split())
        self.assertEqual(len(rows), 20)
        for row, point in zip(rows, ended.points):
            self.assertEqual(row[:3], [point["benchmark"], "2", str(point["at"]["bytes"])])
            self.assertAlmostEqual(float(row[3]), point["value"] * 1e6, delta=0.0006)
        listed = self.listed("own_suite", "-n", "2", "-b", "8", "bcast", "ping_pong")
        self.assertEqual(listed, ["bcast ranks=2 bytes=8", "ping_pong ranks=2 bytes=8"])

    @slow
    def test_the_table_is_available_in_other_formats(self):
        form = lambda name: self.run_program("own_suite", *ANY_TIME, "-b", "8", "--stop", "count:4", "--format", name,
                                             "barrier", record=False, ranks=2).out.splitlines()
        csv = form("csv")
        self.assertEqual((csv[0], len(csv)), ("benchmark,ranks,bytes,t[us],+-,valid,verdict", 2))
        self.assertEqual(len(csv[1].split(",")), 7)
        self.assertTrue(form("markdown")[1].startswith("| --- | ---: "))
        self.assertEqual((form("html")[-1], form("tsv")[0].split("\t")[0]), ("</tbody></table>", "benchmark"))
        plain = self.run_program("own_exchange", *ANY_TIME, "--bytes", "8", "--refine", "0", "--format", "csv",
                                 record=False).out.splitlines()
        self.assertEqual((plain[0].split(",")[:3], len(plain)), (["benchmark", "ranks", "bytes"], 2))
        # In the format for gnuplot every line is a comment or numbers; the page for a browser is complete.
        dat = [line for line in form("dat") if not line.startswith("#")]
        self.assertEqual((len(dat), len(dat[0].split())), (1, 7))
        whole = self.run_program("own_exchange", *ANY_TIME, "--bytes", "8", "--refine", "0", "--format", "html",
                                 record=False).out.splitlines()
        self.assertEqual((whole[-1], whole[0][:7]), ("</tbody></table>", "<table>"))

    def test_options_of_the_plan_are_accepted(self):
        ended = self.run_program("own_exchange", "--bytes", "8", "--refine", "0", "--stop",
                                 "any(count:4,at_most=40,time:5s)", "--trim", "0", "--confidence", "0.9", "--batch", "2",
                                 *ANY_TIME)
        self.assert_complete(ended)
        (point,) = ended.points
        self.assertEqual((point["estimate"]["confidence"], point["iterations_per_sample"]), (0.9, 2))
        self.assertEqual(point["kept"], point["valid"])

    @slow
    def test_refinement_adds_points_to_the_last_axis_and_can_be_switched_off(self):
        ended = self.run_program("own_exchange", *ANY_TIME, "--bytes", "8..64K:*8")
        given = [8, 64, 512, 4096, 32768, 65536]
        # Repeated points come last.
        self.assertLessEqual(set(given), {point["at"]["bytes"] for point in ended.points})
        self.assertRegex(ended.out, r"\n# refinement of bytes ended by: (accuracy|noise_guard|limit|exhausted)\n$")
        ended = self.run_program("own_exchange", *ANY_TIME, "--bytes", "8..64K:*8", "--refine", "0")
        self.assertEqual(sorted(point["at"]["bytes"] for point in ended.points), given)
        self.assertIsNone(ended.run["options"]["refine"])

    # Command line.

    def test_help_names_axes_benchmarks_and_the_common_options(self):
        shown = self.run_program("own_allreduce", "--help", record=False)
        self.assertEqual((shown.code, shown.err, shown.out.count("Usage: own_allreduce [options] NAME...")), (0, [], 1))
        for text in ("--bytes LIST", "(default 8,512,32768)", "--ranks LIST", "(default all)", "--refine EPS",
                     "--start NAME", "--strict", "  gather_and_add            MPI_Allgather and a local sum"):
            self.assertIn(text, shown.out)
        self.assertNotRegex(shown.out, r"\(default [^)]*\)\s+\(default")
        self.assertLessEqual(max(map(len, shown.out.splitlines())), 80)

    def test_version_prints_that_of_the_program(self):
        shown = self.run_program("own_probe", "--version", record=False)
        self.assertEqual((shown.code, shown.out, shown.err), (0, "Own_Probe 7.5.0\n", []))

    # Refusals that need options only, and invalid programs, are tested in tests/unit/own_refusals_test.cpp.

    def test_an_invalid_program_is_refused_before_it_measures(self):
        ended = self.run_program("own_probe", "good", environment={"OWN_PROBE": "twins"})
        text = "Own_Probe: error: the benchmark name 'GOOD' is empty or used twice"
        self.assertEqual((ended.code, ended.err, ended.records), (2, [text], []))

    def test_a_benchmark_selected_alone_may_have_its_own_points(self):
        alone = self.run_program("own_probe", "good", "--list", ranks=0, record=False,
                                 environment={"OWN_PROBE": "compared"})
        self.assertEqual((alone.code, len(alone.out.splitlines())), (0, 2))

    def test_a_record_that_another_process_writes_is_left_unchanged(self):
        with self.json.open("w", encoding="utf-8") as other:
            fcntl.lockf(other, fcntl.LOCK_EX)
            other.write('{"record": "old"}\n')
            other.flush()
            ended = self.run_program("own_probe", "good")
            self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
            self.assertRegex(ended.err[0], "^Own_Probe: error: --json: cannot write '.*': another run is writing it$")
            self.assertEqual(ended.records, [{"record": "old"}])
        self.assert_complete(self.run_program("own_probe", "good"))

    def test_axes_are_listed_as_given(self):
        self.assertEqual(self.listed("own_exchange", "--bytes", "1,1K..4K,5..14:*3", "--ranks", "1..7:+4"),
                         [f"halo ranks={r} bytes={b}" for r in (1, 5, 7) for b in (1, 1024, 2048, 4096, 5, 14)])
        self.assertEqual(self.listed("own_probe", "--wait", "2ms,0.5", "--fast", "false,TRUE", "--word", "b",
                                     "--msg-size", "1M", "good"),
                         [f"good ranks=1 wait={w} fast={f} word=b msg_size=1048576"
                          for w in ("0.002", "0.5") for f in ("false", "true")])

    def test_a_file_supplies_options_that_the_command_line_omits(self):
        (self.folder / "options").write_text("bytes = 8..32\nranks = 1\n")
        self.assertEqual(self.listed("own_exchange", "--config", "options", "--ranks", "3"),
                         [f"halo ranks=3 bytes={b}" for b in (8, 16, 32)])

    def test_epochs_raw_and_shuffle_are_accepted(self):
        ended = self.run_program("own_allreduce", *ANY_TIME, "--epochs", "2", "--raw", "--bytes", "8,16,32", "--shuffle",
                                 "--seed", "3", "--sync-alg", "ring", "MPI_Allreduce")
        self.assertEqual(ended.run["clock_sync"]["algorithm"], "ring")
        self.assert_complete(ended)
        self.assertEqual(sorted(point["at"]["bytes"] for point in ended.points), [8, 16, 32])
        for point in ended.points:
            self.assertEqual(len(point["derived"]["epochs"]), 2)
            self.assertEqual(len(point["samples"]), point["attempts"])
        self.assertEqual([ended.run["options"][key] for key in ("epochs", "shuffle", "seed", "start", "sync_alg")],
                         [2, True, 3, "dissemination", "ring"])

    def test_settling_and_retries_can_be_switched_off(self):
        ended = self.run_program("own_exchange", *ANY_TIME, "--bytes", "8", "--refine", "0", "--settle", "off", "--retry",
                                 "0")
        self.assert_complete(ended)
        self.assertEqual([ended.run["options"][key] for key in ("settle", "retry")], [False, 0])
        self.assertIn("not settled (--settle off)", ended.out)
        for point in ended.points:
            self.assertEqual(point["derived"].get("settling", {}).get("reason", "off"), "off")

    def test_fewer_ranks_than_the_world_can_be_measured(self):
        # Repeated points would be last.
        ended = self.run_program("own_exchange", *ANY_TIME, "--ranks", "1..2", "--bytes", "8", "--refine", "0", "--retry",
                                 "0")
        self.assert_complete(ended)
        self.assertEqual([point["at"]["ranks"] for point in ended.points], [1, 2])

    # Ways to end.

    def test_the_record_can_be_written_to_stdout(self):
        ended = self.run_program("own_probe", "--json", "-", "good", record=False)
        self.json.write_text(ended.out)
        self.assert_valid_file(self.json)
        self.assertTrue(any(line.startswith("# points: 1 ") for line in ended.err), ended.err)
        run = json.loads(ended.out.splitlines()[0])
        self.assertEqual((run["program"], run["suite"]), ("Own_Probe", "own_probe"))

    @harness.not_quick
    def test_a_program_may_initialise_mpi_itself(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                ended = self.run_program("own_probe", "good", ranks=ranks)
                self.assert_complete(ended)
                self.assertEqual(ended.err, ["sink: 1, codes agree: yes"])
                self.assertEqual((ended.run["version"], ended.records[-2]["name"], ended.records[-2]["value"]),
                                 ("7.5.0", "points", 1))
                self.assertEqual(ended.points[0]["at"],
                                 {"ranks": ranks, "wait": 0.001, "fast": True, "word": "a", "msg_size": 1})
                self.assertGreaterEqual(ended.points[0]["value"], 0.001)

    @harness.not_quick
    def test_wrong_data_impossible_points_and_throwing_bodies_are_recorded(self):
        ended = self.run_program("own_probe", "wrong")
        self.assertEqual((ended.code, len(ended.errors())), (3, 1), ended.err)
        self.assertRegex(ended.errors()[0], "error: wrong ranks=2 .*: rank 0: all wrong$")
        self.assert_valid(ended)
        self.assertEqual(ended.end["exit_code"], 3)
        self.assertEqual((ended.points[0]["status"], ended.points[0]["message"]), ("crashed", "rank 0: all wrong"))
        ended = self.run_program("own_probe", "unfit")
        self.assert_complete(ended, 4)
        self.assertEqual((ended.points[0]["status"], ended.points[0]["message"]), ("skipped", "needs another machine"))
        ended = self.run_program("own_probe", "good", "throws")
        self.assertEqual((ended.code, len(ended.errors()), ended.end["status"]), (1, 1, "failed"))
        self.assertIn("the body broke", ended.errors()[0])
        self.assertIn("sink: 1, codes agree: yes", ended.err)

    def test_a_spent_budget_skips_the_remaining_points(self):
        ended = self.run_program("own_checkpoint", "--time-budget", "0.2", "--bytes", "1K..1M")
        self.assert_complete(ended, 4)
        self.assertEqual(len(ended.points), 22)
        self.assertEqual((ended.points[-1]["status"], ended.points[-1]["message"]), ("skipped", "time_budget"))

    def test_a_signal_ends_the_program_and_its_file(self):
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                scratch = self.folder / "scratch"
                process = self.launch(str(PROBE), "--epochs", "1000000", "--word", str(scratch), "scratch", ranks=ranks)
                self.wait_for(scratch.exists, "nothing is measured")
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=LIMIT)
                ended = Ended(process.returncode, out, err, self.json)
                self.assertIn(ended.code, after_signal_to_launcher(signal.SIGTERM)[1] if ranks else (143,))
                says = "Own_Probe: error: interrupted by SIGTERM"
                self.assertIn(ended.errors(), after_signal_to_launcher_says(says) if ranks else ([says],))
                self.assert_valid(ended)
                self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("interrupted", 143))
                self.assertFalse(scratch.exists())


if __name__ == "__main__":
    harness.main(sys.argv[6:])
