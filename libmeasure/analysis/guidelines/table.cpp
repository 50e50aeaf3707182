// SPDX-License-Identifier: BSD-3-Clause
/// The table of guidelines. The principle that no function is slower than others with the same effect is from J. L.
/// Traff, W. Gropp, R. Thakur: Self-Consistent MPI Performance Guidelines. IEEE TPDS 21(5), 2010. Sources of the
/// guidelines:
///   [PGMPI]  S. Hunold, A. Carpen-Amarie, F. D. Lubbe, J. L. Traff: Automatic Verification of Self-Consistent MPI
///            Performance Guidelines. Euro-Par 2016. From the catalogue of its program (guideline_catalog.json)
///   [SKaMPI] R. Reussner, P. Sanders, J. L. Traff: SKaMPI: a comprehensive benchmark for public benchmarking of MPI.
///            Scientific Programming 10(1), 2002: operations by hand next to the MPI operations
///   [own]    added by this library, after the same principle
#include "analysis/guidelines/guidelines.hpp"

#include <fmt/format.h>

#include <array>

namespace measure {

namespace {

constexpr std::string_view pgmpi = "PGMPI";
constexpr std::string_view by_hand = "SKaMPI";
constexpr std::string_view our_own = "own";

constexpr std::array pattern_table{
    // An operation that produces less data is not slower than one that produces more.
    Pattern{"Gather", "Allgather", "", pgmpi},
    Pattern{"Gather", "Reduce", "", pgmpi},
    Pattern{"Scatter", "Bcast", "", pgmpi},
    Pattern{"Allgather", "Alltoall", "", pgmpi},
    Pattern{"Allgather", "Allreduce", "", pgmpi},
    Pattern{"Reduce", "Allreduce", "", pgmpi},
    Pattern{"Reduce_scatter", "Allreduce", "", pgmpi},
    Pattern{"Reduce_scatter_block", "Allreduce", "", our_own},
    // One operation is not slower than the two steps that have the same effect.
    Pattern{"Allgather", "Gather", "Bcast", pgmpi},
    Pattern{"Bcast", "Scatter", "Allgather", pgmpi},
    Pattern{"Allreduce", "Reduce", "Bcast", pgmpi},
    Pattern{"Allreduce", "Reduce_scatter", "Allgather", our_own},
    Pattern{"Allreduce", "Reduce_scatter_block", "Allgather", pgmpi},
    Pattern{"Reduce", "Reduce_scatter", "Gather", our_own},
    Pattern{"Reduce", "Reduce_scatter_block", "Gather", pgmpi},
    Pattern{"Reduce_scatter", "Reduce", "Scatter", our_own},
    Pattern{"Reduce_scatter", "Reduce", "Scatterv", pgmpi},
    Pattern{"Reduce_scatter_block", "Reduce", "Scatter", pgmpi},
    // The special case is not slower than the general one.
    Pattern{"Gather", "Gatherv", "", our_own},
    Pattern{"Scatter", "Scatterv", "", our_own},
    Pattern{"Allgather", "Allgatherv", "", our_own},
    Pattern{"Alltoall", "Alltoallv", "", our_own},
    Pattern{"Alltoallv", "Alltoallw", "", our_own},
    Pattern{"Reduce_scatter_block", "Reduce_scatter", "", our_own},
    // Weaker guarantees are not slower than stronger ones.
    Pattern{"Send", "Ssend", "", our_own},
    // MPI is not slower than what a program can do by hand.
    Pattern{"Allreduce", "Allreduce by Reduce, Bcast", "", by_hand},
    Pattern{"Reduce_scatter", "Reduce_scatter by Reduce, Scatterv", "", by_hand},
    Pattern{"Alltoall", "Alltoall by Isend, Irecv", "", by_hand},
    Pattern{"Gather", "Gather by Send, Recv", "", by_hand},
    Pattern{"Gather", "Gather by Isend, Irecv", "", by_hand},
    Pattern{"Bcast", "Bcast by Send, Recv", "", by_hand},
};

constexpr std::array<std::string_view, 4> guideline_kind_names{"pattern", "monotony", "split", "ranks"};
constexpr std::array<std::string_view, 4> guideline_verdict_names{"violated", "kept", "unclear", "one launch"};

}  // namespace

std::span<Pattern const> patterns() noexcept { return pattern_table; }

std::string formula(Pattern const& pattern) {
    auto text = fmt::format("{}(n) <= {}(n)", pattern.left, pattern.right);
    return pattern.then.empty() ? text : fmt::format("{} + {}(n)", text, pattern.then);
}

std::string_view name(GuidelineKind kind) noexcept { return guideline_kind_names[static_cast<std::size_t>(kind)]; }

std::string_view name(GuidelineVerdict verdict) noexcept {
    return guideline_verdict_names[static_cast<std::size_t>(verdict)];
}

}  // namespace measure
