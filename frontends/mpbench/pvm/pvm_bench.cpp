// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/pvm/pvm_bench.hpp"

#include "bodies/buffers.hpp"
#include "llcbench/flush.hpp"
#include "mpbench/check.hpp"
#include "mpbench/loops.hpp"
#include "mpbench/pvm/pvm_message.hpp"
#include "mpbench/pvm/pvm_transport.hpp"
#include "mpbench/pvm/timing.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pvm3.h>
#include <string>
#include <utility>
#include <vector>

namespace mpbench {

using measure::Bytes;

namespace {

/// The settings that the master sends to all tasks.
struct Contract {
    Rules rules{};
    Bytes largest = 0;       ///< largest message, in bytes
    Bytes flush = 0;         ///< size of the flush buffer in bytes
    std::uint64_t seed = 1;  ///< seed of the timer
};

/// An order of the master to the tasks of a test.
struct Order {
    enum class What { warm_up, check, measure };
    What what = What::warm_up;
    int test = 0;  ///< index in the catalogue
    Bytes bytes = 0;
    bool flag = false;  ///< check: damage; measure: flush
};

std::string group(std::vector<int> const& ids) { return fmt::format("mpbench-{:x}", ids.front()); }
std::string pair_group(std::vector<int> const& ids) { return group(ids).append("-pair"); }

bool in_pair(std::vector<int> const& ids, int rank) { return rank == 0 || rank + 1 == static_cast<int>(ids.size()); }

/// Joins the groups. The master must join first, because sums go to the first member.
void join(std::vector<int> const& ids, int rank) {
    auto const enter = [rank](std::string name) {
        int const place = pvm_check(pvm_joingroup(name.data()), "pvm_joingroup");
        pvm_check(rank == 0 && place != 0 ? PvmDupGroup : PvmOk, "pvm_joingroup");
    };
    enter(group(ids));
    if (in_pair(ids, rank))
        enter(pair_group(ids));
}

/// The measurement state of one task.
class Task {
public:
    /// \param resolution  resolution of the timer; only the master's value is used  \throws std::bad_alloc
    Task(std::vector<int> const& ids, int rank, Contract const& contract, measure::AnyTimer timer,
         measure::seconds resolution)
        : all_{ids, rank, group(ids)}, rules_{contract.rules}, buffers_{{}, {contract.largest, contract.largest}},
          flush_{contract.flush}, timer_{std::move(timer)}, resolution_{resolution} {
        if (in_pair(ids, rank))
            pair_.emplace(std::vector{ids.front(), ids.back()}, rank == 0 ? 0 : 1, pair_group(ids));
        fill(message(contract.largest));
    }

    void warm_up(Test const& test, Bytes bytes) { once(tasks_of(test), test.kind, message(bytes)); }

    std::vector<double> check(Test const& test, Bytes bytes, bool damage) {
        auto& t = tasks_of(test);
        return t.gather(std::array{static_cast<double>(check_size(t, test.kind, message(bytes), damage))});
    }

    measure::Measurement measure(Test const& test, Bytes bytes, bool flush, measure::Control const& control) {
        Stopwatch const watch{.timer = timer_, .resolution = resolution_, .flush = &flush_, .control = control};
        TransportLoops loops{tasks_of(test), test.kind, message(bytes), rules_, watch};
        return SizeLoops{loops, rules_, test.kind, bytes, resolution_}.measure(flush);
    }

private:
    /// The transport of the test. Must not be called on tasks that are idle in it.
    [[nodiscard]] PvmTransport& tasks_of(Test const& test) { return test.pair ? pair_.value() : all_; }

    [[nodiscard]] Message message(Bytes bytes) const {
        return {static_cast<std::byte*>(buffers_.send({})), static_cast<std::byte*>(buffers_.receive({})), bytes};
    }

    PvmTransport all_;
    std::optional<PvmTransport> pair_{};  ///< the first and the last task; empty on other tasks
    Rules rules_;
    bodies::Buffers buffers_;
    llcbench::Flush flush_;
    measure::AnyTimer timer_;
    measure::seconds resolution_;
};

class PvmBench final : public Bench {
public:
    PvmBench(PvmTasks const& tasks, Contract const& contract, std::string const& timer_name,
             measure::AnyTimer const& timer, measure::seconds resolution)
        : ids_{tasks.ids()}, task_{ids_, 0, contract, timer, resolution} {
        join(ids_, 0);
        send_contract(contract, timer_name);
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
    Measured measure(Test const& test, Bytes bytes, measure::Plan const& plan, bool flush) override {
        order(Order::What::measure, test, bytes, flush);
        return {.measurement = task_.measure(test, bytes, flush, plan.control)};
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

    /// Sends an order to the tasks of the test. Idle tasks receive nothing and stay blocked.
    void order(Order::What what, Test const& test, Bytes bytes, bool flag) const {
        Order const order{what, static_cast<int>(&test - tests().data()), bytes, flag};
        for (std::size_t rank = test.pair ? ids_.size() - 1 : 1; rank < ids_.size(); ++rank)
            pvm_give(ids_[rank], pvm_tag::order, order);
    }

    std::vector<int> ids_;
    Task task_;
};

/// The data that `send_contract` sends.
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

void obey(Task& task, Order const& order) {
    Test const& test = tests()[static_cast<std::size_t>(order.test)];
    switch (order.what) {
    case Order::What::warm_up:
        return task.warm_up(test, order.bytes);
    case Order::What::check:
        return static_cast<void>(task.check(test, order.bytes, order.flag));
    case Order::What::measure:
        return static_cast<void>(task.measure(test, order.bytes, order.flag, {}));
    }
}

[[noreturn]] void serve(int master) {
    auto const [ids, timer_name, contract] = receive_commission(master);
    auto const rank = static_cast<int>(std::find(ids.begin(), ids.end(), pvm_mytid()) - ids.begin());
    auto const timer = measure::timer_from(timer_name, measure::Comm::solo(), contract.seed);
    Task task{ids, rank, contract, timer, {}};
    join(ids, rank);
    pvm_give(master, pvm_tag::ready, 0);
    for (;;) {
        auto const order = pvm_take<Order>(master, pvm_tag::order);
        try {
            obey(task, order);
        } catch (measure::Interrupted const&) {
            // The master ends the run.
        }
    }
}

}  // namespace

std::unique_ptr<Bench> make_pvm_bench(PvmTasks const& tasks, Setup const& setup, program::CommonOptions const& common,
                                      measure::AnyTimer const& timer, measure::seconds resolution) {
    Contract const contract{
        .rules = setup.rules, .largest = setup.largest(), .flush = setup.flush, .seed = common.seed};
    return std::make_unique<PvmBench>(tasks, contract, common.timer, timer, resolution);
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
