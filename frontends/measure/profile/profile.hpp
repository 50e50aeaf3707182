// SPDX-License-Identifier: BSD-3-Clause
/// Profile: what a record of an application's MPI calls says, and what the same calls cost by themselves. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/cost_model.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool {

/// What the record has over ranks: totals of a key, or of all calls.
struct OverRanks {
    double sum = 0;
    double mean = 0;
    double least = 0;
    double most = 0;
    std::int64_t least_rank = -1;
    std::int64_t most_rank = -1;
};

/// The calls of one key on all ranks. Seconds.
struct CallCost {
    std::string call{};      ///< without MPI_
    std::int64_t ranks = 0;  ///< of the communicator; 0: the call has none
    measure::Bytes low = 0;  ///< smallest size of its class, sent and received
    std::string site{};      ///< empty: not asked for
    double calls = 0;
    double sent = 0;
    double received = 0;
    std::optional<double> mean{};   ///< of a call; nothing where only calls were counted
    std::optional<double> error{};  ///< its standard error
    OverRanks total{};
    double least_mean = 0;    ///< of the rank whose calls take the least on average
    double most_mean = 0;     ///< of the rank whose calls take the most on average
    double median = 0;        ///< half of the calls took less, as far as the histogram tells, like the next
    double least_median = 0;  ///< of the rank whose calls typically take the least
    std::int64_t least_median_rank = -1;
    double most_median = 0;              ///< of the rank whose calls typically take the most
    std::optional<OverRanks> waiting{};  ///< in the barrier before the calls, where there was one
    /// Size of a call as benchmarks of the operation have it, mean; nothing for calls that none measures.
    std::optional<double> size{};
};

/// One rank as a whole. Seconds.
struct RankCost {
    std::int64_t rank = 0;
    std::optional<double> time{};     ///< from MPI_Init to MPI_Finalize
    double in_mpi = 0;                ///< of it in MPI
    std::optional<double> waiting{};  ///< of that in barriers before calls, where there were any
};

/// A run of an application. Seconds.
struct Profile {
    std::string name{};  ///< of the file, for people
    measure::Environment run{};
    std::int64_t world = 1;
    std::string recorded{};  ///< ranks, "0-3"
    std::string missing{};
    double calls = 0;
    bool counts_only = false;
    std::optional<OverRanks> time{};    ///< from MPI_Init to MPI_Finalize
    std::optional<OverRanks> in_mpi{};  ///< of it in MPI
    std::optional<OverRanks> share{};   ///< of it in MPI, 0 to 1
    std::vector<RankCost> ranks{};      ///< in their order; none in records of earlier versions
    std::vector<CallCost> costs{};      ///< the costliest first
};

/// \throws measure::UsageError for a record that is none of an application
[[nodiscard]] Profile profile_of(Launch const& launch);

/// What an operation costs by measurement: single sizes as they are, those between by a model.
class MeasuredCosts {
public:
    explicit MeasuredCosts(std::span<Launch const> launches);

    struct Cost {
        double time = 0;   ///< s
        double error = 0;  ///< standard error, or that of the model; 0: not known
    };
    /// Nothing where it was not measured with so many ranks, or not around that size. \param size  as CallCost has it
    [[nodiscard]] std::optional<Cost> at(std::string const& operation, std::int64_t ranks, double size) const;

private:
    struct Curve {
        std::map<double, measure::CostPoint> points{};
        std::optional<measure::CostModel> model{};
    };
    std::map<std::pair<std::string, std::int64_t>, Curve> curves_{};
};

/// In what a profile and a record are of different machines or MPI libraries; empty: they are of one.
[[nodiscard]] std::string why_elsewhere(measure::Environment const& profile, measure::Environment const& record);

enum class CostVerdict {
    unknown,   ///< there is nothing to compare with
    expected,  ///< as measured here
    waiting,   ///< other ranks come late
    slower,    ///< slower than measured here, and that is not others' coming late
};
/// "as measured here": words for a sentence.
[[nodiscard]] std::string_view name(CostVerdict verdict) noexcept;

/// A key beside what it costs by measurement.
struct JudgedCost {
    std::optional<MeasuredCosts::Cost> here{};
    std::optional<double> ratio{};  ///< mean time of a call over that
    CostVerdict verdict = CostVerdict::unknown;
    std::int64_t late_rank = -1;  ///< for which the others wait, where it is always the same one
    double to_win = 0;            ///< seconds, sum over ranks
};

/// Calls that take up to that much more than measured are as measured.
inline constexpr double cost_tolerance = 0.25;

/// Of fewer calls nothing is said: what they take may be chance.
inline constexpr double least_calls = 8;

[[nodiscard]] JudgedCost judged(CallCost const& cost, MeasuredCosts const& measured);

}  // namespace measure::tool
