// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/pvm/pvm_tasks.hpp"

#include "mpbench/pvm/pvm_message.hpp"
#include "program/runtime/control_groups.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <pvm3.h>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace mpbench {

using measure::Bytes;

namespace {

/// Installs a handler for the end of a task. \return the handler's number, for `pvm_delmhf`
int watch(int task, int rank, int (*handler)(int)) {
    int const added = pvm_check(pvm_addmhf(-1, pvm_tag::lost + rank, pvm_getcontext(), handler), "pvm_addmhf");
    pvm_check(pvm_notify(PvmTaskExit, pvm_tag::lost + rank, 1, &task), "pvm_notify");
    return added;
}

PvmPlace own_place() {
    return {pvm_check(pvm_tidtohost(pvm_mytid()), "pvm_tidtohost"), measure::usable_cores(),
            program::process_memory().available};
}

/// Ends this process. libpvm calls the handler when the message arrives, even while another call waits; that call would
/// otherwise never return.
int end_of_task(int message) {
    int unused = 0;
    int tag = 0;
    pvm_bufinfo(message, &unused, &tag, &unused);
    program::crash_report::failed(
        fmt::format("task {} ended too early; see the log of its PVM daemon", tag - pvm_tag::lost).c_str());
    program::unlink_temporary_files();
    pvm_exit();
    std::_Exit(1);
}

int end_of_master(int /*message*/) {
    pvm_exit();
    std::_Exit(0);
}

/// Starts the group server, which groups need. libpvm would also start it, but waits forever and prints to stderr if
/// that fails.
void need_group_server() {
    std::string name = "pvmgs";
    auto const there = [&name] { return pvm_recvinfo(name.data(), 0, PvmMboxDefault) >= 0; };
    if (there())
        return;
    int server = 0;
    if (pvm_spawn(name.data(), nullptr, PvmTaskDefault, nullptr, 1, &server) != 1)
        throw measure::UsageError("the PVM daemon cannot start the group server pvmgs; add its folder to the daemon's "
                                  "hostfile, with a line like '* ep=/usr/bin'");
    for (auto const limit = measure::SteadyClock::now() + pvm_patience; !there();
         std::this_thread::sleep_for(std::chrono::milliseconds{1}))
        if (measure::SteadyClock::now() > limit)
            throw std::runtime_error(
                fmt::format("the PVM group server has not answered for {} s", pvm_patience.count()));
}

}  // namespace

PvmTasks::PvmTasks(int tasks) : ids_(static_cast<std::size_t>(tasks)) {
    ids_.front() = pvm_enrol();
    try {
        need_group_server();
        start_others();
        watch_others();
        places_.push_back(own_place());
        for (int rank = 1; rank < tasks; ++rank)
            places_.push_back(pvm_await<PvmPlace>(ids_, rank, pvm_tag::place));
    } catch (...) {
        pvm_exit();
        throw;
    }
}

PvmTasks::~PvmTasks() {
    for (int const handler : handlers_)
        pvm_delmhf(handler);
    pvm_exit();
}

void PvmTasks::start_others() {
    std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string argument{pvm_task_argument};
    std::array<char*, 2> arguments{argument.data(), nullptr};
    int const others = static_cast<int>(ids_.size()) - 1;
    int const started = pvm_check(
        pvm_spawn(program.data(), arguments.data(), PvmTaskDefault, nullptr, others, ids_.data() + 1), "pvm_spawn");
    if (started < others)
        throw measure::UsageError(fmt::format("PVM started only {} of the {} other tasks of {}: {}", started, others,
                                              program, pvm_error_text(ids_.back())));
}

void PvmTasks::watch_others() {
    for (std::size_t rank = 1; rank < ids_.size(); ++rank)
        handlers_.push_back(watch(ids_[rank], static_cast<int>(rank), end_of_task));
}

int PvmTasks::neighbours(PvmPlace const& place) const {
    return static_cast<int>(
        std::count_if(places_.begin(), places_.end(), [&](PvmPlace const& other) { return other.host == place.host; }));
}

int PvmTasks::hosts() const {
    std::set<int> numbers;
    for (PvmPlace const& place : places_)
        numbers.insert(place.host);
    return static_cast<int>(numbers.size());
}

bool PvmTasks::oversubscribed() const {
    return std::any_of(places_.begin(), places_.end(),
                       [this](PvmPlace const& place) { return neighbours(place) > place.cores; });
}

bool PvmTasks::have_memory(Bytes bytes) const {
    return std::all_of(places_.begin(), places_.end(), [&](PvmPlace const& place) {
        return place.available == 0 || bytes <= place.available / neighbours(place);
    });
}

int join_pvm_master() {
    static_cast<void>(pvm_enrol());
    int const master = pvm_parent();
    if (master < 0)
        throw measure::UsageError(fmt::format("{} is only for tasks that PVM starts", pvm_task_argument));
    static_cast<void>(watch(master, 0, end_of_master));
    pvm_give(master, pvm_tag::place, own_place());
    return master;
}

}  // namespace mpbench
