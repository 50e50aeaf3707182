// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/exchange.hpp"

namespace measure::tool::pairs {

Faults faults_from(program::Session& session) {
    for (char const* const name : {"MEASURE_TEST_PAIR", "MEASURE_TEST_NODE", "MEASURE_TEST_WRONG_BYTE",
                                   "MEASURE_TEST_SILENT", "MEASURE_TEST_LATE"})
        static_cast<void>(session.test_hook(name));
    return {};
}

}  // namespace measure::tool::pairs
