#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/scale.svg, messages and time of synchronisers over the number of ranks, from the tables of docs/truth.md."""
import pathlib
import re
import subprocess

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PANELS = [("Messages sent and received by the rank that has most:", "messages of the busiest rank"),
          ("Time [ms]:", "time [ms]")]


def table(text, title):
    """(name, [(ranks, value), ..]) of each row."""
    lines = iter(text[text.index(title):].splitlines()[2:])
    cells = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    ranks = [int(cell) for cell in cells(next(lines))[1:]]
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        name, *values = cells(line)
        yield name.replace("`", ""), [(n, float(value)) for n, value in zip(ranks, values) if value]


def main():
    text = (DOCS / "truth.md").read_text()
    script = ["set terminal svg size 900,480 noenhanced background '#ffffff'", "set multiplot layout 1,2",
              "set logscale xy", "set key outside below samplen 2", "set format '10^%T'", "set xlabel 'ranks'", "set grid"]
    for title, label in PANELS:
        rows = list(table(text, title))
        for i, (_, points) in enumerate(rows):
            script += [f"$rows{i} << EOD", *(f"{n} {value}" for n, value in points), "EOD"]
        lines = [f"$rows{i} with linespoints pointtype {i + 1} dashtype {i % 4 + 1} title '{name}'"
                 for i, (name, _) in enumerate(rows)]
        script += [f"set ylabel '{label}'", "plot " + ", ".join(lines)]
    made = subprocess.run(["gnuplot"], input="\n".join(script) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    (DOCS / "scale.svg").write_text(re.sub(r"[ \t]+$", "", made.stdout, flags=re.MULTILINE).rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
