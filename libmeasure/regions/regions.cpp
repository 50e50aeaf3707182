// SPDX-License-Identifier: BSD-3-Clause
#include "measure/regions.hpp"

#include "core/hash.hpp"
#include "core/mpi_state.hpp"
#include "core/number_text.hpp"
#include "measure/environment.hpp"
#include "measure/report.hpp"
#include "record/appended_file.hpp"
#include "regions/region_gather.hpp"
#include "regions/region_record.hpp"
#include "regions/region_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure {

namespace {

using detail::RegionTree;

constexpr std::size_t samples_at_most = 1'000'000;

std::size_t samples_from(std::string const& text) {
    auto const value = detail::number_from<std::size_t>(text);
    if (!value || *value > samples_at_most)
        throw UsageError(
            fmt::format("MEASURE_REGIONS_SAMPLES = '{}': must be a number from 0 to {}", text, samples_at_most));
    return *value;
}

/// Adds the settings of rank 0's environment to the options; the same on all ranks. Collective. \throws UsageError
RegionsOptions by_environment(Comm const& comm, RegionsOptions options) {
    auto const variable = [&](char const* name) {
        char const* const value = std::getenv(name);
        std::string text = value != nullptr ? value : "";
        comm.broadcast(text);
        return text;
    };
    options.file = variable("MEASURE_REGIONS");
    if (options.file->empty())
        return options;
    if (*options.file == "-")
        throw UsageError("MEASURE_REGIONS = '-': must be a file, because standard output belongs to the program");
    if (auto const timer = variable("MEASURE_REGIONS_TIMER"); !timer.empty()) {
        try {
            options.timer = timer_from(timer, comm);
        } catch (UsageError const& e) {
            throw UsageError(fmt::format("MEASURE_REGIONS_TIMER = '{}': {}", timer, e.what()));
        }
    }
    if (auto const samples = variable("MEASURE_REGIONS_SAMPLES"); !samples.empty())
        options.samples = samples_from(samples);
    return options;
}

/// Command line of this process; empty if the system does not provide it.
std::vector<std::string> command_line() {
    std::ifstream file{"/proc/self/cmdline", std::ios::binary};
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');)
        words.push_back(word);
    return words;
}

Environment describe(Comm const& comm, RegionsOptions const& options) {
    auto run = environment(comm, options.timer);
    run.suite = "regions";
    run.command = command_line();
    run.program = run.command.empty() ? "unknown" : run.command[0].substr(run.command[0].rfind('/') + 1);
    run.options["name"] = options.name;
    run.options["samples"] = options.samples;
    return run;
}

/// Cost of a scope, measured with an empty one.
struct ScopeCost {
    double shown = 0;  ///< part that is included in the measured time of the scope, s
    double whole = 0;  ///< total cost to the region around it, s
};

ScopeCost scope_cost(AnyTimer const& timer) {
    constexpr int scopes = 1000;
    RegionTree tree(timer, 0);
    auto& slot = tree.slot("empty");
    auto& around = tree.slot("around");
    tree.enter(around);
    for (int i = 0; i < scopes; ++i) {
        tree.enter(slot);
        tree.leave(slot);
    }
    tree.leave(around);
    double const tick = tree.tick();
    return {detail::row_of(tree.paths()[1], tick).median,
            static_cast<double>(tree.paths()[0].tally.total()) * tick / scopes};
}

/// Warnings about scopes that were not measured; on the root. Collective.
std::vector<std::string> warnings(Comm const& comm, RegionTree const& tree) {
    auto const troubles = tree.troubles();
    double open = 0;
    for (auto const& path : tree.paths())
        open += static_cast<double>(path.left_open);
    std::array counts{static_cast<double>(troubles.other_threads), static_cast<double>(troubles.too_deep),
                      static_cast<double>(troubles.too_many), static_cast<double>(troubles.unbalanced), open};
    comm.sum_to_root(counts);
    constexpr std::array texts{"entries from threads other than the one that created the regions were not measured",
                               "entries were nested too deeply and were not measured",
                               "entries were not measured, because there were too many paths or too little memory",
                               "region ends did not match the innermost open region",
                               "regions were still open at the end; their last entries end there"};
    std::vector<std::string> list;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (comm.is_root() && counts[i] > 0)
            list.push_back(fmt::format("{:.0f} {}", counts[i], texts[i]));
    return list;
}

}  // namespace

