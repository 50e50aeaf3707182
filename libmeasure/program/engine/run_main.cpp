// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/own_suite.hpp"
#include "program/runtime/main.hpp"

#include <measure/main.hpp>

namespace measure {

int run_main(int argc, char** argv, Program const& program) {
    return program::run_main(argc, argv, program::engine::own_suite(program));
}

}  // namespace measure
