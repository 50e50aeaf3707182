// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "tune/faults.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace measure::tool::tune {

namespace {

void wait_for_ever() {
    for (;;)
        ::pause();
}

}  // namespace

/// MEASURE_TEST_TUNE=COLLECTIVE:ALGORITHM:FAULT[,..]; FAULT is wrong, hang, abort, error, or a duration by which each
/// call is extended.
Faults faults_from(program::Session& session) {
    std::map<std::pair<std::string, std::string>, Fault> faults;
    auto const hook = session.test_hook("MEASURE_TEST_TUNE");
    for (auto const& part : hook ? program::split(*hook, ',') : std::vector<std::string>{}) {
        auto const words = program::split(part, ':');
        if (words.size() != 3)
            throw measure::UsageError(fmt::format("MEASURE_TEST_TUNE: '{}' is not a fault", part));
        Fault fault;
        if (words[2] == "hang")
            fault.before = wait_for_ever;
        else if (words[2] == "abort")
            fault.before = [] { std::abort(); };
        else if (words[2] == "error")
            fault.fails = true;
        else if (words[2] == "wrong")
            fault.spoils = true;
        else
            fault.longer = program::as::Duration{.above_zero = true}({"MEASURE_TEST_TUNE", words[2]});
        faults.emplace(std::pair{words[0], words[1]}, std::move(fault));
    }
    return [faults](std::string const& collective, std::string const& algorithm) {
        auto const found = faults.find({collective, algorithm});
        return found == faults.end() ? Fault{} : found->second;
    };
}

}  // namespace measure::tool::tune
