// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/main.hpp"

#include "llcbench/flush.hpp"
#include "llcbench/machine.hpp"
#include "mpbench/method.hpp"
#include "mpbench/options.hpp"
#include "mpbench/pvm/pvm_bench.hpp"
#include "mpbench/pvm/pvm_tasks.hpp"
#include "mpbench/suite.hpp"

#include <fmt/format.h>

#include <pvm3.h>
#include <string>

namespace mpbench {

namespace {

void run(Options const& options, program::Session& session) {
    auto const machine = llcbench::machine();
    auto setup = resolve(options, options.tasks, llcbench::flush_size(machine.last_level_cache()));
    if (session.common().list)
        return list(setup, session);
    PvmTasks const tasks{setup.tasks};
    setup.layer = {{"pvm", pvm_version()}, {"route", "direct"}, {"hosts", fmt::format("{}", tasks.hosts())}};
    setup.oversubscribed = tasks.oversubscribed();
    if (setup.oversubscribed)
        session.warn("more tasks than cores, so the times include waiting for a core");
    leave_too_large(setup, [&](measure::Bytes bytes) { return tasks.have_memory(bytes); });
    session.add_to_run("pvm",
                       measure::Value::Object{{"version", std::string{pvm_version()}}, {"hosts", tasks.hosts()}});
    measure_all(setup, options, machine, session, [&](measure::AnyTimer const& timer, measure::seconds resolution) {
        return make_pvm_bench(tasks, setup, session.common(), timer, resolution);
    });
}

}  // namespace

}  // namespace mpbench

int main(int argc, char** argv) {
    if (argc == 2 && argv[1] == mpbench::pvm_task_argument)
        return mpbench::serve_as_pvm_task();
    return program::run_main(argc, argv, mpbench::pvm_suite(mpbench::run));
}
