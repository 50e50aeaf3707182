// SPDX-License-Identifier: BSD-3-Clause
/// The headers of libmeasure-analysis, for users: records and statistics without MPI. Nothing inside the project
/// includes it.
#pragma once

#include "measure/callback.hpp"
#include "measure/cost_model.hpp"
#include "measure/cost_over_ranks.hpp"
#include "measure/environment_info.hpp"
#include "measure/error.hpp"
#include "measure/fold.hpp"
#include "measure/launches.hpp"
#include "measure/measurement.hpp"
#include "measure/read.hpp"
#include "measure/record.hpp"
#include "measure/refine.hpp"
#include "measure/report.hpp"
#include "measure/sample.hpp"
#include "measure/semantics.hpp"
#include "measure/settle.hpp"
#include "measure/shuffle.hpp"
#include "measure/signed_rank.hpp"
#include "measure/statistics.hpp"
#include "measure/stopping.hpp"
#include "measure/sync_report.hpp"
#include "measure/table.hpp"
#include "measure/timer_info.hpp"
#include "measure/two_samples.hpp"
#include "measure/units.hpp"