struct Regions::State {
    State(Comm const& user, RegionsOptions const& options)
        : comm{user.duplicate()}, file{comm, *options.file, "regions"}, samples{options.samples},
          run{describe(comm, options)}, tree{options.timer, options.samples,
                                             detail::fnv1a(options.name) + static_cast<unsigned>(comm.rank())} {}

    [[nodiscard]] std::string record();
    [[nodiscard]] bool is_too_late() const noexcept;

    Comm comm;
    detail::AppendedFile file;
    std::size_t samples;
    Environment run;
    std::chrono::steady_clock::time_point began = SteadyClock::now();
    RegionTree tree;
    bool ended = false;
};

/// The complete record as text, on the root. Collective.
std::string Regions::State::record() {
    EndRecord const end{.elapsed = std::chrono::duration<double>(SteadyClock::now() - began).count()};
    auto const cost = scope_cost(tree.timer());
    double const shown = comm.max(cost.shown);
    double const whole = comm.max(cost.whole);
    run.options["empty_scope"] = shown;
    run.options["scope_cost"] = whole;
    auto const troubles = warnings(comm, tree);
    run.warnings.insert(run.warnings.end(), troubles.begin(), troubles.end());
    seconds const step{std::max(run.timer.step().count(), comm.max(tree.tick()))};
    auto const lines = detail::region_points(comm, tree, samples, seconds{shown}, step);
    return comm.is_root() ? json_line(run) + '\n' + lines + json_line(end) + '\n' : std::string{};
}

Regions::Regions(Comm const& comm, RegionsOptions options) {
    detail::need_mpi(comm);
    if (options.samples > samples_at_most)
        throw UsageError(fmt::format("regions keep at most {} samples, not {}", samples_at_most, options.samples));
    if (options.file)
        turn_on(comm, options);
    else
        turn_on_by_environment(comm, std::move(options));
}

void Regions::turn_on(Comm const& comm, RegionsOptions const& options) {
    if (!options.file->empty())
        state_.reset(new State(comm, options));
}

/// The program does not know the variables, so a wrong value must not end a job that may compute for days.
void Regions::turn_on_by_environment(Comm const& comm, RegionsOptions options) {
    try {
        turn_on(comm, by_environment(comm, std::move(options)));
    } catch (UsageError const& e) {
        if (comm.is_root())
            fmt::print(stderr, "libmeasure: warning: regions are off: {}\n", e.what());
    }
}

Regions::Regions(Regions&&) noexcept = default;
Regions& Regions::operator=(Regions&&) noexcept = default;
Regions::~Regions() = default;

bool Regions::State::is_too_late() const noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0 && !comm.is_solo();
}

bool Regions::on() const noexcept { return state_ && !state_->ended; }

Region Regions::operator[](std::string_view name) {
    if (name.empty() || name.find_first_of(std::string_view{"/\0", 2}) != std::string_view::npos)
        throw UsageError(fmt::format("'{}' is not a valid region name: a name must not be empty or contain '/'", name));
    return state_ ? Region{state_->tree.slot(name)} : Region{};
}

std::string Regions::end() noexcept {
    if (!on())
        return {};
    state_->ended = true;
    state_->tree.finish();
    try {
        if (state_->is_too_late())
            return "no record of the regions: MPI is already finalised";
        auto const text = state_->record();
        std::string problem = state_->file.append(text);
        state_->comm.broadcast(problem);
        return problem;
    } catch (std::exception const& e) {
        return e.what();
    } catch (...) {
        return "the record of the regions could not be created";
    }
}

void detail::enter_region(RegionSlot& slot) noexcept { slot.tree->enter(slot); }
void detail::leave_region(RegionSlot& slot) noexcept { slot.tree->leave(slot); }

}  // namespace measure
