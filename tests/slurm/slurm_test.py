#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs under a real Slurm: two nodes on this machine, srun, batch jobs, time limits, scancel, requeue.

usage: slurm_test.py MPIPERF MEASURE VALIDATE_RECORDS [UNITTEST OPTIONS]
"""
import json
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import cluster  # noqa: E402  (the path is known only now)
import harness  # noqa: E402

MPIPERF, MEASURE, VALIDATE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])

if cluster.missing():
    print(f"skipped: Slurm: {cluster.missing()}")
    sys.exit(77)

SHORT = ("-x", 8, "-X", 8, "-r", 20, "Barrier")
# A million points, so it runs until something ends it.
LONG = "-x 1 -X 1000000 -s 1 Bcast"


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.slurm = cluster.Cluster()
        except AssertionError as failure:  # none of our programs has been started yet
            raise unittest.SkipTest(f"Slurm does not come up here: {failure}") from failure
        cls.addClassCleanup(cls.slurm.close)

    def setUp(self):
        self.folder = self.slurm.folder / self.id().rpartition(".")[2]
        self.folder.mkdir()
        self.json = self.folder / "record.jsonl"

    def srun(self, *arguments, **words):
        return self.slurm.run("srun", "--mpi=pmi2", *arguments, cwd=self.folder, **words)

    def record(self, path=None):
        path = path or self.json
        self.assertEqual(harness.record_faults(VALIDATE, path.read_bytes()), [])
        return [json.loads(line) for line in path.read_text().splitlines()]

    def begun(self):
        """Whether the record has its first line."""
        return self.json.exists() and b"\n" in self.json.read_bytes()

    def submit_long(self, *options):
        job = self.slurm.submit(f"exec srun --mpi=pmi2 -n 2 {MPIPERF} {LONG} --json {self.json}", "-n", 2, "-o",
                                self.folder / "out", *options)
        cluster.wait_for(self.begun, "a run line")
        return job

    def test_srun_forms_one_world(self):
        for options in (("-n", 2, "-N", 1), ("-n", 2, "-N", 2)):
            with self.subTest(options):
                done = self.srun(*options, MPIPERF, *SHORT, "--json", self.json)
                self.assertEqual(done.returncode, 0, done.stderr)
                first, *_, last = self.record()
                self.assertEqual(first["ranks"], 2)
                self.assertEqual((last["status"], last["exit_code"]), ("complete", 0))
                rows = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("#")]
                self.assertEqual(len(rows), 1, done.stdout)

    def test_exit_codes_are_passed_on(self):
        done = self.srun("-n", 2, MPIPERF, "--no-such-option")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count(": error: unknown option"), 1)
        done = self.srun("-n", 2, MPIPERF, *SHORT, "--json", "/nowhere/record.jsonl")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_batch_job_leaves_its_record(self):
        job = self.slurm.submit(f"srun --mpi=pmi2 {MPIPERF} {' '.join(map(str, SHORT))} --json {self.json}", "-n", 2,
                                "-o", self.folder / "out")
        self.slurm.wait_state(job, "COMPLETED")
        self.assertEqual(self.record()[-1]["status"], "complete")
        self.assertIn("Barrier", (self.folder / "out").read_text())

    def test_a_cancelled_job_has_an_end_in_its_record(self):
        job = self.submit_long()
        self.slurm.run("scancel", job)
        self.slurm.wait_state(job, "CANCELLED")
        last = self.record()[-1]
        self.assertEqual((last["record"], last["status"], last["exit_code"]), ("end", "interrupted", 143))

    def test_a_job_at_its_time_limit_has_an_end_in_its_record(self):
        # The shortest possible limit: one minute.
        job = self.submit_long("-t", 1)
        self.slurm.wait_state(job, "TIMEOUT", limit=180)
        last = self.record()[-1]
        self.assertEqual((last["record"], last["status"], last["exit_code"]), ("end", "interrupted", 143))

    def test_a_requeued_job_replaces_its_record(self):
        job = self.submit_long("--requeue")
        begun = json.loads(self.json.read_text().splitlines()[0])["started"]
        self.slurm.run("scontrol", "requeue", job)
        cluster.wait_for(lambda: self.begun() and json.loads(self.json.read_text().splitlines()[0])["started"] != begun,
                         "a second launch", limit=300)
        self.slurm.run("scancel", job)
        self.slurm.wait_state(job, "CANCELLED")
        records = self.record()
        self.assertEqual(sum(record["record"] == "run" for record in records), 1)
        self.assertEqual(records[-1]["exit_code"], 143)

    def test_a_killed_task_leaves_a_readable_record(self):
        job = self.submit_long()
        self.slurm.run("scancel", "--signal=KILL", job)
        self.slurm.wait_state(job, "FAILED", "CANCELLED", "COMPLETED")
        self.record()

    def check_run_inside_an_allocation(self, *words):
        # If other programs use the cores, a launch takes several seconds.
        runs = self.folder / "runs"
        done = self.slurm.run("salloc", "-n", 2, MEASURE, "run", "--budget", "1min", "--calls", "Barrier", "--compare",
                              "none", "--name", "slurm", *words, cwd=self.folder,
                              environment={"XDG_DATA_HOME": str(runs)})
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        # "MPICH 4.0.2, 2 ranks (not bound: 0-1) on vm (..)": the binding depends on the machine.
        self.assertRegex(done.stdout.splitlines()[0], r", 2 ranks( \([^)]*\))? on ")
        starts = next(runs.rglob("launches.jsonl"))
        self.assertGreaterEqual(sum(record["record"] == "run" for record in self.record(starts)), 3)
        return done

    def test_one_command_works_inside_an_allocation(self):
        self.check_run_inside_an_allocation("--", "srun", "--mpi=pmi2", "-n", "2")

    def test_a_run_inside_an_allocation_finds_srun(self):
        self.check_run_inside_an_allocation()
        plan = self.slurm.run("salloc", "-n", 2, MEASURE, "run", "--plan", "--compare", "none", cwd=self.folder)
        self.assertIn("  srun -n 2 --cpu-bind=cores ", plan.stdout)

    def test_pairs_measures_the_ranks_of_a_job(self):
        done = self.srun("-n", 2, MEASURE, "pairs", "--repetitions", 2, "--size", "4k", "--json", self.json)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 1 pairs of 2 nodes", done.stdout)


if __name__ == "__main__":
    harness.main(sys.argv[4:])
