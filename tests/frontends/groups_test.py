#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All programs in a control group (container, batch system) that limits memory or processor time.

usage: groups_test.py FRONTENDS VALIDATE LAUNCHER YIELD_HELPER [unittest options]
"""
import pathlib
import shlex
import sys

import harness
from skampi_files import block, params

FRONTENDS = pathlib.Path(sys.argv[1]).resolve()
harness.ProgramTest.tools(*sys.argv[2:5])
MB = 2 ** 20
SKAMPI_LENGTHS = {"Variation": "Length", "Scale": "Fixed_log", "Stepwidth": 2, "Min_Repetition": 2,
                  "Max_Repetition": 4}


class GroupsTest(harness.ProgramTest):
    def run_in(self, group, line, ranks=2, record=True):
        program, *words = shlex.split(line.replace("{}", str(self.folder)))
        self.json.unlink(missing_ok=True)
        process = self.launch(str(FRONTENDS / program), *words, ranks=ranks, record=record, preexec_fn=group,
                              cwd=self.folder)
        out, err = process.communicate(timeout=harness.LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)


class Memory(GroupsTest):
    def in_400_megabytes(self):
        return self.control_group("memory", memory_max=str(400 * MB))

    @harness.not_quick
    def test_b_eff_derives_its_sizes_from_the_memory_of_the_group(self):
        with self.in_400_megabytes() as group:
            ended = self.run_in(group, "b_eff/b_eff --quick -f {}/b_eff")
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        self.assertEqual(ended.run["options"]["memory"], 200 * MB)
        self.assertGreater(next(r["value"] for r in ended.records if r["record"] == "summary"), 0)

    @harness.not_quick
    def test_sizes_beyond_the_memory_of_the_group_are_omitted(self):
        # Computed by hand: two processes have less than 200 MiB each, of which buffers may use two thirds.
        lines = {"mpiperf/mpiperf -z barrier --retry 0 -x 4MiB -X 256MiB -S 8 -r 4 -R 4 -E 1 Bcast": 2 ** 22,
                 "osu/measure-osu osu_latency -m 16777216:268435456 -i 2 -x 0": 2 ** 25,
                 "osu/measure-osu osu_allreduce -M 1000000000 -m 16777216:268435456 -i 2 -x 0": 2 ** 25,
                 "pmb/PMB-MPI1 -mem 4 -msglog 24:28 -iter 2 PingPong": 2 ** 25,
                 "pmb/PMB-EXT -mem 4 -msglog 24:28 -iter 2 Unidir_Put": 2 ** 25,
                 "pmb/measure-imb IMB-MPI1 -mem 4 -msglog 24:28 -iter 2 Bcast": 2 ** 25,
                 "mpbench/mpbench -b --min 24 -m 28 -i 2": 2 ** 25}
        if harness.OPEN_MPI:  # its internal buffers for a reduction of 64 MiB exceed the remaining third
            lines = {line: least for line, least in lines.items() if "allreduce" not in line}
        with self.in_400_megabytes() as group:
            for line, least in lines.items():
                with self.subTest(line):
                    ended = self.run_in(group, line)
                    self.assertEqual(ended.code, 4, ended.err)
                    self.assert_valid(ended)
                    measured = [p["at"]["bytes"] for p in ended.points if p["status"] != "skipped"]
                    left_out = [p for p in ended.points if p["status"] == "skipped"]
                    self.assertGreaterEqual(max(measured), least)
                    self.assertEqual(max(p["at"]["bytes"] for p in left_out), 2 ** 28)
                    self.assertGreater(min(p["at"]["bytes"] for p in left_out), max(measured))
                    for point in left_out:
                        self.assertIn("out of memory", point["message"])
                        self.assertIn("no_memory", point["flags"])
                    if "mpiperf" not in line:
                        # measure-osu prints remarks on standard error.
                        self.assertRegex("\n".join([ended.out, *ended.err]), r"268435456\b.*out of memory")

    @harness.not_quick
    def test_a_curve_of_skampi_ends_at_the_memory_limit(self):
        (self.folder / "p").write_text(params(
            "MPI_Bcast { Variation = Length; Scale = Fixed_log; Start_Argument = 33554432; "
            "End_Argument = 268435456; }", MEMORY="1GiB"))
        with self.in_400_megabytes() as group:
            ended = self.run_in(group, "skampi/skampi -f p -o out -l log")
        self.assertEqual(ended.code, 4, ended.err)
        self.assert_valid(ended)
        self.assertEqual([(p["at"]["bytes"], p["status"] == "skipped") for p in ended.points][-1], (2 ** 28, True))
        self.assertEqual(ended.points[-1]["message"], "out of memory")
        self.assertIn("#: status = incomplete\n#: reason = out of memory\n", (self.folder / "out").read_text())

    @harness.not_quick
    def test_attached_and_scratch_buffers_of_skampi_count_as_memory(self):
        # Each process may use two thirds of less than 200 MiB. A buffered exchange needs 6 times the message, of which
        # 4 are attached; a reduction in two steps needs 2.5 times, of which 1 is the scratch buffer of the root.
        longest = {"MPI_Bsend-MPI_Recv": 2 ** 24, "MPI_Reduce_Scatterv-length": 2 ** 25}
        (self.folder / "p").write_text(params(
            *(block(name, **SKAMPI_LENGTHS, Start_Argument=2 ** 23, End_Argument=2 ** 26) for name in longest),
            MEMORY="1GiB"))
        with self.in_400_megabytes() as group:
            ended = self.run_in(group, "skampi/skampi -f p -o out -l log")
        self.assertEqual(ended.code, 4, ended.err)
        self.assert_valid(ended)
        for name, most in longest.items():
            with self.subTest(name):
                self.assertEqual([(p["at"]["bytes"], p.get("message", "")) for p in ended.points
                                  if p["benchmark"] == name],
                                 [(size, "" if size <= most else "out of memory")
                                  for size in (2 ** 23, 2 ** 24, 2 ** 25, 2 ** 26)])

    @harness.not_quick
    def test_programs_that_allocate_everything_at_once_are_refused(self):
        with self.in_400_megabytes() as group:
            for ranks, line in ((0, "cachebench/cachebench --test read --size 1m,1g -o {}/f"),
                                (0, "blasbench/blasbench --test axpy --n 400000000 --output {}/f"),
                                (2, "mpbench/mpbench -b -M 1g -o {}/f"),
                                (2, "b_eff/b_eff --quick --mem 4000 -f {}/b_eff")):
                with self.subTest(line):
                    ended = self.run_in(group, line, ranks=ranks, record=False)
                    self.assertEqual(ended.code, 2, ended.err)
                    self.assertEqual(len(ended.errors()), 1)
                    self.assertIn("memory" if "b_eff" not in line else "--mem", ended.errors()[0])

    @harness.not_quick
    def test_doctor_warns_about_a_memory_limit(self):
        with self.in_400_megabytes() as group:
            ended = self.run_in(group, "measure/measure doctor --duration 100ms", ranks=0, record=False)
        self.assertRegex(ended.out, r"a control group \(container, batch system\) limits memory[^\n]*\n *"
                         r"[\d.]+ MiB of 400 MiB; the host has")


class AddressSpace(GroupsTest):
    limited = 'test "${PMI_RANK-$OMPI_COMM_WORLD_RANK}" = 0 || ulimit -v 600000; exec "$0" "$@"'

    @harness.not_quick
    @harness.plain
    def test_a_size_that_does_not_fit_on_one_rank_is_the_only_one_skipped(self):
        for line in ("pmb/PMB-MPI1 -mem 4 -msglog 25:28 -iter 2 PingPong Bcast",
                     "pmb/PMB-EXT -mem 4 -msglog 25:28 -iter 2 Unidir_Put",
                     "pmb/measure-imb IMB-MPI1 -mem 4 -msglog 25:28 -iter 2 PingPong Allreduce",
                     "pmb/measure-imb IMB-RMA -mem 4 -msglog 25:28 -iter 2 Unidir_put",
                     "osu/measure-osu osu_latency -m 33554432:268435456 -i 2 -x 0",
                     "mpbench/mpbench -b --min 25 -m 28 -i 2"):
            if harness.OPEN_MPI:  # its reduction fails on one process only, and the other waits forever
                line = line.replace(" Allreduce", "")
            with self.subTest(line):
                program, *words = shlex.split(line)
                self.json.unlink(missing_ok=True)
                process = self.launch("sh", "-c", self.limited, str(FRONTENDS / program), *words)
                out, err = process.communicate(timeout=harness.LIMIT)
                ended = harness.Ended(process.returncode, out, err, self.json)
                self.assertEqual(ended.code, 4, ended.err)
                self.assert_valid(ended)
                names = {p["benchmark"] for p in ended.points}
                for name in names:
                    own = [p for p in ended.points if p["benchmark"] == name]
                    measured = [p["at"]["bytes"] for p in own if p["value"] is not None]
                    left_out = [p["at"]["bytes"] for p in own if p["status"] == "skipped"]
                    self.assertGreaterEqual(max(measured), 2 ** 25)
                    self.assertEqual(max(left_out), 2 ** 28)
                    self.assertGreater(min(left_out), max(measured))
                    self.assertTrue(all("out of memory" in p["message"] for p in own if p["status"] == "skipped"))
                    for size in left_out:
                        self.assertRegex("\n".join([ended.out, *ended.err]), rf"\b{size}\b.*out of memory")

    @harness.not_quick
    @harness.plain
    def test_a_point_of_skampi_that_does_not_fit_on_one_rank_is_the_only_one_skipped(self):
        # Both ranks have memory for the buffers of the longest messages; one cannot attach a buffer.
        sizes = (2 ** 23, 2 ** 24, 2 ** 25, 2 ** 26, 2 ** 27)
        (self.folder / "p").write_text(params(
            block("MPI_Bsend-MPI_Recv", **SKAMPI_LENGTHS, Start_Argument=sizes[0], End_Argument=sizes[-1]),
            MEMORY="1GiB"))
        process = self.launch("sh", "-c", self.limited, str(FRONTENDS / "skampi/skampi"), "-f", "p", "-o", "out",
                              "-l", "log", cwd=self.folder)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, 4, ended.err)
        self.assert_valid(ended)
        self.assertEqual([p["at"]["bytes"] for p in ended.points], list(sizes))
        self.assertEqual([ended.points[i].get("message", "") for i in (0, -1)], ["", "out of memory"])


class ProcessorTime(GroupsTest):
    @harness.not_quick
    def test_all_programs_report_a_processor_quota(self):
        with self.control_group("cpu", cpu_max="150000 100000") as group:
            for line in ("mpiperf/mpiperf -x 8 -X 8 -r 4 -R 4 -E 1 Bcast", "osu/measure-osu osu_latency -m 8:8 -i 4",
                         "pmb/PMB-MPI1 -msgsize 8 -iter 4 PingPong",
                         "pmb/measure-imb IMB-MPI1 -msglog 3:3 -iter 4 PingPong",
                         "mpbench/mpbench -b -M 64 -i 2"):
                with self.subTest(line):
                    ended = self.run_in(group, line)
                    self.assertIn(ended.code, (0, 4), ended.err)
                    told = [text for text in ended.run["warnings"] if "a quota on processor time" in text]
                    self.assertEqual(told, ["a quota on processor time (cgroup) is less than the ranks use: they are "
                                            "paused in each period (0.75 cores for each)"])
                    self.assertTrue(any(told[0] in text for text in ended.warnings()), ended.err)

    def test_a_sufficient_quota_is_not_mentioned(self):
        with self.control_group("cpu", cpu_max="200000 100000") as group:
            ended = self.run_in(group, "mpiperf/mpiperf -x 8 -X 8 -r 4 -R 4 -E 1 Bcast")
        self.assertFalse([text for text in ended.run["warnings"] if "quota" in text])


if __name__ == "__main__":
    harness.main(sys.argv[5:])
