// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/method.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/meaning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace measure {

namespace {

/// How the processes start a sample, and whose time is recorded.
struct StartWords {
    std::string_view start;  ///< value in the options of the record
    std::string_view words;
    std::string_view processes;
};

constexpr std::string_view synchronised = "synchronised starts";
constexpr std::string_view barrier_before = "a barrier before each call";
constexpr std::string_view slowest = "slowest process";

/// Texts for `options.start`, which most programs record.
constexpr std::array start_words{
    StartWords{"slot", synchronised, slowest},
    StartWords{"roundtime", synchronised, slowest},
    StartWords{"barrier", barrier_before, slowest},
    StartWords{"dissemination", barrier_before, slowest},
    StartWords{"free", "calls without a common start", slowest},
    StartWords{"loop", "loop of calls", slowest},
    StartWords{"osu", barrier_before, "mean over processes"},
};

/// Text for `options.time_of`, which some programs let the user choose.
std::string_view processes_of(std::string_view combine) {
    return combine == "root"   ? "root"
           : combine == "min"  ? "fastest process"
           : combine == "mean" ? "mean over processes"
           : combine == "span" ? "from the first start to the last end"
                               : slowest;
}

bool is_barrier(Record const& record) { return record.semantics && record.semantics->kind == OperationKind::barrier; }

/// The start of a run. A converted text without a start gets the default of its program.
std::string start_of(Environment const& run) {
    auto const start = run.options.text("start");
    // With `both`, the value is that of the loop.
    if (run.suite == "osu" && run.options.text("method") != "sync")
        return "osu";
    if (!start.empty())
        return start;
    return run.suite == "osu" ? "slot" : run.suite == "pmb" || run.suite == "imb" ? "loop" : "";
}

/// skampi chooses the method for each measurement; converted texts store it in `derived.start`.
Method method_of_skampi(Environment const& run, Record const& record) {
    bool const is_window = record.benchmark.find("-SM") != std::string::npos || run.options.text("sync") == "window" ||
                           record.derived.text("start") == "window" || record.derived.find("slot_lengths") != nullptr;
    if (is_window)
        return {.start = std::string{synchronised}, .processes = std::string{slowest}};
    return {.start = is_barrier(record) ? "calls timed one by one" : "between two barriers, less the time of a barrier",
            .processes = "root"};
}

/// IMB times the calls of a collective operation one by one, by default with a barrier between them (`-sync`).
Method method_of_imb(Environment const& run) {
    auto const* const sync = run.options.get<bool>("sync");
    return {.start = std::string{sync == nullptr || *sync ? barrier_before : "calls timed one by one"},
            .processes = std::string{slowest}};
}

bool is_set(Environment const& run, std::string_view option) {
    auto const* const value = run.options.get<bool>(option);
    return value != nullptr && *value;
}

Method method_of_mpbench(Environment const& run, Record const& record) {
    bool const has_end = record.semantics && record.semantics->operation == "Bcast";
    return {.start = is_set(run, "flush_each") ? "calls timed one by one"
                     : has_end                 ? "loop of calls and an acknowledgement at its end"
                                               : "loop of calls",
            .processes = "root"};
}

/// The method of a collective operation.
Method method_of_collective(Environment const& run, Record const& record) {
    if (run.suite == "skampi")
        return method_of_skampi(run, record);
    if (run.suite == "mpbench")
        return method_of_mpbench(run, record);
    auto const start = start_of(run);
    if (run.suite == "imb" && start == "loop" && record.semantics &&
        record.semantics->kind == OperationKind::collective)
        return method_of_imb(run);
    // OSU measures Barrier in a loop without other barriers, whatever its other collective operations use.
    if (run.suite == "osu" && start == "osu" && is_barrier(record))
        return {.start = "loop of calls", .processes = "mean over processes"};
    auto const found =
        std::find_if(start_words.begin(), start_words.end(), [&](StartWords const& row) { return row.start == start; });
    if (found == start_words.end())
        return {};
    auto const combine = run.options.text("time_of");
    return {.start = std::string{found->words},
            .processes = std::string{combine.empty() ? found->processes : processes_of(combine)}};
}

/// The method of messages between some processes.
Method method_of_message(Environment const& run, Record const& record, Semantics const& meaning) {
    switch (meaning.kind) {
    case OperationKind::ping_pong:
        return {.way = meaning.operation.starts_with("PingPing") ? "one message each way at once"
                                                                 : "half of a round trip"};
    case OperationKind::message:
        return {.way = "the call alone, on the sender"};
    case OperationKind::stream:
    case OperationKind::streams: {
        bool const one_by_one =
            run.suite == "mpbench" && (meaning.kind == OperationKind::streams || is_set(run, "flush_each"));
        return {.way = one_by_one ? "one exchange after another" : "one of many messages under way"};
    }
    default:
        return method_of_collective(run, record);
    }
}

bool has_root(Semantics const& meaning) {
    constexpr std::array<std::string_view, 6> rooted{"Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv"};
    return std::find(rooted.begin(), rooted.end(), meaning.operation) != rooted.end();
}

bool has_cold_caches(Environment const& run) {
    return is_set(run, "cold") || is_set(run, "flush_each") || run.options.number({"off_cache"}).value_or(0) != 0;
}

/// Adds the distinct texts of one member, as "a or b", unless all are equal. \param otherwise  replaces an empty text
template <class Get>
void add_choice(std::vector<std::string>& parts, std::span<Method const> methods, std::string_view otherwise, Get get) {
    std::vector<std::string> texts;
    for (auto const& method : methods)
        detail::add_once(texts, get(method).empty() ? std::string{otherwise} : get(method));
    if (texts.size() > 1)
        parts.push_back(fmt::format("{}", fmt::join(texts, " or ")));
}

}  // namespace

Method method_of(Environment const& run, Record const& record) {
    auto const meaning = semantics_of(run.suite, record);
    if (!meaning)
        return {};
    Record known = record;
    known.semantics = meaning;
    bool const is_of_all = meaning->kind == OperationKind::collective || meaning->kind == OperationKind::barrier ||
                           meaning->kind == OperationKind::by_hand;
    auto method = is_of_all ? method_of_collective(run, known) : method_of_message(run, known, *meaning);
    if (has_root(*meaning) &&
        (is_set(run, "root_shift") || (run.suite == "pmb" && run.options.get<bool>("root_shift") == nullptr)))
        method.root = "root changes with each call";
    if (has_cold_caches(run))
        method.caches = "cold caches";
    return method;
}

std::string method_text(Method const& method) {
    std::vector<std::string> parts{method.start, method.processes, method.way, method.root, method.caches};
    std::erase(parts, std::string{});
    return parts.empty() ? "method not known" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string differing_methods(std::span<Method const> methods) {
    std::vector<std::string> parts;
    add_choice(parts, methods, "not known", [](Method const& method) -> std::string const& { return method.start; });
    add_choice(parts, methods, "not known",
               [](Method const& method) -> std::string const& { return method.processes; });
    add_choice(parts, methods, "not known", [](Method const& method) -> std::string const& { return method.way; });
    add_choice(parts, methods, "one root", [](Method const& method) -> std::string const& { return method.root; });
    add_choice(parts, methods, "warm caches", [](Method const& method) -> std::string const& { return method.caches; });
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace measure
