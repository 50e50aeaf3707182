// SPDX-License-Identifier: BSD-3-Clause
/// Includes all headers that are needed to measure a point: `run`, and everything that a plan may contain. Include the
/// headers of sweeps, records and regions separately. For statistics, include analysis.hpp. Code of this project does
/// not include this header.
#pragma once

#include "measure/agree.hpp"
#include "measure/batch.hpp"
#include "measure/clock_model.hpp"
#include "measure/clock_offset.hpp"
#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/control.hpp"
#include "measure/detours.hpp"
#include "measure/fwq.hpp"
#include "measure/harmonize.hpp"
#include "measure/heartbeat.hpp"
#include "measure/keep.hpp"
#include "measure/kernel_counts.hpp"
#include "measure/mpi_error.hpp"
#include "measure/operation.hpp"
#include "measure/own_sync.hpp"
#include "measure/pattern.hpp"
#include "measure/plan.hpp"
#include "measure/run.hpp"
#include "measure/run_each.hpp"
#include "measure/schedule.hpp"
#include "measure/slot_length.hpp"
#include "measure/stonewall.hpp"
#include "measure/time_iterations.hpp"
#include "measure/timer.hpp"
#include "measure/window_sync.hpp"
