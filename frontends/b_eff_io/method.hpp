// SPDX-License-Identifier: BSD-3-Clause
/// Method: the timing of a pattern, and of opening and closing a file between two barriers.
#pragma once

#include "b_eff_io/data.hpp"
#include "b_eff_io/data_file.hpp"
#include "b_eff_io/hints.hpp"
#include "b_eff_io/result.hpp"
#include "b_eff_io/rules.hpp"

#include <measure/batch.hpp>
#include <measure/comm.hpp>
#include <measure/control.hpp>
#include <measure/timer.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace b_eff_io {

/// One execution of a pattern. The same on all ranks of the team.
struct Step {
    Pattern pattern{};
    Access access = Access::write;
    measure::Bytes chunk = 0;   ///< resolved, > 0
    measure::Bytes length = 0;  ///< resolved, > 0
    measure::LoopLimit limit{};
    measure::Bytes position = 0;         ///< first byte: displacement of a strided view, otherwise position in the file
    bool seek = false;                   ///< the file pointer must be moved to `position`
    std::optional<RandomOrder> order{};  ///< order of the chunks from `position` on; missing: use the file pointer
    std::int64_t rewritten = 0;          ///< when reading: the number of repetitions that were rewritten
    HintList hints{};
};

/// The objects that all patterns of a partition share, separate for each rank.
struct Task {
    measure::Comm const& team;
    measure::AnyTimer const& timer;
    Buffer& written;
    Buffer& read;
    int messages = 1;  ///< limit of messages about wrong data, for each pattern on this rank
    measure::Control control{};
};

/// The result of a step. The word is the same on all ranks; the times are measured on this rank.
struct Outcome {
    PatternResult result{};
    int word = 0;                         ///< stop flag of some rank; 0: no stop
    std::string trouble{};                ///< error text, the same on all ranks; empty: no call failed
    std::vector<std::string> messages{};  ///< messages about wrong data on all ranks; root only
};

/// Executes a pattern:
///
///     barrier, t0; view or hints; stonewall loop of calls; when writing: barrier, sync; barrier, t1
///
/// Filling and checking the data is part of the loop. The last barrier also transfers errors. Collective.
[[nodiscard]] Outcome execute(Task const& task, DataFile& file, Step const& step);

/// Seconds from a barrier to a barrier. Missing if the clock went back. Collective. \param work  runs between the
/// barriers
[[nodiscard]] std::optional<double> time_between_barriers(Task const& task, std::function<void()> const& work);

}  // namespace b_eff_io
