// SPDX-License-Identifier: BSD-3-Clause
/// Merge: several output files of one configuration become one that holds the median of every value, which takes out
/// what disturbed a single run. Pure and local.
#pragma once

#include "skampi/output/inputs.hpp"

#include <span>

namespace skampi {

/// The point (measurement, argument) has the medians of its times, standard errors and node times over the files that
/// have it; an even number of them: the mean of the two middle ones. Its samples are summed, its flags united, and the
/// flag "files=K" says how many files contributed. Overheads are medians too, durations sums. A measurement has the
/// worst status of its inputs; where it was skipped or abandoned in a file, that file does not count for it. Head and
/// keys are the first file's.
/// \param inputs  at least one
/// \param common  keeps only the points that all files have
/// \throws measure::UsageError where the files are not of one configuration: names the first difference
[[nodiscard]] Output merge(std::span<Input const> inputs, bool common = false);

}  // namespace skampi
