#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the Fortran module from measure.h and from templates, which contain the parts without a rule.

usage: generate.py MEASURE_H TEMPLATE OUTPUT [TEMPLATE OUTPUT]...

Enumerators and structs are the same as in C; an object is a type with a handle. Each C function gets a bind(C)
interface, c_NAME, and a procedure that calls it. The procedure has the comment of measure.h and all arguments except
the sizes of structs:

    int f(.., measure_error*)      a subroutine; the error is optional
    void f(..)                     a subroutine; if its name ends in _free, it resets the handle
    int f(..), comment "Not 0: .." a logical function
    other f(..)                    a function
    f_text, f_number, f_integer    private, without "measure_"; a template has the generic f
    f_fortran(..)                  f; the function with an MPI_Comm is left out

Types and procedures defined in a template are left out, too. Procedures of regions are in a submodule.
"""
import re
import sys
import textwrap
from pathlib import Path

FIELDS = {"int64_t": "integer(c_int64_t)", "double": "real(c_double)"}
# Result types: in C, and in Fortran.
RESULTS = {"int": ("integer(c_int)", "integer"), "char const*": ("type(c_ptr)", "character(len=:), allocatable"),
           **{c_type: (fortran, fortran) for c_type, fortran in FIELDS.items()}}
# An argument: its declaration in the procedure and in the interface, and the expression that is passed on.
ARGUMENTS = {
    "int": ("integer, intent(in) :: {name}", "integer(c_int), value :: {name}", "int({name}, c_int)"),
    "int64_t": ("integer(c_int64_t), intent(in) :: {name}", "integer(c_int64_t), value :: {name}", "{name}"),
    "double": ("real(c_double), intent(in) :: {name}", "real(c_double), value :: {name}", "{name}"),
    "double*": ("real(c_double), intent(inout) :: {name}", "real(c_double), intent(inout) :: {name}", "{name}"),
    "char const*": ("character(len=*), intent(in) :: {name}", "character(kind=c_char), intent(in) :: {name}(*)",
                    "c_text{where}({name})"),
    "char* const*": ("", "type(c_ptr), intent(in) :: {name}(*)", ""),
    "size_t": ("", "integer(c_size_t), value :: {name}", ""),
    "error*": ("type({type}), intent(out), optional, target :: {name}", "type(c_ptr), value :: {name}",
               "place{where}({name})"),
    "struct*": ("type({type}), intent(out) :: {name}", "type({type}), intent(out) :: {name}",
                "{name}, c_sizeof({name})"),
    "struct const*": ("", "type({type}), intent(in) :: {name}", ""),
    "object*": ("type({type}), intent(in) :: {name}", "type(c_ptr), intent(in), value :: {name}", "{name}%handle"),
    "object**": ("type({type}), intent(out) :: {name}", "type(c_ptr), intent(out) :: {name}", "{name}%handle"),
    "freed*": ("type({type}), intent(inout) :: {name}", "type(c_ptr), value :: {name}", "{name}%handle"),
}
ARGUMENTS["MPI_Fint"] = ARGUMENTS["int"]
WORDS = r"(?:/\*\*((?:(?!\*/).)*)\*/\n)?"


def lines(indent, *texts):
    """Texts as lines, wrapped with continuation."""
    wrapped = (textwrap.wrap(text, 118 - indent, subsequent_indent=" " * 4) for text in texts)
    return "".join(textwrap.indent(" &\n".join(parts), " " * indent) + "\n" for parts in wrapped)


def comment(indent, words):
    words = re.sub(r"\n \* ?", "\n", words.strip()).replace("Not 0:", "True:")
    words = re.sub(r"\s*\\param size  sizeof \S+", "", words)
    return "".join(f"{' ' * indent}!> {text}".rstrip() + "\n" for text in words.splitlines())


class Function:
    def __init__(self, words, result, c_name, arguments, structs):
        self.words, self.result, self.c_name = words, result, c_name
        self.name = re.sub(r"^measure_(\w+_set_(text|number|integer))$", r"\1", c_name).removesuffix("_fortran")
        self.interface_name = "c_" + self.name.removeprefix("measure_")
        self.of_regions = self.name.startswith("measure_region")
        self.frees = self.name.endswith("_free")
        self.arguments = [self.argument(text, structs) for text in arguments.split(",") if text != "void"]
        if result != "void" and result not in RESULTS:
            self.refuse(result)
        can_fail = bool(self.arguments) and self.arguments[-1]["kind"] == "error*"
        self.is_subroutine = result == "void" or can_fail
        self.is_logical = words.strip().startswith("Not 0:")
        # The properties of a communicator do not change.
        self.pure = "pure " if result == "int" and not can_fail and self.name.startswith("measure_comm") else ""

    def argument(self, text, structs):
        c_type, name = " ".join(text.split()).rsplit(" ", 1)
        if c_type in ARGUMENTS:
            return {"name": name, "kind": c_type}
        if not (match := re.fullmatch(r"(measure_\w+)( const)?(\*+)", c_type)):
            self.refuse(c_type)
        of, const, stars = match.groups()
        if of == "measure_error":
            kind = "error*"
        elif of in structs:
            kind = f"struct{const or ''}{stars}"
        else:
            kind = "freed*" if self.frees else f"object{stars}"
        return {"name": name, "type": of, "kind": kind}

    def refuse(self, kind):
        sys.exit(f"measure.h: no rule for '{kind}' of {self.c_name}")

    def check_arguments(self):
        """For generated procedures. A double* is a single number, a size_t is the size of the struct before it."""
        before = ""
        for argument in self.arguments:
            kind = argument["kind"]
            if not ARGUMENTS[kind][0] and not (kind == "size_t" and before == "struct*"):
                self.refuse(kind)
            before = kind

    def each_argument(self, column):
        # A submodule can neither call private procedures of its module nor define procedures of the same name.
        where = "_of_regions" if self.of_regions else ""
        texts = [ARGUMENTS[argument["kind"]][column].format(where=where, **argument) for argument in self.arguments]
        return [text for text in texts if text]

    def interface(self):
        names = ", ".join(argument["name"] for argument in self.arguments)
        kind = "subroutine" if self.result == "void" else "function"
        result = "" if self.result == "void" else f"{self.pure}{RESULTS[self.result][0]} "
        return (lines(8, f"{result}{kind} {self.interface_name}({names}) &")
                + lines(12, f'bind(C, name="{self.c_name}")', "import", *self.each_argument(1))
                + lines(8, f"end {kind}"))

    def procedure(self, indent, prefix, body):
        names = ", ".join(argument["name"] for argument in self.arguments if argument["kind"] != "size_t")
        kind, result, declared = "subroutine", "", self.each_argument(0)
        if not self.is_subroutine:
            kind, result = "function", " result(answer)"
            declared.append(f"{'logical' if self.is_logical else RESULTS[self.result][1]} :: answer")
        return (comment(indent, self.words) + lines(indent, f"{prefix}{self.pure}{kind} {self.name}({names}){result}")
                + lines(indent + 4, *declared, *body) + lines(indent, f"end {kind}"))

    def body(self):
        call = f"{self.interface_name}({', '.join(self.each_argument(2))})"
        if self.result == "void":
            return [f"call {call}", *([f"{self.arguments[0]['name']}%handle = c_null_ptr"] if self.frees else [])]
        if self.is_subroutine:
            return ["integer(c_int) :: code", f"code = {call}"]
        if self.result == "char const*":
            return [f"answer = text_of({call})"]
        return [f"answer = {call}{' /= 0' if self.is_logical else ''}"]


def members(pattern, declared, body):
    """Lines of the members of an enum or a struct."""
    found = re.findall(rf"^    {pattern} +/\*\*< (.*) \*/$", body, re.MULTILINE)
    if len(found) != body.count("\n"):
        sys.exit(f"measure.h: not understood, and in no template:\n{body}")
    return "".join(comment(8, words) + lines(8, declared(*names)) for *names, words in found)


def enum_of(words, body):
    return (comment(4, words) + lines(4, "enum, bind(C)")
            + members(r"(\w+) = (\d),?", lambda name, value: f"enumerator :: {name.lower()} = {value}", body)
            + lines(4, "end enum"))


def type_of(words, name, body):
    if body:
        fields = members(rf"({'|'.join(FIELDS)}) (\w+);", lambda kind, field: f"{FIELDS[kind]} :: {field}", body)
    else:
        fields = lines(8, "private", "type(c_ptr) :: handle = c_null_ptr")
    return comment(4, words) + lines(4, f"type{', bind(C)' if body else ''} :: {name}") + fields + lines(4, "end type")


def check_found(what, begins, header, found):
    """Exits if a declaration of the header was not recognised."""
    begun = re.findall(begins, header, re.MULTILINE)
    if left_out := set(begun) - set(found):
        sys.exit(f"measure.h: {what} not understood: {', '.join(sorted(left_out))}")


def parts(header, own):
    """Texts for the placeholders of a template."""
    enums = re.findall(WORDS + r"^enum \w+ \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)
    types = re.findall(WORDS + r"^typedef struct (\w+)(?: \{\n(.*?)\})? \2;", header, re.MULTILINE | re.DOTALL)
    structs = {name for _, name, body in types if body}
    declared = re.findall(WORDS + r"^(\w[\w ]*\*?) (measure_\w+)\(([^()]*)\);", header, re.MULTILINE | re.DOTALL)
    check_found("function", r"^\w[^;{}/#]*?\b(measure_\w+)\(", header, [found[2] for found in declared])
    check_found("type", r"^typedef [^;{]*?\b(measure_\w+)(?= \{|;)", header, [found[1] for found in types])
    if len(enums) != len(re.findall(r"^(?:typedef )?enum\b", header, re.MULTILINE)):
        sys.exit("measure.h: an enum not understood: enum NAME {")
    functions = [Function(*found, structs) for found in declared if "MPI_Comm " not in found[-1]]
    types = [found for found in types if found[1] not in own]
    names = [name.lower() for _, body in enums for name in re.findall(r"MEASURE_\w+(?= =)", body)]
    names += [name for _, name, _ in types] + [f.name for f in functions if f.name.startswith("measure_")]
    written = [f for f in functions if f.name not in own]
    of_regions = [f for f in written if f.of_regions]
    for function in written:
        function.check_arguments()
    return {
        "public": [lines(4, *(f"public :: {name}" for name in names))],
        "enums": [enum_of(*found) for found in enums],
        "types": [type_of(*found) for found in types],
        "interfaces": [f.interface() for f in functions if not f.of_regions],
        "procedures": [f.procedure(4, "", f.body()) for f in written if not f.of_regions],
        "interfaces_of_regions": [f.interface() for f in functions if f.of_regions],
        "declarations_of_regions": [f.procedure(8, "module ", []) for f in of_regions],
        "procedures_of_regions": [lines(4, f"module procedure {f.name}") + lines(8, *f.body())
                                  + lines(4, "end procedure") for f in of_regions],
    }


def main():
    header = Path(sys.argv[1]).read_text(encoding="utf-8")
    templates = [Path(name).read_text(encoding="utf-8") for name in sys.argv[2::2]]
    own = set(re.findall(r"(?:subroutine|function|type, bind\(C\) ::) (measure_\w+)", "".join(templates)))
    written = parts(header, own)
    for template, output in zip(templates, sys.argv[3::2], strict=True):
        text = re.sub(r"^@(\w+)@\n", lambda place: "\n".join(written[place[1]]), template, flags=re.MULTILINE)
        Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
