#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of MPI's functions: calls.py OUTPUT_FOLDER COMPILER... (with the folder of mpi.h).

Each row of `CALLS` describes a call: the bytes that its rank sends and receives, as expressions of the arguments (see
wrap.hpp), the size of its benchmarks, and how it ends. The prototypes come from the mpi.h that the compiler finds, so
functions that the MPI library lacks have no wrapper. A row also applies to the non-blocking (Ibcast), persistent
(Bcast_init) and large-count (Bcast_c) forms of the call.
"""

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Call:
    sent: str = "0"
    received: str = "0"
    traffic: str = ""  # both at once, in place of the two
    ranks: str = ""  # number of ranks, as an expression; empty: from the argument comm, win or fh, if there is one
    after: str = ""  # statement after a successful call
    # Size of a benchmark of the operation, from the mean bytes that a rank sends and receives.
    size: str = "none"
    waits: bool = False  # no rank leaves it before all have entered: --waiting may insert a barrier before it
    own: str = ""  # name of a special template below, if the call does not follow the general one


def collective(sent, received, size, **more):
    return Call(sent, received, size=size, waits=True, **more)


SEND = Call("to(dest, count, datatype)", size="sent")
CALLS = {
    "Send": SEND,
    "Bsend": SEND,
    "Ssend": SEND,
    "Rsend": SEND,
    "Recv": Call(received="arrived(mine, source)", size="received", own="receive"),
    "Irecv": Call(received="to(source, count, datatype)", size="received"),
    "Recv_init": Call(received="to(source, count, datatype)", size="received"),
    "Mprobe": Call(after="message_of(*message, comm)"),
    "Improbe": Call(after="if (*flag != 0) message_of(*message, comm)"),
    "Mrecv": Call(received="arrived(mine, 0)", ranks="ranks_of_message(*message)", size="received",
                  own="receive"),
    "Imrecv": Call(received="size(count, datatype)", ranks="ranks_of_message(*message)", size="received"),
    "Probe": Call(),
    "Iprobe": Call(),
    "Sendrecv": Call("to(dest, sendcount, sendtype)", "arrived(mine, source)", size="sent", own="receive"),
    "Isendrecv": Call("to(dest, sendcount, sendtype)", "to(source, recvcount, recvtype)", size="sent"),
    "Sendrecv_replace": Call("to(dest, count, datatype)", "arrived(mine, source)", size="sent",
                             own="receive"),
    "Isendrecv_replace": Call("to(dest, count, datatype)", "to(source, count, datatype)", size="sent"),
    "Psend_init": Call("to(dest, partitions * count, datatype)", size="sent"),
    "Precv_init": Call(received="to(source, partitions * count, datatype)", size="received"),
    "Buffer_detach": Call(),

    "Barrier": collective("0", "0", "none"),
    "Bcast": Call(traffic="broadcast(root, comm, size_of(count, datatype))", size="both", waits=True),
    "Gather": collective("in_place(sendbuf) ? size(recvcount, recvtype) : "
                         "sends_to_root(root, size_of(sendcount, sendtype))",
                         "is_root(root, comm) ? peers(comm) * size(recvcount, recvtype) : 0", "sent"),
    "Gatherv": collective("in_place(sendbuf) ? size(recvcounts[rank(comm)], recvtype) : "
                          "sends_to_root(root, size_of(sendcount, sendtype))",
                          "is_root(root, comm) ? sum(recvcounts, peers(comm), recvtype) : 0", "sent"),
    "Scatter": collective("is_root(root, comm) ? peers(comm) * size(sendcount, sendtype) : 0",
                          "in_place(recvbuf) ? size(sendcount, sendtype) : "
                          "sends_to_root(root, size_of(recvcount, recvtype))",
                          "received"),
    "Scatterv": collective("is_root(root, comm) ? sum(sendcounts, peers(comm), sendtype) : 0",
                           "in_place(recvbuf) ? size(sendcounts[rank(comm)], sendtype) : "
                           "sends_to_root(root, size_of(recvcount, recvtype))", "received"),
    "Allgather": collective("in_place(sendbuf) ? size(recvcount, recvtype) : size(sendcount, sendtype)",
                            "peers(comm) * size(recvcount, recvtype)", "sent"),
    "Allgatherv": collective("in_place(sendbuf) ? size(recvcounts[rank(comm)], recvtype) : size(sendcount, sendtype)",
                             "sum(recvcounts, peers(comm), recvtype)", "sent"),
    "Alltoall": collective("peers(comm) * (in_place(sendbuf) ? size(recvcount, recvtype) : size(sendcount, sendtype))",
                           "peers(comm) * size(recvcount, recvtype)", "sent_by_ranks"),
    "Alltoallv": collective("in_place(sendbuf) ? sum(recvcounts, peers(comm), recvtype) : "
                            "sum(sendcounts, peers(comm), sendtype)",
                            "sum(recvcounts, peers(comm), recvtype)", "sent_by_ranks"),
    "Alltoallw": collective("in_place(sendbuf) ? sum(recvcounts, peers(comm), recvtypes) : "
                            "sum(sendcounts, peers(comm), sendtypes)",
                            "sum(recvcounts, peers(comm), recvtypes)", "sent_by_ranks"),
    "Reduce": collective("sends_to_root(root, size_of(count, datatype))",
                         "is_root(root, comm) ? size(count, datatype) : 0", "sent"),
    "Allreduce": collective("size(count, datatype)", "size(count, datatype)", "sent"),
    "Reduce_scatter": collective("sum(recvcounts, members(comm), datatype)", "size(recvcounts[rank(comm)], datatype)",
                                 "sent"),
    "Reduce_scatter_block": collective("members(comm) * size(recvcount, datatype)", "size(recvcount, datatype)",
                                       "received"),
    "Scan": collective("size(count, datatype)", "size(count, datatype)", "sent"),
    "Exscan": collective("size(count, datatype)", "size(count, datatype)", "sent"),
    "Neighbor_allgather": collective("degree(comm).out > 0 ? size(sendcount, sendtype) : 0",
                                     "degree(comm).in * size(recvcount, recvtype)", "none"),
    "Neighbor_allgatherv": collective("degree(comm).out > 0 ? size(sendcount, sendtype) : 0",
                                      "sum(recvcounts, degree(comm).in, recvtype)", "none"),
    "Neighbor_alltoall": collective("degree(comm).out * size(sendcount, sendtype)",
                                    "degree(comm).in * size(recvcount, recvtype)", "none"),
    "Neighbor_alltoallv": collective("sum(sendcounts, degree(comm).out, sendtype)",
                                     "sum(recvcounts, degree(comm).in, recvtype)", "none"),
    "Neighbor_alltoallw": collective("sum(sendcounts, degree(comm).out, sendtypes)",
                                     "sum(recvcounts, degree(comm).in, recvtypes)", "none"),

    "Put": Call("to(target_rank, origin_count, origin_datatype)", size="sent"),
    "Get": Call(received="to(target_rank, origin_count, origin_datatype)", size="received"),
    "Accumulate": Call("to(target_rank, origin_count, origin_datatype)", size="sent"),
    "Get_accumulate": Call("op == MPI_NO_OP ? 0 : to(target_rank, origin_count, origin_datatype)",
                           "to(target_rank, result_count, result_datatype)", size="received"),
    "Fetch_and_op": Call("op == MPI_NO_OP ? 0 : to(target_rank, 1, datatype)", "to(target_rank, 1, datatype)",
                         size="received"),
    "Compare_and_swap": Call("2 * to(target_rank, 1, datatype)", "to(target_rank, 1, datatype)", size="received"),

    "Start": Call(own="start"),
    "Startall": Call(own="startall"),
    "Wait": Call(own="wait"),
    "Test": Call(own="wait"),
    "Request_free": Call(own="wait"),
    "Waitall": Call(own="waitall"),
    "Waitany": Call(own="waitall"),
    "Waitsome": Call(own="waitall"),
    "Testall": Call(own="waitall"),
    "Testany": Call(own="waitall"),
    "Testsome": Call(own="waitall"),
    "Pready": Call(),
    "Pready_range": Call(),
    "Pready_list": Call(),
    "Parrived": Call(),
}
RELATIVES = {"Put": "Rput", "Get": "Rget", "Accumulate": "Raccumulate", "Get_accumulate": "Rget_accumulate"}
for base, relative in RELATIVES.items():
    CALLS[relative] = CALLS[base]

# Calls that move no data of the caller, but in which ranks wait for each other or for a device.
for name in """Win_fence Win_lock Win_lock_all Win_unlock Win_unlock_all Win_flush Win_flush_all Win_flush_local
        Win_flush_local_all Win_post Win_start Win_complete Win_wait Win_test Win_sync Win_create Win_allocate
        Win_allocate_shared Win_create_dynamic Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info Comm_create
        Comm_create_group Comm_split Comm_split_type Comm_accept Comm_connect Comm_spawn Cart_create Cart_sub
        Graph_create Dist_graph_create Dist_graph_create_adjacent File_open File_sync File_set_size
        File_preallocate File_set_view File_seek_shared""".split():
    CALLS[name] = Call()
CALLS["Comm_free"] = CALLS["Comm_disconnect"] = Call(ranks="ranks(*comm)")
# These calls also remove the cached size of the group.
CALLS["Win_free"] = Call(ranks="take_ranks_of_window(*win)")
CALLS["File_close"] = Call(ranks="take_ranks_of_file(*fh)")
CALLS["Comm_create_from_group"] = CALLS["Intercomm_create_from_groups"] = Call()
CALLS["Intercomm_merge"] = Call(ranks="ranks(intercomm)")
CALLS["Intercomm_create"] = Call(ranks="ranks(local_comm)")

for how in ("", "_all", "_at", "_at_all", "_shared", "_ordered"):
    for form in ("File_{}" + how, "File_i{}" + how, "File_{}" + how + "_begin"):
        CALLS[form.format("write")] = Call("size(count, datatype)", size="sent")
        CALLS[form.format("read")] = Call(received="size(count, datatype)", size="received")
    for word in ("write", "read"):
        CALLS[f"File_{word}{how}_end"] = Call()

GROUP_OF = {"comm": "ranks", "comm_old": "ranks", "old_comm": "ranks", "win": "ranks_of_window", "fh": "ranks_of_file"}

# Parameter names that differ between MPI libraries; MPICH calls the source of Precv_init "dest".
RENAMED = {"type": "datatype", "index": "indx", "ibuf": "buf"}


def base_of(name):
    """Key of the row in CALLS for a function name without MPI_, and whether the function is persistent."""
    plain = name.removesuffix("_c")
    if plain in CALLS:
        return plain, plain.endswith("_init")
    if plain.endswith("_init") and plain.removesuffix("_init") in CALLS:
        return plain.removesuffix("_init"), True
    if plain[0] == "I" and plain[1:].capitalize() in CALLS:
        return plain[1:].capitalize(), False
    return None, False


@dataclass
class Function:
    name: str  # without MPI_
    parameters: list  # (declaration, name)
    base: str
    persistent: bool

    def has(self, name):
        return any(each == name for _, each in self.parameters)


def functions(text):
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    found = {}
    for name, arguments in re.findall(r"\bint\s+MPI_(\w+)\s*\(([^;{]*?)\)\s*;", text):
        base, persistent = base_of(name)
        if base is None or name in found:
            continue
        parameters = []
        for declaration in arguments.split(","):
            declaration = " ".join(declaration.split())
            own = re.search(r"(\w+)\s*(\[[^]]*\]\s*)*$", declaration)[1]
            renamed = "source" if (name, own) == ("Precv_init", "dest") else RENAMED.get(own, own)
            declaration = re.sub(rf"\b{own}\b(?=\s*(\[[^]]*\]\s*)*$)", renamed, declaration)
            parameters.append((declaration, renamed))
        found[name] = Function(name, parameters, base, persistent)
    return [found[name] for name in sorted(found)]


def ranks_of(function, call):
    if call.ranks:
        return call.ranks
    for handle, how in GROUP_OF.items():
        if function.has(handle):
            return f"{how}({handle})"
    return "0"


def body(function):
    """Statements of a wrapper; `next(...)` calls the wrapped function."""
    call = CALLS[function.base]
    names = ", ".join(name for _, name in function.parameters)
    number = f"call::{function.name}"
    if call.own == "wait":
        completes = "*flag != 0" if function.has("flag") else "true"
        return f"""    Requests const asked{{1, request}};
    auto const begin = now();
    int const code = next({names});
    scope.record({number}, asked.bytes(), {{}}, asked.ranks(), begin);
    if ({completes})
        asked.forget();
    return code;"""
    if call.own == "waitall":
        count = "incount" if function.has("incount") else "count"
        return f"""    Requests const asked{{{count}, array_of_requests}};
    auto const begin = now();
    int const code = next({names});
    scope.record({number}, asked.bytes(), {{}}, asked.ranks(), begin);
    asked.forget();
    return code;"""
    if call.own in ("start", "startall"):
        which = "1, request" if call.own == "start" else "count, array_of_requests"
        return f"""    Requests const asked{{{which}}};
    auto const begin = now();
    int const code = next({names});
    scope.record({number}, asked.bytes(), asked.traffic(), asked.ranks(), begin);
    return code;"""
    lines = [f"    auto const begun_for = {ranks_of(function, call)};"]
    if call.own == "receive":
        lines += ["    MPI_Status own_status;",
                  "    MPI_Status* const mine = is_ignored(status) ? &own_status : status;",
                  f"    std::uint64_t const sent = {call.sent};",
                  "    auto const begin = now();",
                  f"    int const code = next({names.replace('status', 'mine')});",
                  "    auto const end = now();",
                  f"    Traffic const traffic{{sent, code == MPI_SUCCESS ? {call.received} : 0}};",
                  f"    scope.record({number}, traffic.both(), traffic, begun_for, begin, end);",
                  "    return code;"]
        return "\n".join(lines)
    blocking = not function.has("request") and call.waits
    if call.traffic:
        lines += [f"    Traffic const traffic = {call.traffic};"]
    elif call.sent == call.received:  # looks up the datatype only once
        lines += [f"    std::uint64_t const bytes = {call.sent};", "    Traffic const traffic{bytes, bytes};"]
    else:
        lines += [f"    Traffic const traffic{{{call.sent}, {call.received}}};"]
    lines += [f"    auto const begin = {'scope.meet(comm)' if blocking else 'now()'};",
              f"    int const code = next({names});"]
    moved = "{}" if function.persistent else "traffic"
    lines += [f"    scope.record({number}, traffic.both(), {moved}, begun_for, begin);"]
    succeeded = []
    if function.has("request") and not function.name.startswith(("Pready", "Parrived")):
        succeeded.append("follow(*request, traffic, begun_for)")
    if call.after:
        succeeded.append(call.after)
    if succeeded:
        lines += ["    if (code == MPI_SUCCESS) {", *(f"        {each};" for each in succeeded), "    }"]
    return "\n".join(lines + ["    return code;"])


def c_wrapper(function):
    declarations = ", ".join(declaration for declaration, _ in function.parameters)
    names = ", ".join(name for _, name in function.parameters)
    return f"""MEASURE_PROFILE_PUBLIC int MPI_{function.name}({declarations}) {{
    static constinit decltype(&MPI_{function.name}) found = nullptr;
    auto* const next = next_of(found, "MPI_{function.name}");
    Scope scope{{MEASURE_PROFILE_SITE}};
    if (!scope.counts())
        return next({names});
{body(function)}
}}
"""


# Fortran bindings have only addresses as arguments, with integers instead of C handles. The wrapper passes them on
# unchanged, for any binding, and reads only the ones it needs. C functions called by the binding are not counted again.
HANDLES = {"MPI_Comm", "MPI_Datatype", "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op", "MPI_Request",
           "MPI_Win"}


def argument(declaration, name):
    """Declares the C argument `name` from the address `name`_f."""
    kind = declaration[:declaration.rindex(name)].replace("const", "").strip()
    is_address = kind.endswith("*") or declaration.endswith("]")
    kind = kind.removesuffix("*").strip()
    if kind == "void":
        return f"void const* const {name} = buffer_of({name}_f);"
    if kind in HANDLES:
        value = f"FortranHandles<{kind}>{{{name}_f}}"
        return f"auto const {name} = {value if is_address else '*' + value};"
    if is_address:
        return f"auto* const {name} = static_cast<{kind}*>({name}_f);"
    return f"{kind} const {name} = *static_cast<{kind}*>({name}_f);"


def fortran_wrapper(function, symbol):
    """Empty for functions with texts, which have an additional length argument, or with results of different types."""
    if any(re.search(r"\bchar\b|\*\s*\*|\*\s*baseptr", declaration) for declaration, _ in function.parameters):
        return ""
    arguments = ", ".join(f"void* {name}_f" for _, name in function.parameters)
    passed = ", ".join(f"{name}_f" for _, name in function.parameters)
    types = ", ".join("void*" for _ in function.parameters)
    lines = [f"    [[maybe_unused]] {argument(*each)}" for each in function.parameters]
    if CALLS[function.base].own == "receive" and "f08" not in symbol:
        lines = ["    MPI_Status seen;", "    if (status_f == &mpi_fortran_status_ignore_)", "        status_f = &seen;",
                 *lines]
    values = "\n".join(lines)
    return f"""MEASURE_PROFILE_PUBLIC void {symbol}({arguments}, int* error) {{
    using Binding = void({types}, int*);
    static constinit Binding* found = nullptr;
    auto* const binding = next_of(found, "{symbol}");
    Scope scope{{MEASURE_PROFILE_SITE}};
    if (!scope.counts())
        return binding({passed}, error);
{values}
    auto const next = [&](auto...) {{
        binding({passed}, error);
        return error != nullptr ? *error : MPI_SUCCESS;
    }};
    [&] {{
{textwrap.indent(body(function), "    ")}
    }}();
}}
"""


def fortran_wrappers(function, is_mpich):
    """Wrappers of the bindings that do not call a wrapped C function of MPI."""
    name = function.name.removesuffix("_c").lower()
    if not is_mpich:  # mpif.h and mpi; mpi_f08 calls the same functions by other names
        symbols = [] if function.name.endswith("_c") else [f"mpi_{name}_", f"ompi_{name}_f"]
    elif any(re.search(r"\bvoid\b", declaration) for declaration, _ in function.parameters):
        symbols = []
    else:  # functions of mpi_f08 without a buffer
        symbols = [f"mpi_{name}_f08_" + ("large_" if function.name.endswith("_c") else "")]
    return filter(None, (fortran_wrapper(function, symbol) for symbol in symbols))


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    folder = Path(sys.argv[1])
    source = "#define MPICH_SKIP_MPICXX\n#define OMPI_SKIP_MPICXX\n#include <mpi.h>\n"
    text = subprocess.run([*sys.argv[2:], "-E", "-P", "-xc++", "-"], input=source, capture_output=True, text=True,
                          check=True).stdout
    found = functions(text)
    by_name = {each.name: each for each in found}
    kinds = {}
    for each in sorted(set(CALLS) | set(by_name)):
        base = each if each in CALLS else by_name[each].base
        kinds[each.removesuffix("_c")] = CALLS[base]
    # Parts of ranks are read by another program, which has the same numbers if it is from the same build.
    names = sorted(kinds)
    top = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by calls.py.\n"
    rows = "\n".join(f'    CallName{{"{name}", SizeFrom::{kinds[name].size}, '
                     f'{str(kinds[name].waits and not name.endswith("_init") and name in CALLS).lower()}}},'
                     for name in names)
    write(folder / "call_names.hpp", f"""{top}#pragma once

