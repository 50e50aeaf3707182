#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure tune from outside: algorithms of the libraries, misbehaving algorithms, files and their effect, interrupted
campaigns.

usage: measure_tune_test.py MEASURE VALIDATE_RECORDS LAUNCHER YIELD_HELPER CALLS OTHER_LIBRARY STICKY_VARIABLES
       [UNITTEST OPTIONS]

YIELD_HELPER is preloaded by the launcher if ranks may share cores; CALLS is built from tune_calls.c, OTHER_LIBRARY from
other_library.c, STICKY_VARIABLES from sticky_variables.c.
"""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import LIMIT, OPEN_MPI, plain, slow

MEASURE, CALLS, OTHER_LIBRARY, STICKY_VARIABLES = (str(pathlib.Path(path).resolve())
                                                   for path in (sys.argv[1], *sys.argv[5:8]))
harness.ProgramTest.tools(*sys.argv[2:5])
FILE_VARIABLE = ("OMPI_MCA_coll_tuned_dynamic_rules_filename" if OPEN_MPI else
                 "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE")
QUICK = ("--launches", 8, "--proof", 6, "--blocks", 3)
# Edits a record: the first point by collective and size is a million times slower.
SLOWS_FIRST = r"""import json, pathlib, sys
record = pathlib.Path(sys.argv[1])
lines = [json.loads(line) for line in record.read_text().splitlines()]
place = lambda point: (point["benchmark"], point["at"]["bytes"])
points = [line for line in lines if line["record"] == "point" and line["value"]]
for point in points:
    if place(point) == min(map(place, points)):
        point["value"] *= 1e6
        for name in {"mean", "median", "middle", "min", "max"} & point["estimate"].keys():
            point["estimate"][name] *= 1e6
record.write_text("".join(json.dumps(line) + "\n" for line in lines))
"""
# Sets the times in a record of the proof. The named collectives take half the time with the file, in launches that
# agree. The launches of other collectives differ more from each other than the two sides do.
SETS_PROOF = r"""import json, os, pathlib, sys
record, count, gaining = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3].split(",")
has_file = VARIABLE in os.environ
count = count.with_name(f"{count.name}-{has_file}")
launch = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(launch))
lines = [json.loads(line) for line in record.read_text().splitlines()]
for point in lines:
    if point["record"] == "point" and point["value"]:
        gains = point["benchmark"] in gaining
        time = 1e-3 * ((1 if has_file else 2) * (1 + launch / 100) if gains else launch)
        point["value"] = time
        for name in {"mean", "median", "middle", "min", "max"} & point["estimate"].keys():
            point["estimate"][name] = time
