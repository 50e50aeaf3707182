// SPDX-License-Identifier: BSD-3-Clause
#include "profile/recorder.hpp"

#include "profile/join.hpp"
#include "record/appended_file.hpp"

#include <measure/comm.hpp>
#include <measure/environment.hpp>
#include <measure/report.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace measure::profile {

namespace {

/// A timer that the wrappers can read. \throws UsageError on all ranks
AnyTimer timer_called(std::string const& name, Comm const& comm) {
    if (name != "monotonic" && name != "tsc")
        throw UsageError(fmt::format("MEASURE_PROFILE_TIMER = '{}': must be monotonic or tsc", name));
    return timer_from(name, comm);
}

/// Records from MPI_Init to MPI_Finalize.
class Recorder {
public:
    explicit Recorder(Order const& order)
        : comm_{MPI_COMM_WORLD}, path_{order.path}, table_{order.table}, timer_{timer_called(order.timer, comm_)},
          run_{environment(comm_, timer_)} {
        run_.suite = "profile";
        run_.command = command_of(*table_);
        auto const first = run_.command.empty() ? std::string{"unknown"} : run_.command.front();
        run_.program = first.substr(first.rfind('/') + 1);
        run_.options["timer"] = timer_.name();
        run_.options["counts_only"] = table_->counts_only != 0;
        run_.options["waiting"] = table_->waits != 0;
        run_.options["sites"] = table_->sites != 0;
    }

    /// Ticks per second if the timer is a counter; 0 for other clocks.
    [[nodiscard]] double hertz() const {
        return timer_.visit([](auto const& timer) {
            if constexpr (requires { timer.frequency(); })
                return timer.frequency();
            else
                return 0.0;
        });
    }

    /// \return an error message, the same on all ranks; empty for success
    std::string end() {
        Joined const all = to_root(profile::joined(*table_));
        detail::AppendedFile const file{comm_, path_, "profile"};
        auto problem = comm_.is_root() ? file.append(text_of(all)) : std::string{};
        comm_.broadcast(problem);
        return problem;
    }

private:
    std::string text_of(Joined const& all) {
        describe(all, run_);
        std::string text = json_line(run_) + '\n';
        for (auto& point : points(all)) {
            if (comm_.oversubscribed())
                point.flag("oversubscribed");
            text += json_line(point) + '\n';
        }
        EndRecord const end{.elapsed = std::chrono::duration<double>(SteadyClock::now() - begin_).count()};
        return text + json_line(end) + '\n';
    }

    /// Joins along a binomial tree: in step k, each rank with bit k set sends its data and stops.
    Joined to_root(Joined mine) const {
        constexpr int tag = 1;
        for (int step = 1; step < comm_.size(); step *= 2) {
            if ((comm_.rank() & step) != 0) {
                std::string const bytes = packed(mine);
                std::size_t const size = bytes.size();
                comm_.send(&size, sizeof size, comm_.rank() - step, tag);
                comm_.send(bytes.data(), size, comm_.rank() - step, tag);
                break;
            }
            if (int const other = comm_.rank() + step; other < comm_.size()) {
                std::size_t size = 0;
                comm_.receive(&size, sizeof size, other, tag);
                std::string bytes(size, '\0');
                comm_.receive(bytes.data(), size, other, tag);
                mine.add(unpacked(bytes));
            }
        }
        return mine;
    }

    Comm comm_;
    std::string path_;
    RankTable* table_;
    AnyTimer timer_;
    Environment run_;
    SteadyClock::time_point begin_ = SteadyClock::now();
};

/// Errors must not reach the application. \return the error message
template <class Work>
std::string guarded(Work work) {
    try {
        return work();
    } catch (std::exception const& e) {
        return e.what();
    } catch (...) {
        return "the record could not be created";
    }
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* measure_profile_begin(Order const* order, double* hertz, char* said,
                                                           std::size_t bytes) {
    std::unique_ptr<Recorder> recorder;
    auto const problem = guarded([&] {
        recorder = std::make_unique<Recorder>(*order);
        *hertz = recorder->hertz();
        return std::string{};
    });
    std::snprintf(said, bytes, "%s", problem.c_str());
    return recorder.release();
}

[[gnu::visibility("default")]] void measure_profile_end(void* begun, char* said, std::size_t bytes) {
    auto const problem = guarded([&] {
        std::unique_ptr<Recorder> const recorder{static_cast<Recorder*>(begun)};
        return recorder->end();
    });
    std::snprintf(said, bytes, "%s", problem.c_str());
}

}  // extern "C"

}  // namespace measure::profile
