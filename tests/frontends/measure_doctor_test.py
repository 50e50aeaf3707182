#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure doctor from outside: its findings on made-up machines and on this one.

usage: measure_doctor_test.py MEASURE VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import json
import pathlib
import re
import sys

import harness
from harness import LIMIT, slow

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])

CPU = "sys/devices/system/cpu"
CLOCKS = "sys/devices/system/clocksource/clocksource0"
# An undisturbed machine of two cores.
QUIET = {
    "proc/sys/kernel/hostname": "node1", "proc/sys/kernel/random/boot_id": "b1", "proc/sys/kernel/osrelease": "6.1.0",
    "proc/sys/kernel/numa_balancing": "0", "proc/1/cgroup": "0::/init.scope", "proc/self/cgroup": "0::/user.slice",
    "proc/cpuinfo": "model name\t: Fast CPU\nflags\t\t: tsc constant_tsc nonstop_tsc",
    "proc/loadavg": "0.01 0.02 0.03 1/100 77", "proc/self/status": "Pid:\t50\nCpus_allowed_list:\t0",
    "proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/node/node0/cpulist": "0-1",
    f"{CPU}/cpufreq/policy0/scaling_governor": "performance", f"{CPU}/intel_pstate/no_turbo": "1",
    f"{CPU}/smt/active": "0", f"{CPU}/online": "0-1", f"{CPU}/cpu0/topology/thread_siblings_list": "0",
    f"{CPU}/cpu1/topology/thread_siblings_list": "1",
    "sys/fs/cgroup/cgroup.controllers": "cpu",
    f"{CLOCKS}/current_clocksource": "tsc", f"{CLOCKS}/available_clocksource": "tsc hpet",
    "measure/host": "busy_cores 1\nsteal 0\npaged 0\nshm_free 1e9\nshm_size 1e9\ntmp_free 1e9\ntmp_size 1e9",
    "measure/rank": "cores_used 1\nmpi A\nmpi_build optimised\nmpi_threads single\ntsc_offset 0\ntsc_bound 1e-7",
}
OTHER_CORE = {"proc/self/status": "Pid:\t51\nCpus_allowed_list:\t1"}


