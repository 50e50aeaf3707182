#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs each program once with each of its output formats. Continuous integration runs this test under sanitizers.

The runs are the rows of a table and share a folder; a row may read what an earlier one wrote. A row passes if the
program exits with one of its codes and its record, if it has one, is valid.

usage: smoke_test.py FRONTENDS VALIDATE LAUNCHER YIELD_HELPER ARCHIVES [unittest options]

ARCHIVES is true or false: whether measure was built with archives.
"""
import pathlib
import sys

import harness
from skampi_files import params

FRONTENDS = pathlib.Path(sys.argv[1]).resolve()
HAS_ARCHIVES = sys.argv[5] == "true"
MEASURED = (0, 4)  # a busy machine may leave a point without a valid sample
SKAMPI = params("MPI_Bcast { Variation = Length; Scale = Fixed_log; Start_Argument = 1; End_Argument = 64; }")
# Ranks (0: no launcher), command line, exit codes. {file}: in the shared folder.
STARTS = [
    (2, "mpiperf/mpiperf -x 8 -X 64 -r 16 --json {mpiperf.jsonl} Bcast Allreduce", MEASURED),
    (2, "mpiperf/mpiperf -x 8 -X 64 -r 16 --json {mpiperf2.jsonl} Bcast Allreduce", MEASURED),
    (3, "mpiperf/mpiperf -x 8 -X 8 -r 16 --format csv -o {times} Pingpong Ibcast", MEASURED),
    (2, "pmb/PMB-MPI1 -msgsize 8,64 -iter 20 --json {pmb.jsonl} PingPong Allreduce", MEASURED),
    (2, "pmb/PMB-MPI1 -msgsize 8 -iter 20 -format csv PingPong", MEASURED),
    (2, "pmb/PMB-EXT -msgsize 8 -iter 20 --json {ext.jsonl}", MEASURED),
    (2, "pmb/PMB-IO -msgsize 8 -iter 5 -file {pmb_out} --json {io.jsonl} S_Write_indv P_Read_priv", MEASURED),
    (2, "pmb/measure-imb IMB-MPI1 -msglog 3:4 -iter 20 --json {imb.jsonl} PingPong Bcast", MEASURED),
    (2, "pmb/measure-imb IMB-NBC -msglog 3:3 -iter 10 Ibcast", MEASURED),
    (2, "pmb/measure-imb IMB-RMA -msglog 3:3 -iter 10 Unidir_put", MEASURED),
    (2, "pmb/measure-imb IMB-MT -thread_level single -count 1 -repeat 10 PingPongMT", MEASURED),
    (2, "osu/measure-osu osu_latency -m 8:64 -i 20 --json {osu.jsonl}", MEASURED),
    (2, "osu/measure-osu osu_allreduce -m 8:64 -i 20 -f --format 5.3", MEASURED),
    (2, "osu/measure-osu osu_put_latency -m 8:8 -i 20", MEASURED),
    (2, "patterns/measure-patterns --bytes 64 --stop count:4 --json {patterns.jsonl}", MEASURED),
    (2, "skampi/skampi -f {parameters} -o {out} -l {log} --json {skampi.jsonl}", MEASURED),
    (2, "skampi/skampi -f {parameters} -o {out2} -l {log2}", MEASURED),
    (0, "skampi/skampi-post -o {merged} {out} {out2}", (0,)),
    (0, "skampi/skampi-report --no-run -o {report} {out}", (0,)),
    (2, "mpbench/mpbench --test latency -M 8,64 -i 20 -o {mpbench.dat} --json {mpbench.jsonl}", MEASURED),
    (2, "mpbench/mpbench --test bandwidth -M 1k -i 20 --format csv", MEASURED),
    (0, "cachebench/cachebench --test read --size 4k -d 2ms -e 1 --output {cache.dat} --json {cachebench.jsonl}",
     MEASURED),
    (0, "cachebench/cachebench --test memcpy --size 4k -d 2ms -e 1 --format csv", MEASURED),
    (0, "blasbench/blasbench --blas builtin --test gemm --size 1k --output {blas.dat} --json {blasbench.jsonl}",
     MEASURED),
    (0, "blasbench/blasbench --blas builtin --test axpy --size 1k --format csv", MEASURED),
    (2, "b_eff/b_eff --quick --mem 1 --reps 1 --random 1 -f {b_eff} --json {b_eff.jsonl}", MEASURED),
    (2, "b_eff_io/b_eff_io -MB 256 -MT 512 -T 1 --quick -N 2 --types 0 -p {.} -f {b_eff_io} --json {b_eff_io.jsonl}", MEASURED),
    (0, "measure/measure {mpiperf.jsonl} {pmb.jsonl}", (0,)),
    (0, "measure/measure report -o {page.html} {mpiperf.jsonl} {pmb.jsonl}", (0,)),
    (0, "measure/measure report -o {page.md} --format markdown {cachebench.jsonl}", (0,)),
    (0, "measure/measure report -o {page.csv} --format csv {blasbench.jsonl}", (0,)),
    (0, "measure/measure compare --format text {mpiperf.jsonl} {mpiperf.jsonl}", (0, 4)),
    (0, "measure/measure compare --format html -o {compare.html} --json {compare.json} {pmb.jsonl} {pmb.jsonl}", (0, 4)),
    (0, "measure/measure export --format osu {osu.jsonl}", (0,)),
    (0, "measure/measure export --format imb {imb.jsonl}", (0,)),
    (0, "measure/measure export --format google-benchmark {mpiperf.jsonl}", (0,)),
    (0, "measure/measure export --format junit {mpiperf.jsonl}", (0,)),
    (0, "measure/measure model --json {model.json} {mpiperf.jsonl}", (0, 4)),
    (0, "measure/measure guidelines --format json {mpiperf.jsonl}", (0, 4)),
    (0, "measure/measure merge -o {both.jsonl} {mpiperf.jsonl} {mpiperf2.jsonl}", MEASURED),
    (0, "measure/measure archive add --archive {archive} {mpiperf.jsonl}", (0,)),
    (0, "measure/measure archive list --archive {archive}", (0,)),
    (0, "measure/measure archive site --archive {archive} {site}", (0,)),
    (2, "measure/measure doctor --json {doctor.json}", (0, 3, 4)),
    (2, "measure/measure pairs --csv {pairs.csv} -o {pairs.html} --json {pairs.jsonl}", MEASURED),
    (0, "measure/measure run --plan --calls Bcast --sizes 8 --folder {runs}", (0,)),
]


class Smoke(harness.ProgramTest):
    def test_every_program_runs_with_every_format(self):
        (self.folder / "parameters").write_text(SKAMPI)
        for ranks, line, codes in STARTS:
            program, *words = line.split()
            if words[0] == "archive" and not HAS_ARCHIVES:
                continue
            words = [str(self.folder / word[1:-1]) if word.startswith("{") else word for word in words]
            process = self.launch(FRONTENDS / program, *words, ranks=ranks, record=False)
            out, err = process.communicate(timeout=harness.LIMIT)
            with self.subTest(line):
                self.assertIn(process.returncode, codes, out + err)
        for record in self.folder.glob("*.jsonl"):
            with self.subTest(record.name):
                self.assert_valid_file(record)


if __name__ == "__main__":
    Smoke.tools(sys.argv[2], sys.argv[3], sys.argv[4])
    harness.main(sys.argv[6:])
