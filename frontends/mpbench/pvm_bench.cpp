// SPDX-License-Identifier: BSD-3-Clause
#include "pvm_bench.hpp"

#include "program/runtime/stderr_line.hpp"
#include "pvm_message.hpp"
#include "task.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <pvm3.h>
#include <string>
#include <utility>
#include <vector>

namespace mpbench {

using measure::Bytes;

namespace {

/// The conditions of a run, as they are sent.
struct Contract {
    Terms terms{};
    std::uint64_t seed = 1;  ///< of the timer
};

/// What the master asks the tasks of a test to do with it.
struct Order {
    enum class What { warm_up, check, measure };
    What what = What::warm_up;
    int test = 0;  ///< in the catalogue
    Bytes bytes = 0;
    bool flag = false;  ///< damage, flush
};

std::string group(std::vector<int> const& ids) { return fmt::format("mpbench-{:x}", ids.front()); }
std::string pair_group(std::vector<int> const& ids) { return group(ids).append("-pair"); }

bool in_pair(std::vector<int> const& ids, int rank) { return rank == 0 || rank + 1 == static_cast<int>(ids.size()); }

/// Enters the groups. The master does so first, because sums go to the first one.
void join(std::vector<int> const& ids, int rank) {
    auto const enter = [rank](std::string name) {
        int const place = pvm_check(pvm_joingroup(name.data()), "pvm_joingroup");
        pvm_check(rank == 0 && place != 0 ? PvmDupGroup : PvmOk, "pvm_joingroup");
    };
    enter(group(ids));
    if (in_pair(ids, rank))
        enter(pair_group(ids));
}

Task<PvmTransport> make_task(std::vector<int> const& ids, int rank, Terms const& terms, measure::AnyTimer const& timer,
                             measure::seconds resolution, measure::Control control) {
    std::optional<PvmTransport> pair;
    if (in_pair(ids, rank))
        pair.emplace(std::vector{ids.front(), ids.back()}, rank == 0 ? 0 : 1, pair_group(ids));
    return {PvmTransport{ids, rank, group(ids)}, pair, terms, timer, resolution, std::move(control)};
}

class PvmBench : public Bench {
public:
    PvmBench(PvmTasks const& tasks, Setup const& setup, program::Session& session, measure::AnyTimer const& timer,
             measure::seconds resolution)
        : ids_{tasks.ids()}, task_{make_task(ids_, 0, setup.terms(), timer, resolution, session.control())} {
        join(ids_, 0);
        send_contract({setup.terms(), session.common().seed}, session.common().timer);
        for (int rank = 1; rank < static_cast<int>(ids_.size()); ++rank)
            static_cast<void>(pvm_await<int>(ids_, rank, pvm_tag::ready));
    }

    void warm_up(Test const& test, Bytes bytes) override {
        order(Order::What::warm_up, test, bytes, false);
        task_.warm_up(test, bytes);
    }
    std::vector<double> check(Test const& test, Bytes bytes, bool damage) override {
        order(Order::What::check, test, bytes, damage);
        return task_.check(test, bytes, damage);
    }
    Timed measure(Test const& test, Bytes bytes, bool flush) override {
        order(Order::What::measure, test, bytes, flush);
        return task_.measure(test, bytes, flush);
    }

private:
    void send_contract(Contract contract, std::string timer) {
        int count = static_cast<int>(ids_.size());
        pvm_check(pvm_initsend(PvmDataRaw), "pvm_initsend");
        pvm_check(pvm_pkint(&count, 1, 1), "pvm_pkint");
        pvm_check(pvm_pkint(ids_.data(), count, 1), "pvm_pkint");
        pvm_check(pvm_pkstr(timer.data()), "pvm_pkstr");
        pvm_check(pvm_pkbyte(reinterpret_cast<char*>(&contract), sizeof contract, 1), "pvm_pkbyte");
        pvm_check(pvm_mcast(ids_.data() + 1, count - 1, pvm_tag::contract), "pvm_mcast");
    }

    /// Tasks that are idle in the test hear nothing and sleep on.
    void order(Order::What what, Test const& test, Bytes bytes, bool flag) const {
        Order const order{what, static_cast<int>(&test - tests().data()), bytes, flag};
        for (std::size_t rank = test.pair ? ids_.size() - 1 : 1; rank < ids_.size(); ++rank)
            pvm_give(ids_[rank], pvm_tag::order, order);
    }

    std::vector<int> ids_;
    Task<PvmTransport> task_;
};

/// What `send_contract` has sent.
struct Commission {
    std::vector<int> ids{};
    std::string timer{};
    Contract contract{};
};

Commission receive_commission(int master) {
    Commission c;
    int count = 0;
    int length = 0;
    int unused = 0;
    pvm_check(pvm_bufinfo(pvm_check(pvm_recv(master, pvm_tag::contract), "pvm_recv"), &length, &unused, &unused),
              "pvm_bufinfo");
    pvm_check(pvm_upkint(&count, 1, 1), "pvm_upkint");
    c.ids.resize(static_cast<std::size_t>(count));
    pvm_check(pvm_upkint(c.ids.data(), count, 1), "pvm_upkint");
    std::string text(static_cast<std::size_t>(length), '\0');
    pvm_check(pvm_upkstr(text.data()), "pvm_upkstr");
    c.timer = text.c_str();
    pvm_check(pvm_upkbyte(reinterpret_cast<char*>(&c.contract), sizeof c.contract, 1), "pvm_upkbyte");
    return c;
}

void obey(Bench& task, Order const& order) {
    Test const& test = tests()[static_cast<std::size_t>(order.test)];
    switch (order.what) {
    case Order::What::warm_up:
        return task.warm_up(test, order.bytes);
    case Order::What::check:
        return static_cast<void>(task.check(test, order.bytes, order.flag));
    case Order::What::measure:
        return static_cast<void>(task.measure(test, order.bytes, order.flag));
    }
}

[[noreturn]] void serve(int master) {
    auto const [ids, timer_name, contract] = receive_commission(master);
    auto const rank = static_cast<int>(std::find(ids.begin(), ids.end(), pvm_mytid()) - ids.begin());
    auto const timer = measure::timer_from(timer_name, measure::Comm::solo(), contract.seed);
    auto task = make_task(ids, rank, contract.terms, timer, {}, {});
    join(ids, rank);
    pvm_give(master, pvm_tag::ready, 0);
    for (;;) {
        auto const order = pvm_take<Order>(master, pvm_tag::order);
        try {
            obey(task, order);
        } catch (measure::Interrupted const&) {
            // The master leaves.
        }
    }
}

}  // namespace

std::unique_ptr<Bench> make_pvm_bench(PvmTasks const& tasks, Setup const& setup, program::Session& session,
                                      measure::AnyTimer const& timer, measure::seconds resolution) {
    return std::make_unique<PvmBench>(tasks, setup, session, timer, resolution);
}

int serve_as_pvm_task() {
    int code = 1;
    std::string text;
    try {
        serve(join_pvm_master());
    } catch (measure::UsageError const& error) {
        code = 2;
        text = error.what();
    } catch (std::exception const& error) {
        text = error.what();
    }
    program::stderr_line(fmt::format("mpbench-pvm: error: {}", text));
    pvm_exit();
    return code;
}

}  // namespace mpbench