class DoctorTest(harness.ProgramTest):
    def tree(self, name, *changes):
        for path, text in {k: v for files in (QUIET, *changes) for k, v in files.items()}.items():
            if text is not None:
                place = self.folder / name / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text + "\n")
        return str(self.folder / name)

    def doctor(self, *arguments, trees=(), ranks=0, environment=None, record=True):
        variables = {"MEASURE_TEST_DOCTOR": ":".join(trees)} if trees else {}
        process = self.launch(MEASURE, "doctor", *arguments, ranks=ranks, record=record,
                              environment=variables | (environment or {}))
        out, err = process.communicate(timeout=LIMIT)
        document = harness.document(MEASURE, self.json.read_text()) if self.json.exists() else None
        return process.returncode, out, harness.lines_of_ranks(err), document

    def findings(self, document, level):
        return {f["topic"]: f for f in document["findings"] if f["level"] == level}

    # ---- made-up machines

    def test_a_quiet_machine_is_fine(self):
        code, out, err, document = self.doctor(trees=[self.tree("quiet")])
        self.assertEqual(code, 0, out)
        self.assertIn("0 warnings, 0 notes, 0 unknown: no disturbances found", out)
        self.assertEqual(len(err), 1, err)
        self.assertIn("the test hook MEASURE_TEST_DOCTOR", err[0])
        self.assertEqual((document["document"], document["level"], document["ranks"]), ("doctor", "fine", 1))
        self.assertEqual(document["hosts"][0]["facts"]["cpu"], "Fast CPU")
        fine = [finding for finding in document["findings"] if finding["level"] == "fine"]
        self.assertEqual(re.findall("(?m)^fine.*", out), [f"fine     {len(fine)} checks (--all)"])
        _, out, _, _ = self.doctor("--all", trees=[self.tree("quiet")])
        self.assertEqual(len(re.findall("(?m)^fine ", out)), len(fine))

    def test_notes_exit_with_0_and_warnings_with_3(self):
        virtual = {"proc/cpuinfo": "model name: V\nflags: tsc constant_tsc nonstop_tsc hypervisor",
                   "proc/1/cgroup": "0::/docker/1"}
        code, out, _, document = self.doctor(trees=[self.tree("virtual", virtual)])
        self.assertEqual(code, 0, out)
        self.assertEqual(set(self.findings(document, "note")), {"virtual_machine", "container"})
        busy = {f"{CPU}/cpufreq/policy0/scaling_governor": "powersave",
                "measure/host": QUIET["measure/host"] + "\nsteal 0.1\nbusy_cores 1.8\nprocesses 9 0.80 cc1plus"}
        code, out, _, document = self.doctor(trees=[self.tree("busy", busy)])
        self.assertEqual(code, 3, out)
        self.assertEqual(set(self.findings(document, "warning")), {"governor", "steal", "other_programs"})
        self.assertIn("try: sudo cpupower frequency-set -g performance", out)
        self.assertIn("0.8 of 2 cores: cc1plus (9) 0.80", out)

    def test_missing_information_is_reported_as_unknown(self):
        bare = {path: None for path in QUIET if path.startswith(("sys", "proc/meminfo", "proc/loadavg"))}
        code, out, _, document = self.doctor(trees=[self.tree("bare", bare)])
        self.assertEqual(code, 0, out)
        self.assertGreaterEqual(set(self.findings(document, "unknown")),
                                {"governor", "turbo", "smt", "clock_source", "memory", "swap", "load", "numa"})
        self.assertIn("no disturbances among the checks that were possible", out)

    def test_two_ranks_on_one_core_are_named(self):
        tree = self.tree("same")
        code, out, _, document = self.doctor(trees=[tree, self.tree("other", OTHER_CORE, {"measure/host": ""}), tree],
                                             ranks=3)
        self.assertEqual(code, 3, out)
        warnings = self.findings(document, "warning")
        self.assertEqual(set(warnings), {"oversubscription"})
        both = self.tree("both", {"measure/host": QUIET["measure/host"] + "\nbusy_cores 2\n",
                                  "proc/self/status": "Pid:\t51\nCpus_allowed_list:\t0-1"})
        code, out, _, document = self.doctor(trees=[both, both], ranks=2)
        self.assertEqual((code, set(self.findings(document, "note"))), (0, {"binding"}), out)
        self.assertEqual(self.findings(document, "note")["binding"]["ranks"], "0-1")
        moved = self.tree("moved", {"measure/rank": QUIET["measure/rank"] + "\nunits_used 2",
                                    "proc/self/status": "Pid:\t52\nCpus_allowed_list:\t0-1"})
        code, out, _, document = self.doctor(trees=[both, moved], ranks=2)
        self.assertEqual((code, set(self.findings(document, "warning"))), (3, {"binding"}))
        self.assertEqual(self.findings(document, "warning")["binding"]["ranks"], "1")

    def test_different_hosts_are_named_with_their_ranks(self):
        second = {"proc/sys/kernel/hostname": "node2", "proc/sys/kernel/random/boot_id": "b2",
                  "proc/sys/kernel/osrelease": "5.10.0",
                  "measure/rank": QUIET["measure/rank"] + "\nmpi B\nenv:UCX_MADE_UP tcp"}
        one = self.tree("one", {"measure/host": QUIET["measure/host"] + "\nbusy_cores 2\n"})
        two = self.tree("two", second, {"measure/host": QUIET["measure/host"] + "\nbusy_cores 2\n"})
        trees = [one, two, self.tree("one_b", OTHER_CORE), self.tree("two_b", second, OTHER_CORE)]
        code, out, _, document = self.doctor(trees=trees, ranks=4)
        self.assertEqual(code, 3, out)
        self.assertEqual([(host["name"], host["ranks"]) for host in document["hosts"]],
                         [("node1", "0,2"), ("node2", "1,3")])
        texts = {f["text"] for f in document["findings"] if f["level"] == "warning"}
        self.assertEqual(texts, {"hosts differ in kernel", "hosts differ in the MPI library",
                                 "hosts differ in the environment variable UCX_MADE_UP"})
        self.assertIn("node2 (ranks 1,3): 5.10.0", out)

    def test_interruptions_are_judged_by_rank(self):
        noisy = {"measure/rank": QUIET["measure/rank"] + "\nnoise_lost 0.1\nnoise_longest 0.012\nnoise_detours 25",
                 "measure/host": QUIET["measure/host"] + "\nbusy_cores 2\n"} | OTHER_CORE
        quiet = self.tree("quiet", {"measure/host": QUIET["measure/host"] + "\nbusy_cores 2\n"})
        code, out, _, document = self.doctor("--duration", "1s", trees=[quiet, self.tree("noisy", noisy)], ranks=2)
        self.assertEqual(code, 3, out)
        self.assertEqual(self.findings(document, "warning")["interruptions"]["ranks"], "1")
        self.assertRegex(out, r"\n\s+1  node1\s+25\s+10\.000\s+12000\.0 ")
        self.assertEqual(document["by_rank"][1]["noise"]["per_second"], 25)

    def test_a_markdown_report_escapes_foreign_text(self):
        evil = {"measure/host": QUIET["measure/host"] + "\nbusy_cores 2\nprocesses 9 1.00 <script>|\x1b[31m"}
        code, out, _, _ = self.doctor("--format", "md", trees=[self.tree("evil", evil)], record=False)
        self.assertEqual(code, 3)
        self.assertTrue(out.startswith("# Before measuring"), out)
        self.assertNotIn("<script>", out)
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(set(line.count("|") - line.count("\\|") for line in out.splitlines()
                                 if line.startswith(("| warning", "| **warning", "| fine")))), 1)

    # ---- this machine

    def looks_at_this_machine(self, ranks):
        code, out, err, document = self.doctor("--duration", "100ms", ranks=ranks)
        self.assertIn(code, (0, 3), err)
        self.assertEqual(code == 3, document["level"] == "warning", out)
        self.assertEqual(document["ranks"], max(ranks, 1))
        topics = {f["topic"] for f in document["findings"]}
        self.assertGreaterEqual(topics, {"oversubscription", "governor", "clock_source", "binding", "timer", "memory",
                                         "interruptions", "other_programs", "mpi_library"})
        for rank in document["by_rank"]:
            noise = rank["noise"]
            self.assertGreaterEqual(noise["duration"], 0.05)
            self.assertTrue(0 <= noise["lost"] <= 1 and 0 <= noise["work_lost"] < 1, noise)
            self.assertTrue(0 < noise["work_fastest"] <= noise["work_median"] <= noise["work_slowest"], noise)
        counted = re.search(r"# (\d+) warnings?, (\d+) notes?, (\d+) unknown: ", out)
        self.assertEqual([int(n) for n in counted.groups()],
                         [sum(f["level"] == level for f in document["findings"])
                          for level in ("warning", "note", "unknown")])
        return document

    @harness.not_quick
    def test_one_process_can_examine_this_machine_without_launcher(self):
        self.looks_at_this_machine(0)

    @harness.not_quick
    def test_two_ranks_can_examine_this_machine(self):
        self.assertEqual(self.looks_at_this_machine(2)["hosts"][0]["ranks"], "0-1")

    @slow
    def test_four_ranks_can_examine_this_machine(self):
        self.looks_at_this_machine(4)

    def test_json_on_standard_output_moves_the_text_to_standard_error(self):
        code, out, err, _ = self.doctor("--json", "-", "--quiet", trees=[self.tree("quiet")], record=False)
        self.assertEqual((code, json.loads(out)["level"]), (0, "fine"))
        self.assertIn("# 0 warnings", "\n".join(err))

    def test_a_launcher_of_another_library_is_recognised(self):
        code, out, _, document = self.doctor(trees=[self.tree("quiet")], environment={"PALS_SIZE": "4"})
        self.assertEqual((code, set(self.findings(document, "warning"))), (3, {"launcher"}), out)

    # ---- wrong use

    def test_an_unwritable_file_is_refused_with_one_line(self):
        code, out, err, _ = self.doctor("--json", "/nonexistent/x", ranks=2, record=False)
        self.assertEqual((code, out, len(err)), (2, "", 1), err)
        self.assertTrue(err[0].startswith("measure doctor: error: --json: cannot write '/nonexistent/x"), err)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
