// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/exchange.hpp"
#include "program/cli/values.hpp"

#include <string>

namespace measure::tool::pairs {

Faults faults_from(program::Session& session) {
    Faults faults;
    auto const number = [](std::string const& text) { return std::stoi(text); };
    // "3-7:1.2": an exchange between ranks 3 and 7 takes 1.2 times as long.
    if (auto const hook = session.test_hook("MEASURE_TEST_PAIR"))
        for (auto const& each : program::split(*hook, ',')) {
            auto const parts = program::split(each, ':');
            auto const ends = program::split(parts.at(0), '-');
            faults.slow.push_back({number(ends.at(0)), number(ends.at(1)), std::stod(parts.at(1))});
        }
    if (auto const hook = session.test_hook("MEASURE_TEST_NODE"))
        for (auto const& each : program::split(*hook, ',')) {
            auto const parts = program::split(each, ':');
            faults.slow.push_back({number(parts.at(0)), -1, std::stod(parts.at(1))});
        }
    auto const pair_in = [&](char const* hook) {
        auto const text = session.test_hook(hook);
        if (!text)
            return Pair{-1, -1};
        auto const ends = program::split(*text, '-');
        return Pair{number(ends.at(0)), number(ends.at(1))};
    };
    // "1-2": the last byte that rank 2 receives from rank 1 is changed; rank 2 never answers rank 1; it answers too
    // late.
    faults.wrong_byte = pair_in("MEASURE_TEST_WRONG_BYTE");
    faults.silent = pair_in("MEASURE_TEST_SILENT");
    faults.late = pair_in("MEASURE_TEST_LATE");
    return faults;
}

}  // namespace measure::tool::pairs
