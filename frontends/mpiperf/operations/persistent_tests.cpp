// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/persistent_tests.hpp"

#include "bodies/persistent.hpp"
#include "program/runtime/progress_timeout.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace mpiperf {

namespace {

/// What an execution may take that moves so many bytes, whatever the machine.
measure::seconds patience_for(measure::Bytes bytes) noexcept {
    constexpr double bytes_per_second = 1e7;
    return measure::seconds{2 + static_cast<double>(bytes) / bytes_per_second};
}

/// An operation on a communicator of its own that may fail: on some processes with an error, while others wait for
/// ever.
class Attempt {
public:
    /// Collective. \throws std::bad_alloc on all ranks alike; measure::MpiError
    Attempt(Test const& test, Setting const& setting, measure::Comm const& team, measure::Point const& at)
        : comm_{team.duplicate()}, load_{test.collective->shape, test.name,    layout_at(at),
                                         at.integer("count"),    comm_.size(), {}},
          data_{collective_data(*test.collective, comm_, {setting.root.rank}, load_)},
          arguments_{bodies::arguments(test.collective->shape, comm_, load_.count(), load_.convention())},
          buffers_{agreed_buffers(comm_, one_block(setting.memory.policy), data_.sizes)} {
        auto const& of = *test.collective;
        ended_ = bodies::init_of(of)(of, arguments_, buffers_.send({}), buffers_.receive({}), setting.root.rank,
                                     &request_) == MPI_SUCCESS;
    }
    Attempt(Attempt const&) = delete;
    Attempt& operator=(Attempt const&) = delete;
    /// Not of one that is still under way.
    ~Attempt() {
        if (request_ != MPI_REQUEST_NULL)
            MPI_Request_free(&request_);
    }

    /// Executes twice. The second time with other data, because libraries have delivered those of the setup, or none.
    /// Collective. \return the fault, as a verb; "" where there is none
    [[nodiscard]] std::string_view fault() {
        if (!agree_on_end())
            return "fails";
        static_cast<void>(execute({}));
        if (!agree_on_end())
            return "fails";
        bool const delivers = check_data(*this, data_, {}).empty();
        if (!agree_on_end())
            return "fails";
        return all(delivers) ? "" : "delivers wrong data";
    }
    /// No execution has failed on any process. Known after fault().
    [[nodiscard]] bool ended() const noexcept { return ended_; }

    /// Once: true where it ends well while patience lasts.
    [[nodiscard]] bool execute(measure::Iteration) {
        int code = MPI_Start(&request_);
        int done = 0;
        for (program::ProgressTimeout patience{patience_for(data_.sizes.send + data_.sizes.receive)};
             code == MPI_SUCCESS && done == 0 && patience.lasts();) {
            code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
            if (done == 0)
                std::this_thread::yield();
        }
        ended_ = code == MPI_SUCCESS && done != 0;
        return ended_;
    }
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return buffers_; }

private:
    static bodies::BufferPolicy one_block(bodies::BufferPolicy policy) noexcept {
        policy.blocks = 1;
        return policy;
    }
    [[nodiscard]] bool all(bool mine) const { return comm_.max(mine ? 0 : 1) <= 0; }
    bool agree_on_end() { return ended_ = all(ended_); }

    measure::Comm comm_;
    Load load_;
    CollectiveData data_;
    bodies::Arguments arguments_;
    bodies::Buffers buffers_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool ended_ = false;
};

/// What of an operation the MPI library cannot execute twice.
class Repeatability {
public:
    Repeatability(Test const& test, Setting const& setting) : test_{test}, setting_{setting} {}

    /// Why a point cannot be measured, "" where it can. Each is tried once; none is any more for so many processes
    /// where an execution has not ended. Collective over the team.
    std::string const& obstacle(measure::Comm const& team, measure::Point const& at) {
        if (auto const found = stuck_.find(team.size()); found != stuck_.end())
            return found->second;
        auto const [entry, is_new] = tried_.try_emplace(at.text());
        auto& [point, text] = *entry;
        if (!is_new)
            return text;
        auto attempt = std::make_unique<Attempt>(test_, setting_, team, at);
        if (auto const fault = attempt->fault(); !fault.empty())
            text = fmt::format("this MPI library {} in the second {} on {} {}", fault, test_.name, team.size(),
                               team.size() == 1 ? "process" : "processes");
        if (!attempt->ended()) {
            stuck_[team.size()] = text;
            // What is still under way cannot be freed, nor what it uses.
            static auto& abandoned = *new std::vector<std::unique_ptr<Attempt>>;
            abandoned.push_back(std::move(attempt));
        }
        return text;
    }

private:
    Test const& test_;
    Setting const& setting_;
    std::map<std::string, std::string> tried_{};  ///< by the point
    std::map<int, std::string> stuck_{};          ///< by the number of processes
};

/// What is known of a test while its points are measured.
struct PersistentPoints {
    Repeatability repeatability;
    ByPoint<std::pair<double, int>> setups{};  ///< s in sum, and how many
};

/// A persistent operation that others share.
struct Shared {
    std::shared_ptr<bodies::Persistent> operation;
    bool operator()() const noexcept { return (*operation)(); }
    void ready(measure::Iteration it) const { operation->prepare(it); }
    [[nodiscard]] bool execute(measure::Iteration) const noexcept { return (*operation)(); }
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return operation->memory(); }
};

}  // namespace

void build_persistent(Test const& test, Setting const& setting, measure::Benchmark& row) {
    auto const known = std::make_shared<PersistentPoints>(PersistentPoints{Repeatability{test, setting}});
    then(row, [known](measure::Record& record) {
        if (auto const* const setups = known->setups.find(record.at); setups != nullptr)
            record.derived["init"] = setups->first / setups->second;
    });
    row.make = maker(setting, [&test, &setting, known](measure::Comm const& team, measure::Point const& at) {
        if (auto const& obstacle = known->repeatability.obstacle(team, at); !obstacle.empty()) {
            setting.warn(obstacle);
            throw measure::SkipPoint(obstacle);
        }
        bodies::Collective const& of = *test.collective;
        Load load{of.shape, test.name, layout_at(at), at.integer("count"), team.size(), {}};
        auto data = collective_data(of, team, setting.root, load);
        auto arguments = bodies::arguments(of.shape, team, load.count(), load.convention());
        auto buffers = agreed_buffers(team, place(setting, team, at, data.sizes), data.sizes);

        std::shared_ptr<bodies::Persistent> body;
        team.barrier();
        auto const taken = setting.timer.visit([&](auto const& timer) {
            auto const begin = timer.now();
            body = std::make_shared<bodies::Persistent>(of, std::move(arguments), std::move(buffers), setting.root);
            return timer.between(begin, timer.now());
        });
        auto& [total, setups] = known->setups[at];
        total += team.max(taken.count());
        ++setups;
        return measure::op(Verified{Shared{body}, std::move(load.type), std::move(data)})
            .prepare([body](measure::Iteration it) { body->prepare(it); });
    });
}

}  // namespace mpiperf