record.write_text("".join(json.dumps(line) + "\n" for line in lines))
""".replace("VARIABLE", repr(FILE_VARIABLE))


class TuneTest(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "tuned"

    def launcher_words(self, ranks, *before):
        # More ranks than cores wait for each other.
        yields = ["env", "LD_PRELOAD=" + self.yield_helper] if self.yield_helper and ranks > 2 else []
        return [*before, self.launcher, "-n", str(ranks), *yields]

    def begin(self, *arguments, ranks=2, before=(), launcher=None, environment=None):
        words = self.launcher_words(ranks, *before) if launcher is None else launcher
        return self.launch(MEASURE, "tune", *arguments, *(["--", *words] if words else []), ranks=0, record=False,
                           environment=environment)

    def tune(self, *arguments, **keywords):
        process = self.begin(*arguments, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def script(self, text):
        """Writes a launcher that wraps the real one: "$@" is the real command, "$record" the file that the ranks
        write."""
        path = self.folder / "launcher"
        path.write_text("#!/bin/sh\nfor record do :; done\n" + text)
        path.chmod(0o755)
        return str(path)

    def edits_proof(self, program, *arguments, only_with_file=False):
        """Writes a launcher that lets a program edit the records of the proof."""
        path = self.folder / "edits_proof.py"
        path.write_text(program)
        with_file = f'[ -n "${FILE_VARIABLE}" ] && ' if only_with_file else ""
        return self.script(f'''"$@"
code=$?
if {with_file}grep -q "phase prove" {self.output}/plan; then
    {sys.executable} {path} "$record" {" ".join(map(str, arguments))}
fi
exit $code
''')

    def proves(self, *collectives):
        """Writes a launcher with which the proof shows a gain for these collectives and no others."""
        return self.edits_proof(SETS_PROOF, self.folder / "launches", ",".join(collectives))

    def document(self):
        return harness.document(MEASURE, (self.output / "tuning.json").read_text())

    def runs(self):
        lines = [json.loads(line) for line in (self.output / "launches.jsonl").read_text().splitlines()]
        return [line for line in lines if line["record"] == "run"]

    def excluded(self):
        return {(one["collective"], one["name"]): one["excluded"]
                for one in self.document()["algorithms"] if one["excluded"]}


class Refused(TuneTest):
    def refused(self, text, *arguments, code=2, **keywords):
        ended = self.tune(*arguments, **keywords)
        self.assertEqual((ended.code, len(ended.err), ended.out), (code, 1, ""), ended.err)
        self.assertTrue(ended.err[0].startswith("measure tune: error: "), ended.err)
        self.assertIn(text, ended.err[0])

    @harness.not_quick
    def test_impossible_requests_are_refused_before_the_first_launch(self):
        output = ("-o", self.output)
        never = [str(self.folder / "started")]
        (self.folder / "started").write_text("#!/bin/sh\necho started > " + str(self.folder / "trace") + "\n")
        (self.folder / "started").chmod(0o755)
        for text, *arguments in (
                ("no run 'nothing' in", "--resume", self.folder / "nothing"),
                ("has no file tuned.json", "--prove", self.folder),
                ("has a blank", "-o", self.folder / "my runs"),
                ("nowhere", *output, "--json", self.folder / "nowhere/document"),
                ("nowhere", *output, "--base", self.folder / "nowhere")):
            self.refused(text, *arguments, launcher=[] if "--resume" in arguments else never)
        if not OPEN_MPI:
            self.refused("--ranks 3: the launcher starts only 2 ranks", *output, "--ranks", "2,3")
            self.output.rename(self.folder / "refused")
        # A campaign is not resumed either if the environment already selects an algorithm.
        chosen = {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nb"}
        for arguments, launcher in ((output, never), (("--resume", self.output), [])):
            self.refused("MPIR_CVAR_BCAST_INTRA_ALGORITHM is set", *arguments, launcher=launcher, environment=chosen)
        self.output.rename(self.folder / "set")
        self.refused("is not an executable program", *output, launcher=["no_such_launcher"])
        self.assertFalse((self.folder / "trace").exists())
        self.assertFalse(self.output.exists())
        self.assertFalse((self.folder / "my runs").exists())

    def test_an_unknown_library_is_named(self):
        for arguments in (("--list", ), ("-o", self.output)):
            self.refused("Other MPI 1.0 cannot be tuned: measure tune needs MPICH", *arguments,
                         before=("env", "LD_PRELOAD=" + OTHER_LIBRARY))

    def test_a_launcher_that_does_not_start_the_program_is_a_clear_error(self):
        self.refused("left no record", "-o", self.output, code=1, launcher=["true"])
        # The same if the record ends within its first line.
        broken = self.script("printf '{\"record\":' > \"$record\"\nexit 7\n")
        self.refused("a launch ended with exit code 7", "-o", self.output, code=1, launcher=[broken])

    @unittest.skipUnless(OPEN_MPI, "Open MPI's variables")
    def test_settings_and_baselines_of_open_mpi_are_refused(self):
        self.refused("coll_tuned_bcast_algorithm is set", "-o", self.output,
                     environment={"OMPI_MCA_coll_tuned_bcast_algorithm": "3"})
        base = self.folder / "base.json"
        base.write_text("{}")
        self.refused("its files contain only the changes", "-o", self.folder / "other", "--base", base)
        self.refused("OMPI_MCA_coll_han_priority=0 does not reach the ranks", "-o", self.folder / "third", "--no-han",
                     before=("env", "-u", "OMPI_MCA_coll_han_priority"))

    @unittest.skipIf(OPEN_MPI, "Open MPI has it")
    def test_a_missing_component_cannot_be_switched_off(self):
        self.refused("has no component han", "-o", self.output, "--no-han")

    @unittest.skipIf(OPEN_MPI, "MPICH's files")
    def test_unsupported_settings_and_baselines_are_refused(self):
        self.refused("MPIR_CVAR_BCAST_INTRA_ALGORITHM is set", "-o", self.output,
                     environment={"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nb"})
        base = self.folder / "base.json"
        base.write_text("{")
        other = self.folder / "other"
        self.refused("is not JSON", "-o", other, "--base", base)
        self.assertFalse(other.exists())


class Worker(TuneTest):
    def test_a_variable_that_keeps_another_value_at_the_end_is_an_error(self):
        plan = self.folder / "plan"
        plan.write_text("phase check\nseed 1\nblocks 1\nvia mpi_t\nside none\npoint Bcast 2 8 binomial\n")
        for preload, code in (((), 0), ((STICKY_VARIABLES, ), 1)):
            self.json.unlink(missing_ok=True)
            process = self.launch(MEASURE, "tune-worker", "--quiet", "--plan", plan, preload=preload,
                                  environment=harness.LEAKS)
            out, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, code, (out, err))
            name = "coll_tuned_bcast_algorithm" if OPEN_MPI else "MPIR_CVAR_BCAST_INTRA_ALGORITHM"
            self.assertEqual(f"{name} was not reset to its original value" in err, code == 1, err)


@unittest.skipIf(OPEN_MPI, "MPICH's variables")
class Listed(TuneTest):
    NAMES = {
        "Barrier": "auto nb smp dissemination",
        "Bcast": "auto binomial nb smp scatter_recursive_doubling_allgather scatter_ring_allgather",
        "Gather": "auto binomial nb", "Scatter": "auto binomial nb",
        "Gatherv": "auto linear nb", "Scatterv": "auto linear nb",
        "Allgather": "auto brucks nb recursive_doubling ring", "Allgatherv": "auto brucks nb recursive_doubling ring",
        "Alltoall": "auto brucks nb pairwise pairwise_sendrecv_replace scattered",
        "Alltoallv": "auto nb pairwise_sendrecv_replace scattered",
        "Alltoallw": "auto nb pairwise_sendrecv_replace scattered",
        "Reduce": "auto binomial nb smp reduce_scatter_gather",
        "Allreduce": "auto nb smp recursive_doubling reduce_scatter_allgather",
        "Reduce_scatter": "auto nb noncommutative pairwise recursive_doubling recursive_halving",
        "Reduce_scatter_block": "auto noncommutative recursive_doubling pairwise recursive_halving nb",
        "Scan": "auto nb smp recursive_doubling", "Exscan": "auto nb recursive_doubling"}

    def test_all_algorithms_are_listed_in_the_order_of_their_numbers(self):
        ended = self.tune("--list")
        self.assertEqual((ended.code, ended.err), (0, []))
        rows = [line.split() for line in ended.out.splitlines() if not line.startswith("#")][1:]
        found = {}
        for collective, number, name, *rest in rows:
            self.assertEqual(int(number), len(found.setdefault(collective, [])))
            found[collective].append(name)
            if name == "smp":
                self.assertTrue(rest[0].startswith("parent-comm"))
        if "MPICH 4.0" in ended.out:
            self.assertEqual({name: " ".join(names) for name, names in found.items()}, self.NAMES)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_document_lists_all_algorithms(self):
        ended = self.tune("--list", "--collectives", "Bcast", "--json", "-")
        self.assertEqual(ended.code, 0)
        document = json.loads(ended.out)
        self.assertEqual([one["name"] for one in document["algorithms"]][:2], ["auto", "binomial"])
        self.assertEqual((document["segments"], document["proof"]), ([], []))
        # Nothing is measured.
        self.assertEqual({phase: cost["launches"] for phase, cost in document["cost"]["by_phase"].items()}, {"list": 1})

    def test_some_collectives_can_be_selected(self):
        ended = self.tune("--list", "--collectives", "bcast")
        self.assertEqual({line.split()[0] for line in ended.out.splitlines()[3:]}, {"Bcast"})


@unittest.skipUnless(OPEN_MPI, "Open MPI's variables")
class OpenMpi(TuneTest):
    """No test is marked slow here: tools/check --all runs no slow tests with Open MPI, and no other part contains
    these."""
    NAMES = {
        "Allgather": "linear bruck recursive_doubling ring neighbor two_proc",
        "Allgatherv": "default bruck ring neighbor two_proc",
        "Allreduce": "basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner",
        "Alltoall": "linear pairwise modified_bruck linear_sync two_proc", "Alltoallv": "basic_linear pairwise",
        "Barrier": "linear double_ring recursive_doubling bruck two_proc tree",
        "Bcast": "basic_linear chain pipeline split_binary_tree binary_tree binomial knomial scatter_allgather "
                 "scatter_allgather_ring",
        "Exscan": "linear recursive_doubling", "Scan": "linear recursive_doubling",
        "Gather": "basic_linear binomial linear_sync", "Scatter": "basic_linear binomial linear_nb",
        "Reduce": "linear chain pipeline binary binomial in-order_binary rabenseifner",
        "Reduce_scatter": "non-overlapping recursive_halving ring butterfly",
        "Reduce_scatter_block": "basic_linear recursive_doubling recursive_halving butterfly"}
    OTHERS = ["auto", "basic_linear", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial",
              "scatter_allgather", "scatter_allgather_ring"]

    def test_all_algorithms_are_listed_with_their_numbers(self):
        ended = self.tune("--list")
        self.assertEqual((ended.code, ended.err), (0, []))
        found = {}
        for line in [line for line in ended.out.splitlines() if not line.startswith("#")][1:]:
            collective, number, name, *_ = line.split()
            self.assertEqual(int(number), len(found.setdefault(collective, [])))
            found[collective].append(name)
        if "Open MPI 4.1" in ended.out:
            self.assertEqual({name: " ".join(names) for name, names in found.items()},
                             {name: "auto " + names for name, names in self.NAMES.items()})

    def test_unusable_algorithms_are_excluded_and_substituted_ones_marked(self):
        for ranks, algorithms in ((4, ("two_proc", )), (3, ("two_proc", ))):
            output = self.output = self.folder / str(ranks)
            ended = self.tune("-o", output, "--collectives", "Allgather", "--sizes", "8:8", *QUICK, ranks=ranks)
            self.assertEqual(ended.code, 0, ended.err)
            for name in algorithms:
                self.assertIn("MPI_ERR_UNSUPPORTED_OPERATION", self.excluded()["Allgather", name])
            points = [json.loads(line) for line in (output / "launches.jsonl").read_text().splitlines()
                      if '"point"' in line]
            marked = {one["at"]["algorithm"] for one in points if "fallback" in one["flags"]}
            self.assertEqual(marked, {"neighbor", "recursive_doubling"} if ranks == 3 else set())

    def called(self, *sizes, ranks=2, environment=None):
        """Returns for each size the functions of the library that broadcast it."""
        process = subprocess.run([*self.launcher_words(ranks), CALLS, *map(str, sizes)], stdout=subprocess.PIPE,
                                 text=True, timeout=LIMIT, check=True,
                                 env=os.environ | harness.OPEN_MPI_YIELDS | (environment or {}))
        lines = process.stdout.splitlines()
        self.assertEqual(lines.pop(), "done 1")
        return {int(line.split("|")[0]): line.split("|")[1].split() for line in lines}

    @plain
    def test_the_file_selects_the_proved_algorithm_exactly(self):
        han = {"OMPI_MCA_coll_han_priority": "0"}
        for via, more, its_setting in (("mpi_t", (), {}), ("environment", ("--no-han", ), han)):
            output = self.output = self.folder / via
            ended = self.tune("-o", output, "--via", via, *more, "--collectives", "Bcast", "--sizes", "1024:1024", *QUICK,
                              before=(self.proves("Bcast"), ),
                              environment={"MEASURE_TEST_TUNE": ",".join(f"Bcast:{name}:2ms" for name in self.OTHERS)})
            self.assertEqual(ended.code, 0, (ended.out, ended.err))
            (segment, ) = self.document()["segments"]
            self.assertEqual((segment["chosen"], segment["low"], segment["high"]), ("chain", 1024, 1024))
            self.assert_valid_file(output / "launches.jsonl")
            setting = dict(line.split("=", 1) for line in (output / "tuned.env").read_text().splitlines())
            self.assertEqual(setting, {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                                       "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(output / "tuned.conf"),
                                       **its_setting})
            for run in self.runs():
                self.assertEqual({name: value for name, value in run["mpi_settings"].items() if "han" in name},
                                 its_setting)
            self.assertEqual("han is off" in ended.out, bool(more))
            sizes = (1023, 1024, 1025)
            usual = self.called(*sizes)
            self.assertNotEqual(usual[1024], ["chain"])
            tuned = self.called(*sizes, environment=setting)
            self.assertEqual(tuned, usual | {1024: ["chain"]})
            for ranks in (1, 3, 4):
                self.assertEqual(self.called(1024, ranks=ranks, environment=setting), self.called(1024, ranks=ranks))
        ended = self.tune("--prove", output, "--proof", 6, environment={"MEASURE_TEST_TUNE": "Bcast:auto:2ms"})
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertIn(f"# file: {output / 'tuned.conf'}", ended.out)
        # The proof runs with the settings of the campaign.
        (folder, ) = output.glob("proof-*")
        self.output = folder
        self.assertTrue(self.document()["no_han"])
        for run in self.runs():
            self.assertEqual(run["mpi_settings"].get("OMPI_MCA_coll_han_priority"), "0")

    @plain
    def test_a_file_that_the_library_does_not_read_has_no_effect(self):
        faults = ",".join(f"Bcast:{name}:{'30ms' if name == 'knomial' else '2ms'}" for name in self.OTHERS)
        ended = self.tune("-o", self.output, "--collectives", "Bcast", "--sizes", "1024:1024", *QUICK,
                          before=("env", "-u", "OMPI_MCA_coll_tuned_dynamic_rules_filename"),
                          environment={"MEASURE_TEST_TUNE": faults})
        self.assertEqual(ended.code, 1, (ended.out, ended.err))
        self.assertIn("has no effect", ended.err[-1])
        self.assertIn("OMPI_MCA_coll_tuned_dynamic_rules_filename", ended.err[-1])
        self.assertFalse((self.output / "tuned.conf").exists())


@unittest.skipIf(OPEN_MPI, "MPICH's variables")
class Campaigns(TuneTest):
    @slow
    def test_misbehaving_algorithms_are_excluded_with_their_reasons(self):
        faults = "Bcast:binomial:wrong,Bcast:nb:hang,Bcast:scatter_ring_allgather:abort,Allgather:ring:error"
        ended = self.tune("-o", self.output, "--collectives", "Bcast,Allgather", "--sizes", "8:64:8", *QUICK,
                          "--timeout", "10s", environment={"MEASURE_TEST_TUNE": faults})
        self.assertEqual(ended.code, 0, ended.err)
        why = self.excluded()
        self.assertRegex(why["Bcast", "binomial"], r"^wrong data: root 0, rank 1: byte \d+ of the message from rank 0"
                                                  r".* \(at 8 B\)$")
        self.assertIn("did not survive it at 8 B", why["Bcast", "nb"])
        self.assertIn("did not survive it at 8 B", why["Bcast", "scatter_ring_allgather"])
        self.assertIn("MPI reports", why["Allgather", "ring"])
        checks = [run for run in self.runs() if run["options"]["phase"] == "check"]
        # The hanging and the aborting algorithm cost one launch each and are not tried again.
        self.assertEqual(len(checks), 3)
        self.assertNotRegex(checks[-1]["options"]["plan"], r"point Bcast .* (nb|scatter_ring_allgather)")
        for run in self.runs():
            if run["options"]["phase"] not in ("list", "check"):
                for line in run["options"]["plan"].splitlines():
                    if line.startswith("point Bcast"):
                        self.assertNotIn("binomial", line)
                        self.assertNotIn(" nb", line)
        self.assert_valid_file(self.output / "launches.jsonl")
        # A resumed campaign does not try them again either: everything is known.
        runs = self.runs()
        self.assertEqual(self.tune("--resume", self.output, launcher=[]).code, 0)
        self.assertEqual((self.runs(), self.excluded()), (runs, why))
        left = subprocess.run(["pgrep", "-f", str(self.output)], stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertEqual(left, "")

    @slow
    def test_an_inapplicable_algorithm_is_not_measured_under_its_name(self):
        ended = self.tune("-o", self.output, "--collectives", "Allgather", "--sizes", "8:8", *QUICK, ranks=3)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(self.excluded()["Allgather", "recursive_doubling"], "not applicable here")
        self.assertFalse([run for run in self.runs() if run["options"]["phase"] in ("screen", "decide") and
                          "recursive_doubling" in run["options"]["plan"]])

    def tuned(self, *arguments, sizes="1024:1024", faults=(), ranks=2, before=None):
        """Runs a campaign in which the ring is by far the quickest broadcast on two ranks. The proof shows it, whatever
        other programs do."""
        before = (self.proves("Bcast"), ) if before is None else before
        others = ("auto", "binomial", "nb", "smp", "scatter_recursive_doubling_allgather")
        return self.tune("-o", self.output, "--collectives", "Bcast", "--sizes", sizes, *QUICK, *arguments,
                         environment={"MEASURE_TEST_TUNE": ",".join([*(f"Bcast:{name}:2ms" for name in others), *faults])},
                         ranks=ranks, before=before)

    @slow
    @plain
    def test_an_algorithm_that_is_unusable_at_one_size_is_used_at_another(self):
        faults = ",".join(f"Allreduce:{name}:1ms" for name in ("auto", "nb", "recursive_doubling"))
        ended = self.tune("-o", self.output, "--collectives", "Allreduce", "--sizes", "8:16:2", *QUICK,
                          before=(self.proves("Allreduce"), ), environment={"MEASURE_TEST_TUNE": faults})
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        # Each of the two ranks needs at least one element.
        self.assertRegex(ended.out, r"reduce_scatter_allgather +8 B +not applicable here")
        last = self.document()["segments"][-1]
        self.assertEqual((last["sizes"], last["chosen"]), ([16], "reduce_scatter_allgather"))

    @slow
    @plain
    def test_each_number_of_ranks_is_tuned_separately(self):
        ended = self.tuned("--ranks", "3,2", ranks=3)
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        chosen = {one["ranks"]: one["chosen"] for one in self.document()["segments"]}
        self.assertEqual(set(chosen), {2, 3})
        # With more ranks than cores the choice is uncertain.
        self.assertEqual(chosen[2], "scatter_ring_allgather")
        self.assertIn(chosen[3], ("scatter_ring_allgather", None))
        self.assertEqual({one["ranks"] for one in self.document()["proof"]}, {n for n in chosen if chosen[n]})
        setting = dict([(self.output / "tuned.env").read_text().strip().split("=", 1)])
        for ranks in (2, 3, 4):
            name = chosen.get(ranks) or "auto"
            self.assertEqual(self.fingerprints(1024, ranks=ranks, environment=setting),
                             self.fingerprints(1024, ranks=ranks,
                                               environment={"MPIR_CVAR_BCAST_INTRA_ALGORITHM": name}))
        self.assert_valid_file(self.output / "launches.jsonl")

    def fingerprints(self, *sizes, ranks=2, environment=None):
        process = subprocess.run([*self.launcher_words(ranks), CALLS, *map(str, sizes)], stdout=subprocess.PIPE,
                                 text=True, timeout=LIMIT, check=True,
                                 env=os.environ | {"MPIR_CVAR_NOLOCAL": "1"} | (environment or {}))
        lines = process.stdout.splitlines()
        self.assertEqual(lines.pop(), "done 1")
        return {int(line.split("|")[0]): [part.split() for part in line.split("|")[1:]] for line in lines}

    @plain
    @harness.not_quick
    def test_the_file_selects_the_proved_algorithm_exactly(self):
        ended = self.tuned()
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        (segment,) = self.document()["segments"]
        self.assertEqual((segment["chosen"], segment["low"], segment["high"]), ("scatter_ring_allgather", 1024, 1024))
        (proof,) = self.document()["proof"]
        self.assertEqual(proof["verdict"], "faster")
        # A gain shows that the library reads the file.
        self.assertNotIn("could not show", ended.out)
        tree = json.loads((self.output / "tuned.json").read_text())
        self.assertEqual(len(tree), 44)
        self.assertNotEqual((self.output / "tuned.json").stat().st_size % 4096, 0)
        digest = hashlib.sha256((self.output / "tuned.json").read_bytes()).hexdigest()
        self.assertIn(self.document()["files"], ([{"name": "tuned.json", "sha256": digest}],
                                                 [{"name": "tuned.json", "sha256": None}]))
        self.assertEqual(self.document()["switches"], [])
        # The expected time is printed first and is not wrong by orders of magnitude.
        self.assertRegex(ended.out.splitlines()[0], r"^# expected: \d+ launches, \d+ s$")
        cost = self.document()["cost"]
        self.assertGreater(cost["expected_seconds"], cost["seconds"] / 30)
        if os.environ.get("QUIET_MACHINE"):
            behind = sum(part["seconds"] for name, part in cost["by_phase"].items() if name not in ("list", "check"))
            self.assertTrue(0.5 <= cost["expected_seconds"] / behind <= 2, cost)
        phases = r"list [\d.]+ s, check [\d.]+ s, screen [\d.]+ s, decide [\d.]+ s, (canary [\d.]+ s, )?prove [\d.]+ s"
        self.assertRegex(ended.out, rf"(?m)^# cost: \d+ launches, [\d.]+ s \({phases}\); the screen saved \d+ blocks?; "
                                    r"\d+ s were expected after the check$")
        (setting,) = (self.output / "tuned.env").read_text().splitlines()
        variable, _, path = setting.partition("=")
        self.assertEqual((variable, path), (FILE_VARIABLE, str(self.output / "tuned.json")))
        sizes = (1023, 1024, 1025)
        usual = self.fingerprints(*sizes)
        ring = self.fingerprints(*sizes, environment={"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather"})
        tuned = self.fingerprints(*sizes, environment={variable: path})
        self.assertEqual((tuned[1023], tuned[1025]), (usual[1023], usual[1025]))
        self.assertEqual(tuned[1024], ring[1024])
        self.assertNotEqual(tuned[1024], usual[1024])
        # Nothing is selected for another number of ranks.
        for ranks in (3, 4):
            self.assertEqual(self.fingerprints(1024, ranks=ranks, environment={variable: path}),
                             self.fingerprints(1024, ranks=ranks))
        # Resuming a campaign without time for it keeps the file.
        files = {name: (self.output / name).read_bytes() for name in ("tuned.json", "tuned.env", "tuned.about")}
        ended = self.tune("--resume", self.output, "--budget", "1us", launcher=[])
        self.assertEqual(ended.code, 4, (ended.out, ended.err))
        self.assertEqual({name: (self.output / name).read_bytes() for name in files}, files)
        self.assertIn("tuned.json' is from before --resume", ended.out)

    @slow
    @plain
    def test_the_environment_selects_algorithms_on_request(self):
        ended = self.tuned("--via", "environment")
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertEqual(self.document()["via"], "environment")
        (segment,) = self.document()["segments"]
        self.assertEqual(segment["chosen"], "scatter_ring_allgather")
        for run in self.runs():
            plan = run["options"].get("plan", "").splitlines()
            algorithms = {word for line in plan if line.startswith("point") for word in line.split()[4:]}
            if run["options"]["phase"] in ("check", "screen", "decide"):
                self.assertEqual(len(algorithms), 1, plan)
                self.assertEqual(run["mpi_settings"].get("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "auto"),
                                 algorithms.pop().replace("auto_again", "auto"))
            else:
                self.assertNotIn("MPIR_CVAR_BCAST_INTRA_ALGORITHM", run["mpi_settings"])
        decisions = [run for run in self.runs() if run["options"]["phase"] == "decide"]
        left = {run["mpi_settings"].get("MPIR_CVAR_BCAST_INTRA_ALGORITHM") for run in decisions} - {None}
        self.assertEqual(len(decisions), 8 * (2 + len(left)))

    @slow
    def test_algorithms_selected_by_the_environment_are_checked(self):
        ended = self.tune("-o", self.output, "--via", "environment", "--collectives", "Allgather", "--sizes", "8:8",
                          "--launches", 6, "--proof", 6, ranks=3,
                          environment={"MEASURE_TEST_TUNE": "Allgather:ring:abort,Allgather:nb:wrong"})
        self.assertEqual(ended.code, 0, ended.err)
        why = self.excluded()
        self.assertEqual(why["Allgather", "recursive_doubling"], "not applicable here")
        self.assertIn("did not survive it at 8 B", why["Allgather", "ring"])
        self.assertIn("wrong data", why["Allgather", "nb"])

    @slow
    @plain
    def test_a_file_can_be_proved_without_a_campaign(self):
        self.assertEqual(self.tuned().code, 0)
        campaign = {path.name: path.read_bytes() for path in self.output.iterdir()}
        slow_default = "Bcast:auto:2ms"
        written = self.folder / "proof.json"
        ended = self.tune("--prove", self.output, "--proof", 6, "--json", written,
                          environment={"MEASURE_TEST_TUNE": slow_default})
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        (folder, ) = self.output.glob("proof-*")
        self.assertEqual({path.name: path.read_bytes() for path in self.output.iterdir() if path.is_file()}, campaign)
        document = json.loads(written.read_text())
        self.assertEqual(document, json.loads((folder / "tuning.json").read_text()))
        (proof, ) = document["proof"]
        # The hook slows the default in all launches except launches of the tuned side. If other programs use the cores,
        # the difference may still be within the spread of one side.
        self.assertIn(proof["verdict"], ("faster", "unclear"))
        self.assertLess(proof["ratio"], 0.9)
        self.assertIn(f"# file: {self.output / 'tuned.json'}", ended.out)
        self.assertFalse((folder / "tuned.json").exists())
        runs = [json.loads(line) for line in (folder / "launches.jsonl").read_text().splitlines() if '"run"' in line]
        sides = [run["mpi_settings"].get(FILE_VARIABLE) for run in runs if run["options"].get("phase") == "prove"]
        self.assertEqual((len(sides), sides.count(str(self.output / "tuned.json"))), (12, 6))
        self.assert_valid_file(folder / "launches.jsonl")
        # Other commands accept the records. Without libcrypto there is neither a digest nor an archive.
        records = [path / "launches.jsonl" for path in (self.output, folder)]
        commands = [("compare", "--mixed", *records)]
        if document["files"][0]["sha256"] is not None:
            commands.append(("archive", "add", "-a", self.folder / "archive.sqlite", records[1]))
        for command in commands:
            process = self.launch(MEASURE, *command, ranks=0, record=False)
            out, err = process.communicate(timeout=LIMIT)
            self.assertIn(process.returncode, (0, 4), err)
            self.assertIn("tune-worker", out)
        # The output equals that of a whole campaign, and mismatches are reported.
        tuning = self.output / "tuning.json"
        tuning.write_text(tuning.read_text().replace(document["library"], "MPICH 3.9"))
        digest = document["files"][0]["sha256"]
        if digest is not None:
            self.assertEqual(hashlib.sha256(campaign["tuned.json"]).hexdigest(), digest)
            tuning.write_text(tuning.read_text().replace(digest, "0" * 64))
        ended = self.tune("--prove", self.output, "--proof", 6, "-o", self.folder / "again", "--json", "-",
                          environment={"MEASURE_TEST_TUNE": slow_default + ",Bcast:tuned:10ms"})
        self.assertEqual(ended.code, 3, (ended.out, ended.err))
        self.assertEqual(json.loads(ended.out)["proof"][0]["verdict"], "slower")
        self.assertIn("was made with MPICH 3.9, but this is", ended.warnings()[0])
        self.assertEqual(sum("was changed after the campaign wrote it" in line for line in ended.warnings()),
                         0 if digest is None else 1)
        self.assertTrue(any("the proof rejects the file" in line for line in ended.err))
        self.assertTrue((self.output / "tuned.json").exists())
        Refused.refused(self, "is for 2 ranks, but the launcher starts 3", "--prove", self.output, "-o",
                        self.folder / "third", ranks=3)
        # The folder of the campaign is refused for the proof, even without the records that identify it.
        (self.output / "launches.jsonl").unlink()
        Refused.refused(self, "--prove and -o are the same folder", "--prove", self.output, "-o", self.output)
        self.assertEqual((self.output / "tuned.json").read_bytes(), campaign["tuned.json"])

    @slow
    @plain
    def test_an_interrupted_proof_can_be_resumed(self):
        self.assertEqual(self.tuned().code, 0)
        file = str(self.output / "tuned.json")
        self.output = self.folder / "proof"
        slow_default = {"MEASURE_TEST_TUNE": "Bcast:auto:2ms"}
        process = self.begin("--prove", self.folder / "tuned", "-o", self.output, "--proof", 6, environment=slow_default)
        starts = self.output / "launches.jsonl"
        self.wait_for(lambda: starts.exists() and '"phase":"prove"' in starts.read_text(), "the proof has not begun")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        before = self.runs()
        ended = self.tune("--resume", self.output, launcher=[], environment=slow_default)
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertIn(f"# file: {file}", ended.out)
        runs = self.runs()
        self.assertEqual(runs[:len(before)], before)
        phases = [run["options"]["phase"] for run in runs]
        self.assertEqual((phases.count("prove"), phases.count("check"), phases.count("decide")), (12, 0, 0))

    @slow
    @plain
    def test_an_algorithm_that_is_slower_in_the_proof_is_replaced_by_the_default(self):
        ended = self.tuned(faults=["Bcast:tuned:10ms"], before=())
        (segment,) = self.document()["segments"]
        self.assertEqual((ended.code, segment["chosen"]), (0, None), (ended.out, ended.err))
        self.assertEqual(segment["kept_default_because"], "kept the default: slower in the proof")
        self.assertEqual(segment["best"], "scatter_ring_allgather")
        self.assertFalse((self.output / "tuned.json").exists())
        self.assertIn("no file is written: the default is kept everywhere", ended.out)

    def slows_first(self):
        """Writes a launcher that makes the first point slower in records of the proof with the file."""
        return self.edits_proof(SLOWS_FIRST, only_with_file=True)

    @slow
    @plain
    def test_a_slowdown_at_a_size_without_a_choice_rejects_the_file(self):
        # Each of the two ranks needs at least one element, so the algorithm chosen for 16 B cannot be used for 8 B.
        faults = ",".join(f"Allreduce:{name}:1ms" for name in ("auto", "nb", "recursive_doubling"))
        ended = self.tune("-o", self.output, "--collectives", "Allreduce", "--sizes", "8:16:2", *QUICK,
                          before=(self.slows_first(), ), environment={"MEASURE_TEST_TUNE": faults})
        self.assertEqual(ended.code, 3, (ended.out, ended.err))
        last = self.document()["segments"][-1]
        self.assertEqual((last["sizes"], last["best"], last["chosen"]), ([16], "reduce_scatter_allgather", None))
        self.assertEqual(last["kept_default_because"], "kept the default: the proof rejects the file")
        outside = [one for one in self.document()["proof"] if one["low"] is None]
        self.assertEqual([one["verdict"] for one in outside], ["slower"])
        # No choice could be returned to the default, so there is no second proof.
        self.assertEqual(sum(run["options"]["phase"] == "prove" for run in self.runs()), 12)
        self.assertIn("no file is written: the proof rejects it", ended.out)
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    @plain
    def test_a_slowdown_in_the_last_proof_rejects_the_file(self):
        names = ("Allgather", "Allreduce", "Alltoall", "Bcast")
        ended = self.tune("-o", self.output, "--collectives", ",".join(names), "--sizes", "1024:1024", *QUICK,
                          before=(self.slows_first(), ),
                          environment={"MEASURE_TEST_TUNE": ",".join(f"{name}:auto:2ms" for name in names)})
        self.assertEqual(ended.code, 3, (ended.out, ended.err))
        # Printed before the launches and with the results.
        for mark in ("expected", "note"):
            self.assertIn(f"# {mark}: 8 launches cannot show a single gain among 15 tests; use --launches 9\n",
                          ended.out)
        # One choice is returned to the default after each of the three proofs; the last proof shows nothing about the
        # remaining ones.
        why = {one["collective"]: one["kept_default_because"] for one in self.document()["segments"]}
        self.assertEqual(why, {name: "kept the default: slower in the proof" for name in names[:3]} |
                         {"Bcast": "kept the default: the proof rejects the file"})
        self.assertEqual(sum(run["options"]["phase"] == "prove" for run in self.runs()), 36)
        self.assertIn("no file is written: the proof rejects it", ended.out)
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    @plain
    def test_a_point_without_a_value_under_the_file_is_returned_to_the_default(self):
        # As if the file prevented the measurement of one size.
        launcher = self.script(f'''"$@"
code=$?
if [ -n "${FILE_VARIABLE}" ] && grep -q "phase prove" {self.output}/plan; then
    sed -i '/"record":"point".*"bytes":4096,/d' "$record"
fi
exit $code
''')
        ended = self.tuned(sizes="1024:4096", before=(launcher,))
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        (segment,) = self.document()["segments"]
        self.assertEqual((segment["best"], segment["chosen"]), ("scatter_ring_allgather", None))
        self.assertEqual(segment["kept_default_because"], "kept the default: no value in the proof")
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    @plain
    def test_a_proof_without_power_says_so(self):
        ended = self.tuned("--alpha", 0.0001)
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertEqual(self.document()["rules"]["alpha"], 0.0001)
        # With 6 launches per side, one order in 462 separates the sides completely.
        self.assertIn("# note: 6 launches per side cannot show a difference among 1 segment; use --proof 9", ended.out)
        self.assertEqual([one["verdict"] for one in self.document()["proof"]], ["unclear"])
        (segment, ) = self.document()["segments"]
        self.assertEqual((segment["chosen"], segment["kept_default_because"]),
                         (None, "kept the default: not proven (unclear)"))
        self.assertIn("no file is written: the default is kept everywhere", ended.out)
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    @plain
    def test_a_choice_without_a_gain_in_the_proof_is_returned_to_the_default(self):
        ended = self.tune("-o", self.output, "--collectives", "Allreduce,Bcast", "--sizes", "1024:1024", *QUICK,
                          before=(self.proves("Bcast"), ),
                          environment={"MEASURE_TEST_TUNE": "Allreduce:auto:2ms,Bcast:auto:2ms"})
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        segments = {one["collective"]: one for one in self.document()["segments"]}
        self.assertIsNotNone(segments["Bcast"]["chosen"])
        self.assertIsNone(segments["Allreduce"]["chosen"])
        self.assertIsNotNone(segments["Allreduce"]["best"])
        self.assertEqual(segments["Allreduce"]["kept_default_because"], "kept the default: not proven (unclear)")
        self.assertEqual({one["collective"]: one["verdict"] for one in self.document()["proof"]},
                         {"Allreduce": "unclear", "Bcast": "faster"})
        self.assertRegex(ended.out, r"(?m)^Allreduce .*\(default\) .*kept the default: not proven")
        # There is no second proof, and the file contains the other collective only.
        self.assertEqual(sum(run["options"]["phase"] == "prove" for run in self.runs()), 12)
        about = (self.output / "tuned.about").read_text()
        self.assertIn(segments["Bcast"]["chosen"], about)
        self.assertNotIn("Allreduce", about)

    @slow
    @plain
    def test_gains_come_from_separate_launches(self):
        self.assertEqual(self.tuned().code, 0)
        phases = [run["options"]["phase"] for run in self.runs()]
        numbers = [run["campaign"]["launch"] for run in self.runs()]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertEqual((phases.count("decide"), phases.count("prove")), (8, 12))
        sides = [run["mpi_settings"].get(FILE_VARIABLE) is not None for run in self.runs()
                 if run["options"]["phase"] == "prove"]
        self.assertEqual(sides.count(True), 6)
        self.assert_valid_file(self.output / "launches.jsonl")
        page = (self.output / "report.html").read_text()
        for text in ("scatter_ring_allgather", "<svg", "Decisions"):
            self.assertIn(text, page)
        for command in (("report", "-o", self.folder / "report.html"), ("show",)):
            process = self.launch(MEASURE, *command, self.output / "launches.jsonl", ranks=0, record=False)
            out, err = process.communicate(timeout=LIMIT)
            self.assertIn(process.returncode, (0, 4), err)

    @slow
    def test_a_gain_below_the_threshold_keeps_the_default(self):
        ended = self.tune("-o", self.output, "--collectives", "Bcast", "--sizes", "8:8", "--gain", "100000", *QUICK,
                          environment={"MEASURE_TEST_TUNE": "Bcast:auto:50us"})
        self.assertEqual(ended.code, 0, ended.err)
        (segment,) = self.document()["segments"]
        self.assertIsNone(segment["chosen"])
        self.assertRegex(segment["kept_default_because"], "^below the threshold: .*, less than 100000.0 %")
        self.assertIn("no file is written: the default is kept everywhere", ended.out)
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    @plain
    def test_a_file_that_the_ranks_do_not_see_has_no_effect(self):
        # The hook makes one algorithm at least twice as slow as the library's choice, which the check for an effect
        # needs.
        ended = self.tune("-o", self.output, "--collectives", "Bcast,Allreduce", "--sizes", "64k:64k", *QUICK,
                          before=("env", "-u", FILE_VARIABLE), environment={
                              "MEASURE_TEST_TUNE": "Allreduce:auto:300us,Bcast:scatter_ring_allgather:1ms"})
        self.assertEqual(ended.code, 1, (ended.out, ended.err))
        self.assertIn("has no effect", ended.err[-1])
        self.assertIn(FILE_VARIABLE, ended.err[-1])
        self.assertFalse((self.output / "tuned.json").exists())

    @slow
    def test_an_interrupted_campaign_can_be_resumed(self):
        process = self.begin("-o", self.output, "--collectives", "Bcast", "--sizes", "8:64:8", "--launches", 12,
                             "--proof", 6, "--blocks", 3)
        starts = self.output / "launches.jsonl"
        self.wait_for(lambda: starts.exists() and '"phase":"decide"' in starts.read_text(), "no decision begun")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assert_valid_file(starts)
        self.assertFalse((self.output / "tuned.json").exists())
        before = self.runs()
        ended = self.tune("--resume", self.output, launcher=[])
        self.assertEqual(ended.code, 0, ended.err)
        after = self.runs()
        self.assertEqual(after[:len(before)], before)
        plans = [run["options"]["plan"] for run in after]
        self.assertEqual(len(plans), len(set(plans)))
        self.assertEqual(sum("phase decide" in plan for plan in plans), 12)

    @slow
    def test_a_failed_launch_is_repeated(self):
        # Its record looks as if the ranks were killed after measuring: points without an end line.
        once = self.folder / "once"
        launcher = self.script(f'''"$@" || exit
if grep -q "phase decide" {self.output}/plan && [ ! -e {once} ]; then
    touch {once}
    sed -i '$d' "$record"
    exit 9
fi
''')
        ended = self.tune("-o", self.output, "--collectives", "Bcast", "--sizes", "8:8", "--gain", "100000", *QUICK,
                          before=(launcher,))
        self.assertEqual(ended.code, 1, (ended.out, ended.err))
        self.assertIn("ended with exit code 9 while deciding", ended.err[-1])
        ended = self.tune("--resume", self.output, launcher=[])
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertEqual(sum(run["options"]["phase"] == "decide" for run in self.runs()), 1 + 8)

    @slow
    def test_a_budget_ends_a_campaign_with_the_finished_sizes(self):
        begin = time.monotonic()
        ended = self.tune("-o", self.output, "--launches", 5000, "--budget", "20s", "--collectives", "Bcast", "--sizes",
                          "8:64:8")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertLess(time.monotonic() - begin, 26 if os.environ.get("QUIET_MACHINE") else 60)
        self.assertIn("the budget was spent", ended.out)
        self.assertFalse(self.document()["complete"])
        self.assertFalse((self.output / "tuned.json").exists())
        self.assert_valid_file(self.output / "launches.jsonl")
        # That many launches take longer than the budget, except at a size where one algorithm is by far the quickest.
        left_out = "sizes above 8 B: the budget of 20 s is too short"
        self.assertIn(left_out, ended.warnings()[0])
        expected = int(re.search(r"^# expected: .*, (\d+) s$", ended.out, re.M)[1])
        self.assertEqual(any("exceeds the rest of the budget" in warning for warning in ended.warnings()),
                         expected > 20)
        self.assertIn(left_out, self.document()["missing"][0])
        # Another budget does not repeat the screening.
        ended = self.tune("--resume", self.output, "--budget", "10s", launcher=[])
        self.assertEqual(ended.code, 4, ended.err)
        self.assertIn(left_out.replace("20 s", "10 s"), ended.out)
        screens = [run["options"]["plan"] for run in self.runs() if run["options"]["phase"] == "screen"]
        self.assertEqual([line.split()[:4] for plan in screens for line in plan.splitlines() if "point" in line],
                         [["point", "Bcast", "2", "8"]])

    @slow
    def test_a_longer_budget_completes_an_unfinished_campaign(self):
        # The simulated machine is slow until the file exists.
        quick = self.folder / "quick"
        launcher = self.script(f'''if grep -q "phase decide" {self.output}/plan && [ ! -e {quick} ]; then
    sleep 5
fi
exec "$@"
''')
        ended = self.tune("-o", self.output, "--collectives", "Bcast", "--sizes", "8:64:8", *QUICK, "--budget", "20s",
                          before=(launcher, ))
        self.assertEqual(ended.code, 4, (ended.out, ended.err))
        self.assertFalse(self.document()["complete"])
        before = self.runs()
        self.assertTrue(before)
        quick.touch()
        ended = self.tune("--resume", self.output, "--budget", "600s", launcher=[])
        self.assertEqual(ended.code, 0, (ended.out, ended.err))
        self.assertEqual((self.document()["complete"], self.document()["missing"]), (True, []))
        sizes = {size for segment in self.document()["segments"] for size in segment["sizes"]}
        self.assertLessEqual({8, 64}, sizes)
        # Finished steps are not repeated.
        runs = self.runs()
        self.assertEqual(runs[:len(before)], before)
        plans = [run["options"]["plan"] for run in runs]
        self.assertEqual(len(plans), len(set(plans)))


harness.main(sys.argv[8:])
