// SPDX-License-Identifier: BSD-3-Clause
/// Fields of the document that `measure doctor` writes.
#include "doctor/report.hpp"
#include "shared/documents.hpp"

#include <measure/environment_info.hpp>

namespace measure::tool {

using doctor::Finding;
using doctor::Host;
using measure::rank_ranges;

template <>
inline constexpr auto fields<Finding::Detail> =
    std::array{field<&Finding::Detail::ranks, rank_ranges>("ranks", "ranks with this value"),
               field<&Finding::Detail::text>("text", "value")};

template <>
inline constexpr auto fields<Finding> =
    std::array{field<&Finding::topic>("topic", "topic of the check"),
               field<&Finding::level>("level", "fine, unknown, note or warning"),
               field<&Finding::text>("text", "finding as text"),
               field<&Finding::remedy, or_null>("remedy", "command or advice; null if no action is needed"),
               field<&Finding::ranks, rank_ranges>("ranks", "ranks: 0-3,7"),
               field<&Finding::details>("details", "values by rank")};

template <>
inline constexpr auto fields<Host> =
    std::array{field<&Host::name>("name", "name of the host"),
               field<&Host::ranks, rank_ranges>("ranks", "ranks of the host"),
               field<&Host::facts, &machine::Facts::all>("facts", "all facts read, as text; lists are separated by ;")};

/// Interruptions that a rank observed.
struct RankNoise {
    measure::DetourSummary gaps{};
    measure::FwqSummary work{};
};
template <>
inline constexpr auto fields<RankNoise> = std::array{
    field<&RankNoise::gaps, &DetourSummary::duration>("duration", "duration of the observation", "s"),
    field<&RankNoise::gaps, &DetourSummary::threshold>("threshold", "shortest gap that counts", "s"),
    field<&RankNoise::gaps, &DetourSummary::detours>("interruptions", "number of gaps between clock readings"),
    field<&RankNoise::gaps, doctor::per_second>("per_second", "gaps per second", "1/s"),
    field<&RankNoise::gaps, &DetourSummary::share>("lost", "share of the time in gaps", "1"),
    field<&RankNoise::gaps, &DetourSummary::longest>("longest", "longest gap", "s"),
    field<&RankNoise::gaps, &DetourSummary::median>("median", "median gap", "s"),
    field<&RankNoise::gaps, &DetourSummary::pauses>("pauses", "number of gaps of at least 2 ms"),
    field<&RankNoise::work, &FwqSummary::quanta>("work_quanta", "number of quanta of equal work"),
    field<&RankNoise::work, &FwqSummary::fastest>("work_fastest", "fastest quantum", "s"),
    field<&RankNoise::work, &FwqSummary::quick>("work_quick", "5th percentile of the quanta", "s"),
    field<&RankNoise::work, &FwqSummary::median>("work_median", "median quantum", "s"),
    field<&RankNoise::work, &FwqSummary::slowest>("work_slowest", "slowest quantum", "s"),
    field<&RankNoise::work, &FwqSummary::lost>("work_lost", "share of the time lost relative to the fastest quantum",
                                               "1"),
    field<&RankNoise::work, &FwqSummary::slowdown>("work_slowdown", "median / 5th percentile - 1", "1")};

/// One process.
struct RankRow {
    std::size_t rank = 0;
    std::string host{};
    machine::Facts facts{};
    RankNoise noise{};
};
template <>
inline constexpr auto fields<RankRow> =
    std::array{field<&RankRow::rank>("rank", "rank"), field<&RankRow::host>("host", "host of the rank"),
               field<&RankRow::facts, &machine::Facts::all>("facts", "facts read, as text"),
               field<&RankRow::noise>("noise", "interruptions that the rank observed")};

/// The document.
struct DoctorDocument {
    doctor::World const* world = nullptr;
    std::span<Finding const> findings{};
    measure::seconds duration{};

    [[nodiscard]] std::vector<RankRow> by_rank() const {
        std::vector<RankRow> all;
        for (std::size_t rank = 0; rank < world->ranks.size(); ++rank) {
            auto const& [facts, gaps, work] = world->ranks[rank];
            all.push_back({rank, doctor::host_of(rank, *world), facts, {gaps, work}});
        }
        return all;
    }
};
template <>
inline constexpr auto fields<DoctorDocument> = std::array{
    field<[](DoctorDocument const& d) { return worst(d.findings); }>("level", "highest level of the findings"),
    field<[](DoctorDocument const& d) { return d.world->ranks.size(); }>("ranks", "number of processes"),
    field<&DoctorDocument::duration>("watched", "duration of the observation", "s"),
    field<&DoctorDocument::findings>("findings", "findings, warnings first"),
    field<&DoctorDocument::world, &doctor::World::hosts>("hosts", "hosts"),
    field<&DoctorDocument::by_rank>("by_rank", "ranks")};

Value doctor::json_of(World const& world, std::span<Finding const> findings, measure::seconds duration) {
    return document(doctor_kind().name, DoctorDocument{&world, findings, duration});
}

DocumentKind doctor_kind() { return {"doctor", "measure doctor --json FILE", object_schema<DoctorDocument>}; }

}  // namespace measure::tool
