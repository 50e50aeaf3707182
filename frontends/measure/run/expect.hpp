// SPDX-License-Identifier: BSD-3-Clause
/// Expectations: limits for values, from the file of --expect. Pure, except reading the file.
///
///     # machine: operation size = value low high
///     vm: Bcast 8 = 0.5us -5% +10%
#pragma once

#include "run/answer.hpp"
#include "shared/gate.hpp"

#include <string>
#include <vector>

namespace measure::tool::runs {

/// A line of the file.
struct LimitLine {
    std::string machine{};  ///< name of the first host; "*" matches any host
    std::string operation{};
    measure::Bytes bytes = 0;
    double value = 0;  ///< expected time, in seconds
    double low = 0;    ///< allowed deviation below the value, as a share, >= 0
    double high = 0;   ///< allowed deviation above the value, as a share, >= 0
};
using Limits = std::vector<LimitLine>;

/// \throws program::ParseErrors that lists all faulty lines
[[nodiscard]] Limits limits_from(std::string const& file);
[[nodiscard]] Limits limits_from_text(std::string const& text, std::string const& file);

/// One result for each limit of this machine. It fails if the whole interval of the value is outside the limits, or if
/// there is no value. If no limit is for this machine, the single result is a failure. If a control is outside its
/// limits, the machine is in another state, and the single result is undecided.
[[nodiscard]] std::vector<GateResult> limit_results(Limits const& limits, Answer const& answer);

/// Limits around the values of this run: twice the half width of the interval, at least 10 % on either side. A value
/// without an interval gets a comment instead. Controls without a size have limits of 25 %.
[[nodiscard]] std::string limits_text(Answer const& answer);

/// Whether any value has an interval, so that there is a limit to write.
[[nodiscard]] bool has_limits(Answer const& answer);

}  // namespace measure::tool::runs
