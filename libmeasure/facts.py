#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of a measurement and fields of records: each is described in one place, from which all repetitions are
generated.

usage: facts.py --generate OUTPUT_FOLDER   write the headers of a build: derived_numbers.hpp and c_structs.hpp
       facts.py --check                    compare measure.h, docs/record.schema.json and docs/records.md with the
                                           generated text
       facts.py --write                    update these files

Each numeric member of a struct in `C_STRUCTS` is a field of the same name in the C struct. Missing fields are appended
to the struct in measure.h, because the order is part of the binary interface. The Fortran module follows measure.h.
Each `double` of `Estimate` and `Measurement` is also in a record: in `derived`, unless record_fields.hpp describes it.
The schema lists these numbers as `derived_numbers`, with the comments of the C++ header.

The schema describes all other fields of records. Each table of docs/records.md between `<!-- schema of NAME -->` and
`<!-- end of schema -->` is generated from its descriptions. NAME is a definition, with members after dots
(`run.clock_sync`). A member without a table has its members and values in the rows after it.
"""

import difflib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
HEADERS = TOP / "libmeasure/include/measure"
FIELDS = TOP / "libmeasure/analysis/record/record_fields.hpp"
C_HEADER = TOP / "libmeasure/include/measure.h"
SCHEMA = TOP / "docs/record.schema.json"
PAGE = TOP / "docs/records.md"

REAL = {"double", "std::optional<double>", "seconds"}
WHOLE = {"std::int64_t", "int", "bool", "InvalidReason"}
# C struct: the C++ structs (header, name) that fill it, and the types of members that become fields.
C_STRUCTS = {
    "measure_timer_info": ([("timer_info", "TimerInfo")], REAL | WHOLE),
    "measure_sync_report": ([("sync_report", "SyncReport")], REAL | WHOLE),
    "measure_harmony": ([("harmonize", "Harmony")], REAL | WHOLE),
    "measure_estimate": ([("statistics", "Estimate"), ("measurement", "Measurement")], REAL),
    "measure_counts": ([("measurement", "Measurement"), ("sample", "InvalidCounts")], {"std::int64_t"}),
    "measure_rank_summary": ([("sample", "RankSummary")], REAL | WHOLE),
    "measure_sample": ([("sample", "Sample")], REAL | WHOLE),
}
IN_RECORDS = C_STRUCTS["measure_estimate"][0]
RECORD_NAMES = {"relative_standard_error": "rse"}
WIDTH = 120


@dataclass
class Member:
    type: str
    name: str
    text: str

    @property
    def in_record(self):
        return RECORD_NAMES.get(self.name, self.name)


def members(header, struct):
    """Numeric members of a C++ struct."""
    text = (HEADERS / f"{header}.hpp").read_text(encoding="utf-8")
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", text, re.MULTILINE | re.DOTALL)[1]
    types = "|".join(re.escape(t) for t in sorted(REAL | WHOLE))
    found = []
    for line in body.splitlines():
        if match := re.fullmatch(rf" {{4}}({types}) (\w+)(?:\{{.*?\}}| = [^;,]*)?;(?: +///< (.*))?", line):
            if not match[3]:
                sys.exit(f"{header}.hpp: '{match[2]}' of {struct} has no comment after it")
            found.append(Member(*match.groups()))
        elif match := re.fullmatch(r" {5,}///< (.*)", line):
            sys.exit(f"{header}.hpp: the comment must fit on one line: {match[1]}")
        elif re.match(rf" {{4}}({types})( [^(]*;|$)", line):
            sys.exit(f"{header}.hpp: not understood: {line.strip()}")
    return found


def c_fields(struct, text):
    """Fields of a struct in measure.h: [(type, name, comment)]."""
    body = c_body(text, struct)
    fields = re.findall(r"^    (double|int64_t) (\w+); +/\*\*< (.*) \*/$", body, re.MULTILINE)
    if len(fields) != body.count("\n"):
        sys.exit(f"measure.h: a line of {struct} is not a field")
    return fields


def all_c_fields(struct):
    """Fields of a struct in measure.h, including the missing ones."""
    fields = c_fields(struct, C_HEADER.read_text(encoding="utf-8"))
    sources, types = C_STRUCTS[struct]
    names = {name for _, name, _ in fields}
    for member in (m for source in sources for m in members(*source)):
        if member.type in types - {"InvalidReason"} and member.name not in names:
            fields.append(("double" if member.type in REAL else "int64_t", member.name, member.text.replace("`", "")))
    return fields


def c_body(text, struct):
    return re.search(rf"typedef struct {struct} {{\n(.*?)}} {struct};", text, re.DOTALL)[1]


def derived(source):
    """Members of a C++ struct that are in `derived` of a record."""
    elsewhere = set(re.findall(r"&(?:Estimate|Record)::(\w+)", FIELDS.read_text(encoding="utf-8")))
    return [m for m in members(*source) if m.type in REAL and m.name not in elsewhere]


def derived_numbers_hpp():
    lines = ["// Written by facts.py.", "#pragma once", ""]
    lines += [f'#include "measure/{header}.hpp"' for header, _ in IN_RECORDS]
    lines += ["", "namespace measure::detail {"]
    for source in IN_RECORDS:
        lines += ["", "/// Calls f(name, number) for each number in `derived`.", "template <class F>",
                  f"void for_each_derived({source[1]} const& x, F&& f) {{"]
        lines += [f'    f("{m.in_record}", x.{m.name});' for m in derived(source)]
        lines += ["}"]
    return "\n".join([*lines, "", "}  // namespace measure::detail", ""])


C_STRUCT = """
/// A struct of measure.h with the numbers of C++ structs. Numbers that none of them has are NaN or 0.
template <class C, class... From>
[[nodiscard]] C c_struct(From const&... from) noexcept {
    C to;
    clear(to);
    (fill(to, from), ...);
    return to;
}

}  // namespace measure::c_api
"""


def c_structs_hpp():
    headers = sorted({header for sources, _ in C_STRUCTS.values() for header, _ in sources})
    lines = ["// Written by facts.py.", "#pragma once", "", '#include "measure.h"']
    lines += [f'#include "measure/{header}.hpp"' for header in headers]
    lines += ['#include "c_api/c_api.hpp"', "", "namespace measure::c_api {"]
    for struct, (sources, _) in C_STRUCTS.items():
        fields = c_fields(struct, C_HEADER.read_text(encoding="utf-8"))
        lines += ["", "/// Sets all numbers to unknown.", f"inline void clear({struct}& to) noexcept {{"]
        lines += [f"    to.{name} = {'nan' if kind == 'double' else '0'};" for kind, name, _ in fields]
        lines += ["}"]
        names = {name for _, name, _ in fields}
        for source in sources:
            lines += [f"inline void fill({struct}& to, {source[1]} const& from) noexcept {{"]
            lines += [f"    to.{m.name} = c_value(from.{m.name});" for m in members(*source) if m.name in names]
            lines += ["}"]
    return "\n".join(lines) + "\n" + C_STRUCT


def with_c_structs(text):
    for struct in C_STRUCTS:
        fields = [(f"    {kind} {name};", words) for kind, name, words in all_c_fields(struct)]
        widest = max(len(field) for field, _ in fields)
        lines = [f"{field:{widest}} /**< {words} */\n" for field, words in fields]
        for line in (line for line in lines if len(line) > WIDTH + 1):
            sys.exit(f"measure.h: the line is too long, shorten the comment: {line.strip()}")
        text = text.replace(c_body(text, struct), "".join(lines))
    return text


def with_derived_numbers(text):
    lines = ",\n".join(f'        "{m.in_record}": {{ "description": {json.dumps(m.text, ensure_ascii=False)}, '
                       '"$ref": "#/$defs/number_or_null" }' for source in IN_RECORDS for m in derived(source))
    return re.sub(r'("derived_numbers": \{\n(?: {6}"\w+": [^\n]*\n)*? {6}"properties": \{\n).*?(\n {6}\})',
                  lambda m: m[1] + lines + m[2], text, flags=re.DOTALL)


def properties(part):
    """Members of an object, or of the objects in an array."""
    return part.get("properties") or part.get("items", {}).get("properties", {})


def values(part):
    """Schemas of the values of an enumeration, or of the texts in an array."""
    return part.get("items", part).get("anyOf", [])


def described(part, name):
    return part.get("description") or sys.exit(f"record.schema.json: {name} has no description")


class Tables:
    """The tables of docs/records.md."""

    BEGIN = r"<!-- schema of ([\w.]+) -->\n"
    BLOCK = re.compile(rf"({BEGIN}).*?(<!-- end of schema -->\n)", re.DOTALL)

    def __init__(self, schema, page):
        self.parts = schema["$defs"]
        self.headings = {}  # headings above the tables, by name
        heading = ""
        for match in re.finditer(rf"^#+ (.*)\n|^{self.BEGIN}", page, re.MULTILINE):
            heading = match[1] or heading
            if match[2]:
                self.headings[match[2]] = heading
        for name, part in self.parts.items():
            if properties(part) and name not in self.headings:
                sys.exit(f"docs/records.md has no table <!-- schema of {name} -->")

    def table(self, name):
        """The table of an object's members or of an enumeration's values."""
        part = {"properties": self.parts}
        for member in name.split("."):
            part = properties(part).get(member) or sys.exit(f"record.schema.json has no {name}")
        if not properties(part):
            return "\n".join(["| value | meaning |", "| --- | --- |", *self.value_rows(part, name)])
        return "\n".join(["| field | type | meaning |", "| --- | --- | --- |", *self.rows(part, name)])

    def rows(self, part, name, prefix=""):
        """Rows of all members, with the members and values of those that have no table."""
        required = part.get("items", part).get("required")
        for member, sub in properties(part).items():
            path = f"{name}.{member}"
            kind, text = self.type_of(sub), described(sub, path)
            if required and member not in required:
                kind = f"{kind}, optional".removeprefix(", ")
            if path in self.headings:
                text += f" ([see below]({self.anchor(path)}))"
            yield row(f"`{prefix}{member}`", kind, text)
            if path not in self.headings:
                yield from self.value_rows(sub, path, f"`{prefix}{member}` = ", "")
                yield from self.rows(sub, path, f"{prefix}{member}.")

    def value_rows(self, part, name, prefix="", *between):
        for value in values(part):
            const = value.get("const")
            yield row(prefix + f"`{const}`" if const else "other", *between, described(value, f"{name} {const}"))

    def type_of(self, part):
        """Type for readers: "s or null", "array of texts"."""
        if "$ref" in part:
            part = self.parts[part["$ref"].rpartition("/")[2]]
            return part.get("title", part.get("type"))
        if "const" in part:
            return f"`{json.dumps(part['const'])}`"
        if "enum" in part:
            return "text or null" if None in part["enum"] else "text"
        kinds = part.get("type", "text" if values(part) else "")
        text = " or ".join([kinds] if isinstance(kinds, str) else kinds).replace("string", "text")
        return text + re.sub(r"\w+", r" of \g<0>s", self.type_of(part["items"]), count=1) if "items" in part else text

    def anchor(self, name):
        """Link to the heading above a table."""
        return "#" + re.sub(r"[^\w -]", "", self.headings[name].lower()).replace(" ", "-")


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def with_tables(text):
    tables = Tables(json.loads(with_derived_numbers(SCHEMA.read_text(encoding="utf-8"))), text)
    return Tables.BLOCK.sub(lambda m: f"{m[1]}\n{tables.table(m[2])}\n\n{m[3]}", text)


WRITTEN = {C_HEADER: with_c_structs, SCHEMA: with_derived_numbers, PAGE: with_tables}


def main():
    if sys.argv[1:2] == ["--generate"] and len(sys.argv) == 3:
        folder = Path(sys.argv[2])
        (folder / "derived_numbers.hpp").write_text(derived_numbers_hpp(), encoding="utf-8")
        (folder / "c_structs.hpp").write_text(c_structs_hpp(), encoding="utf-8")
        return 0
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit(__doc__)
    differs = 0
    for path, written in WRITTEN.items():
        old = path.read_text(encoding="utf-8")
        new = written(old)
        if old == new:
            continue
        name = str(path.relative_to(TOP))
        differs = 1
        if sys.argv[1] == "--write":
            path.write_text(new, encoding="utf-8")
            print(f"{name}: updated")
        else:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name,
                                                       f"{name}, generated by facts.py", n=0))
    return differs if sys.argv[1] == "--check" else 0


if __name__ == "__main__":
    sys.exit(main())
