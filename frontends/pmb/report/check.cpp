// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/report/check.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

namespace pmb {

Corruption corruption_from(std::string const& text) {
    char const* const name = "MEASURE_TEST_CORRUPT";
    auto const first = text.find(':');
    auto const second = text.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
        throw measure::UsageError(std::string{name} + ": '" + text + "' is not RANK:BYTES:REPETITION");
    program::as::Integer const number{.low = 0};
    return {program::as::Int{.low = 0}({name, text.substr(0, first)}),
            number({name, text.substr(first + 1, second - first - 1)}), number({name, text.substr(second + 1)})};
}

void Verifier::spoil(std::span<std::byte> block, std::int64_t repetition) {
    if (!corruption_ || corruption_->rank != rank_ || corruption_->length != length_ ||
        corruption_->repetition != repetition || block.empty())
        return;
    // The highest bits of the first element: sign and exponent.
    std::byte& highest = block[std::min(block.size(), std::size_t{element}) - 1];
    highest ^= std::byte{0x41};
    corruption_.reset();
}

void Verifier::note(double error, std::int64_t repetition, measure::Bytes position, double got, double expected,
                    DefectKind kind) noexcept {
    if (error > defect_.error)
        defect_ = {error, kind, repetition, position, got, expected};
}

std::string text(Defect const& d) {
    switch (d.kind) {
    case DefectKind::value:
        break;
    case DefectKind::nobodys:
        return fmt::format("no process's block begins at byte {} of the file", d.position);
    case DefectKind::nowhere:
        return "the data that were read are not in the file";
    case DefectKind::number:
        return fmt::format("{} blocks of a process are in the file, but {} were written", d.got, d.expected);
    case DefectKind::overlap:
        return "the blocks that the processes read overlap or leave gaps";
    }
    return fmt::format("{:.10g} at byte {} where {:.10g} was expected", d.got, d.position, d.expected);
}

}  // namespace pmb
