// SPDX-License-Identifier: BSD-3-Clause
/// Method: how a pattern is timed, and how a file is opened and closed between two barriers.
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

/// A pattern as it is executed now. The same on all ranks of the team.
struct Step {
    Pattern pattern{};
    Access access = Access::write;
    measure::Bytes chunk = 0;   ///< resolved, > 0
    measure::Bytes length = 0;  ///< resolved, > 0
    measure::LoopLimit limit{};
    measure::Bytes position = 0;  ///< where it begins: displacement of a strided view, otherwise byte of the file
    bool seek = false;            ///< the pointer is not there
    std::optional<RandomOrder> order{};  ///< of the chunks from `position` on; nothing: by the file pointer
    std::int64_t rewritten = 0;          ///< when reading: the number of repetitions that were rewritten
    HintList hints{};
};

/// What all patterns of a partition share; each rank's own.
struct Task {
    measure::Comm const& team;
    measure::AnyTimer const& timer;
    Buffer& written;
    Buffer& read;
    int messages = 1;  ///< most texts about wrong data, of one pattern on this rank
    measure::Control control{};
};

/// What came of a step. The word is the same on all ranks; the times are this rank's.
struct Outcome {
    PatternResult result{};
    int word = 0;                         ///< a stop flag of any rank; 0: none
    std::string trouble{};                ///< agreed; empty: no call failed
    std::vector<std::string> messages{};  ///< about wrong data, of all ranks; root only
};

/// Executes a pattern:
///
///     barrier, t0; view or hints; stonewall loop of calls; when writing: barrier, sync; barrier, t1
///
/// Filling and checking the data is part of the loop. The last barrier carries what went wrong. Collective.
[[nodiscard]] Outcome execute(Task const& task, DataFile& file, Step const& step);

/// Seconds from a barrier to a barrier; nothing where the clock went back. Collective. \param work  what is between
/// them
[[nodiscard]] std::optional<double> time_between_barriers(Task const& task, std::function<void()> const& work);

}  // namespace b_eff_io
