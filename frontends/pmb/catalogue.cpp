// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/catalogue.hpp"

#include "bodies/collectives.hpp"
#include "bodies/semantics.hpp"
#include "pmb/operations/partners.hpp"
#include "program/cli/values.hpp"

#include <algorithm>

namespace pmb {

using measure::Bytes;

std::span<Benchmark const> benchmarks(Part part) {
    static std::vector<Benchmark> const tables[] = {
        mpi1_benchmarks(), ext_benchmarks(),     io_benchmarks(),      imb_mpi1_benchmarks(), ext_benchmarks(),
        io_benchmarks(),   imb_nbc_benchmarks(), imb_rma_benchmarks(), imb_p2p_benchmarks(),  imb_mt_benchmarks()};
    return tables[static_cast<std::size_t>(part)];
}

Benchmark const* find(Part part, std::string_view name) {
    auto const wanted = program::lower(name);
    auto const table = benchmarks(part);
    auto const found =
        std::find_if(table.begin(), table.end(), [&](Benchmark const& b) { return program::lower(b.name) == wanted; });
    return found == table.end() ? nullptr : &*found;
}

Bytes unit_of(Benchmark const& b, Parameters const& p) {
    switch (b.payload) {
    case Payload::own:
        return b.unit;
    case Payload::moved:
        return size_of(p.moved);
    case Payload::reduced:
        return size_of(p.reduced);
    }
    return b.unit;
}

std::optional<measure::Semantics> semantics(Benchmark const& b, Part part) {
    using measure::OperationKind;
    if (part != Part::mpi1 && part != Part::imb_mpi1)
        return std::nullopt;
    for (auto const& row : bodies::collectives)
        if (row.name == b.name) {
            auto of = bodies::semantics(row);
            // In IMB each process gets a sum of that length.
            if (is_imb(part) && of.operation == "Reduce_scatter")
                of.size = measure::SizeOf::block;
            return of;
        }
    measure::Semantics of{.operation = std::string{b.name}, .messages = static_cast<double>(b.messages)};
    if (b.kind == Class::parallel)
        of.kind = OperationKind::parallel;
    else if (b.kind == Class::single)
        of.kind = OperationKind::ping_pong;
    else
        return std::nullopt;
    return of;
}

bool fits(Benchmark const& b, int processes, Parameters const& p) {
    if (b.strided)
        return stride_pair(0, processes, resolved_stride(p.threads.stride, processes)).has_value();
    return b.kind != Class::world || (processes > 1 && !(b.even && processes % 2 != 0) &&
                                      (b.dimensions == 0 || !sides(processes, b.dimensions).empty()));
}

}  // namespace pmb
