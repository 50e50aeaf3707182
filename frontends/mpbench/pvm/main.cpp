// SPDX-License-Identifier: BSD-3-Clause
#include "pvm/pvm_bench.hpp"
#include "pvm/pvm_suite.hpp"

int main(int argc, char** argv) {
    if (argc == 2 && argv[1] == mpbench::pvm_task_argument)
        return mpbench::serve_as_pvm_task();
    return program::run_main(argc, argv, mpbench::pvm_suite());
}
