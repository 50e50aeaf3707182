// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/ending_text.hpp"

#include "program/runtime/crash_report.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/error.hpp>

#include <exception>

namespace program {

std::string ending_text() {
    try {
        throw;
    } catch (measure::Interrupted const& interrupted) {
        if (interrupted.value() == stop_failed)
            return "FAILED";
        return std::string{"INTERRUPTED by "} + crash_report::signal_name(interrupted.value());
    } catch (std::exception const& error) {
        return "FAILED: " + one_line(measure::error_text(error));
    } catch (...) {
        return "FAILED";
    }
}

}  // namespace program
