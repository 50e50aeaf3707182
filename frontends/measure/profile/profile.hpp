// SPDX-License-Identifier: BSD-3-Clause
/// Profile: reads a record of an application's MPI calls, and compares it with the cost of the same calls in isolation.
/// Pure, local.
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

/// Statistics over ranks: totals of a key, or of all calls.
struct OverRanks {
    double sum = 0;
    double mean = 0;
    double least = 0;
    double most = 0;
    std::int64_t least_rank = -1;
    std::int64_t most_rank = -1;
};

/// The calls of one key on all ranks. Times are in seconds.
struct CallCost {
    std::string call{};      ///< name of the call without MPI_
    std::int64_t ranks = 0;  ///< size of the communicator; 0 if the call has none
    measure::Bytes low = 0;  ///< smallest size of the size class, sent and received
    std::string site{};      ///< call site; empty if not recorded
    double calls = 0;
    double sent = 0;
    double received = 0;
    std::optional<double> mean{};   ///< mean time of a call; nullopt if only calls were counted
    std::optional<double> error{};  ///< standard error of the mean
    OverRanks total{};
    double least_mean = 0;    ///< mean on the rank with the fastest calls
    double most_mean = 0;     ///< mean on the rank with the slowest calls
    double median = 0;        ///< median time of a call, to the precision of the histogram, like the next two
    double least_median = 0;  ///< median on the rank with the fastest typical call
    std::int64_t least_median_rank = -1;
    double most_median = 0;              ///< median on the rank with the slowest typical call
    std::optional<OverRanks> waiting{};  ///< time in the barriers before the calls; nullopt without such barriers
    /// Mean size of a call as benchmarks of the operation define it; nullopt for calls that no benchmark measures.
    std::optional<double> size{};
};

/// Totals of one rank. Times are in seconds.
struct RankCost {
    std::int64_t rank = 0;
    std::optional<double> time{};     ///< from MPI_Init to MPI_Finalize
    double in_mpi = 0;                ///< part of `time` in MPI
    std::optional<double> waiting{};  ///< time in barriers before calls; nullopt without such barriers
};

/// A run of an application. Times are in seconds.
struct Profile {
    std::string name{};  ///< name of the file, for display
    measure::Environment run{};
    std::int64_t world = 1;
    std::string recorded{};  ///< ranks that were recorded: "0-3"
    std::string missing{};
    double calls = 0;
    bool counts_only = false;
    std::optional<OverRanks> time{};    ///< from MPI_Init to MPI_Finalize
    std::optional<OverRanks> in_mpi{};  ///< part of `time` in MPI
    std::optional<OverRanks> share{};   ///< part of `time` in MPI, 0 to 1
    std::vector<RankCost> ranks{};      ///< in rank order; empty in records of earlier versions
    std::vector<CallCost> costs{};      ///< keys, the most expensive first
};

/// \throws measure::UsageError if the record is not of an application
[[nodiscard]] Profile profile_of(Launch const& launch);

/// Measured costs of operations: exact for measured sizes, from a model between them.
class MeasuredCosts {
public:
    explicit MeasuredCosts(std::span<Launch const> launches);

    struct Cost {
        double time = 0;   ///< in seconds
        double error = 0;  ///< standard error, or error of the model, in seconds; 0 if unknown
    };
    /// The cost; nullopt if it was not measured with this number of ranks or around that size. \param size  as in
    /// CallCost
    [[nodiscard]] std::optional<Cost> at(std::string const& operation, std::int64_t ranks, double size) const;

private:
    struct Curve {
        std::map<double, measure::CostPoint> points{};
        std::optional<measure::CostModel> model{};
    };
    std::map<std::pair<std::string, std::int64_t>, Curve> curves_{};
};

/// How the machine or MPI library of a profile differs from that of a record; empty if they are the same.
[[nodiscard]] std::string why_elsewhere(measure::Environment const& profile, measure::Environment const& record);

enum class CostVerdict {
    unknown,   ///< there is no measured cost
    expected,  ///< as measured here
    waiting,   ///< other ranks come late
    slower,    ///< slower than measured here, and not because other ranks come late
};
/// The verdict as words for a sentence.
[[nodiscard]] std::string_view name(CostVerdict verdict) noexcept;

/// A key with its measured cost.
struct JudgedCost {
    std::optional<MeasuredCosts::Cost> here{};
    std::optional<double> ratio{};  ///< mean time of a call / measured cost
    CostVerdict verdict = CostVerdict::unknown;
    std::int64_t late_rank = -1;  ///< rank that the others wait for, if it is always the same one; -1 otherwise
    double to_win = 0;            ///< possible gain in seconds, sum over ranks
};

/// Calls are "as measured" if they take up to this share more than the measured cost.
inline constexpr double cost_tolerance = 0.25;

/// Keys with fewer calls get no verdict, because their times may be chance.
inline constexpr double least_calls = 8;

/// Compares a key with its measured cost. Without barriers (--waiting), the ranks' medians decide about a mean above
/// the tolerance. Let m be the smallest median. The verdict is `waiting` if m is within the tolerance, or if the
/// largest median exceeds m by more than twice the amount by which m exceeds the measured cost. Otherwise it is
/// `slower`. With barriers, the verdict is `slower` if the calls without the barriers are above the tolerance.
[[nodiscard]] JudgedCost judged(CallCost const& cost, MeasuredCosts const& measured);

}  // namespace measure::tool
