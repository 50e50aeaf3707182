// SPDX-License-Identifier: BSD-3-Clause
/// Merge: combines several output files of one configuration into a file with the median of every value, which removes
/// disturbances of single runs. Pure and local.
#pragma once

#include "skampi/output/inputs.hpp"

#include <span>

namespace skampi {

/// Each point (measurement, argument) has the medians of its times, standard errors and node times over the files that
/// contain it. The median of an even number of values is the mean of the two middle ones. Samples are summed, flags are
/// united, and the flag "files=K" gives the number of contributing files. Overheads are medians too, and durations are
/// sums. A measurement has the worst status of its inputs. A file in which the measurement was skipped or abandoned
/// does not count for it. Head and keys are taken from the first file.
/// \param inputs  at least one file
/// \param common  keeps only the points that all files contain
/// \throws measure::UsageError if the configurations of the files differ; the message names the first difference
[[nodiscard]] Output merge(std::span<Input const> inputs, bool common = false);

}  // namespace skampi
