// SPDX-License-Identifier: BSD-3-Clause
/// Expectations: limits that values are to be within. Pure, but for reading the file.
///
///     # machine: operation size = value low high
///     vm: Bcast 8 = 0.5us -5% +10%
#pragma once

#include "run/answer.hpp"
#include "shared/gate.hpp"

#include <string>
#include <vector>

namespace measure::tool::runs {

/// One line.
struct LimitLine {
    std::string machine{};  ///< name of the first host; "*" is any
    std::string operation{};
    measure::Bytes bytes = 0;
    double value = 0;  ///< s
    double low = 0;    ///< share below that is allowed, >= 0
    double high = 0;   ///< share above
};
using Limits = std::vector<LimitLine>;

/// \throws program::ParseErrors with every line that is at fault
[[nodiscard]] Limits limits_from(std::string const& file);
[[nodiscard]] Limits limits_from_text(std::string const& text, std::string const& file);

/// One result for each limit of this machine: failed where the whole interval of this run's value is outside, or where
/// there is no value. A failure where no limit is for this machine. A single result, undecided, where a control is
/// outside its limits: the machine is in another state.
[[nodiscard]] std::vector<GateResult> limit_results(Limits const& limits, Answer const& answer);

/// Limits around the values of this run: twice what its intervals allow, and 10 % on either side at least. Where there
/// is no interval there is a comment. Controls without a size have limits of 25 %.
[[nodiscard]] std::string limits_text(Answer const& answer);

/// Whether a value has an interval.
[[nodiscard]] bool has_limits(Answer const& answer);

}  // namespace measure::tool::runs