#include "profile/call_name.hpp"

#include <array>

namespace measure::profile {{

/// Number 0 is for keys that did not fit into the table.
inline constexpr std::array call_names{{
    CallName{{"other", SizeFrom::none, false}},
{rows}
}};

/// Identifies this list: FNV-1a hash of the names.
[[nodiscard]] constexpr std::uint64_t names_mark() noexcept {{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (CallName const& each : call_names)
        for (char const c : each.name)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}}

}}  // namespace measure::profile
""")
    numbers = {name: number for number, name in enumerate(names, 1)}
    wrappers = [c_wrapper(each) for each in found]
    macros = subprocess.run([*sys.argv[2:], "-E", "-dM", "-xc++", "-"], input=source, capture_output=True, text=True,
                            check=True).stdout
    if "MPICH_VERSION" in macros or "OPEN_MPI" in macros:
        for each in found:
            wrappers += fortran_wrappers(each, "MPICH_VERSION" in macros)
    wrappers = "\n".join(wrappers)
    constants = "\n".join(f"inline constexpr std::uint16_t {each.name} = {numbers[each.name.removesuffix('_c')]};"
                          for each in found)
    write(folder / "calls.cpp", f"""{top}#include "profile/wrap.hpp"

namespace measure::profile {{

namespace call {{

{constants}

}}  // namespace call

extern "C" {{

{wrappers}
}}  // extern "C"

}}  // namespace measure::profile
""")


if __name__ == "__main__":
    main()
