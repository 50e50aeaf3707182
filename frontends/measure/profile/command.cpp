// SPDX-License-Identifier: BSD-3-Clause
/// `measure profile`: which MPI calls an application spends its time in, and what those calls cost in isolation.
#include "shared/command.hpp"

#include "page/html.hpp"
#include "profile/parts.hpp"
#include "profile/profile.hpp"
#include "profile/recorded_launch.hpp"
#include "profile/report.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"
#include "shared/sources.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace measure::tool {

namespace {

using measure::UsageError;

struct ProfileOptions {
    ProfileOrder order{};
    std::vector<std::string> against{};
    bool mixed = false;
    bool library = false;
    int top = 10;
    std::string page{};
    std::vector<std::string> words{};
    std::string profile{};  ///< record to show; empty if there is a command to start
};

bool is_record_file(std::string const& word) {
    std::error_code none;
    auto const status = std::filesystem::status(word, none);
    bool const is_program = (status.permissions() & std::filesystem::perms::owner_exec) != std::filesystem::perms::none;
    return std::filesystem::is_regular_file(status) && !is_program;
}

/// Splits the words into records and a command after "--", or into records, the last of which is shown. Pure.
/// \param is_file  whether a word is the path of a file that is not a program
void sort_out(ProfileOptions& options, std::function<bool(std::string const&)> const& is_file) {
    auto const& words = options.words;
    auto const is_record = [&](std::string const& word) {
        return word == "-" || word.ends_with(".jsonl") || is_file(word);
    };
    auto const middle = std::find(words.begin(), words.end(), "--");
    bool const is_shown = middle == words.end() && !words.empty() && std::all_of(words.begin(), words.end(), is_record);
    auto const add = [&](auto begin, auto end) { options.against.insert(options.against.end(), begin, end); };
    if (is_shown) {
        options.profile = words.back();
        add(words.begin(), std::prev(words.end()));
    } else if (middle != words.end() && std::all_of(words.begin(), middle, is_record)) {
        add(words.begin(), middle);
        options.order.command.assign(std::next(middle), words.end());
    } else if (!words.empty() && is_record(words.front())) {
        throw UsageError(
            fmt::format("'{}' is a record; put options before it and only records after it", words.front()));
    } else {
        options.order.command = words;
    }
    if (options.profile.empty() && options.order.command.empty())
        throw UsageError(
            "no command and no profile; use measure profile -- mpiexec -n 2 ./app or measure profile profile.jsonl");
    if (options.order.json == "-")
        throw UsageError("--json: the record needs a file, because stdout belongs to the application");
    if (options.mixed && options.against.empty())
        throw UsageError("--mixed needs --against");
}

std::vector<Launch> launches_of_files(std::vector<std::string> const& files, program::Session& session) {
    std::vector<Launch> launches;
    if (files.empty())
        return launches;
    for (auto& source : read_sources(files, session))
        for (auto& launch : source.launches)
            launches.push_back(std::move(launch));
    return launches;
}

/// Converts addr2line's "exchange at halo.c:42 (discriminator 3)" to "halo.c:42 exchange", as far as both parts are
/// known.
std::string site_text(std::string line) {
    constexpr std::string_view between = " at ";
    // The discriminator distinguishes several blocks on one line.
    if (auto const block = line.rfind(" (discriminator "); block != std::string::npos)
        line.erase(block);
    auto const at = line.rfind(between);
    if (at == std::string::npos)
        return line;
    auto const function = line.substr(0, at);
    auto const place = line.substr(at + between.size());
    return place.starts_with('?') ? function : place + " " + function;
}

/// Source lines, found with addr2line, for the call sites of the keys that are shown.
std::map<std::string, std::string> resolved(Profile const& profile, std::size_t top) {
    std::map<std::string, std::string> sites;
    bool const has_sites = std::any_of(profile.costs.begin(), profile.costs.end(),
                                       [](CallCost const& cost) { return !cost.site.empty(); });
    if (!has_sites || !program::has_program("addr2line"))
        return sites;
    std::optional<program::TemporaryFolder> folder;
    try {
        folder.emplace("measure-profile");
    } catch (std::exception const&) {
        return sites;  // The report then shows addresses.
    }
    program::TemporaryFile const log{folder->file("addr2line.log")};
    for (std::size_t i = 0; i < std::min(top, profile.costs.size()); ++i) {
        auto const& site = profile.costs[i].site;
        auto const plus = site.rfind("+0x");
        if (plus == std::string::npos || site.starts_with('?') || sites.contains(site))
            continue;
        // The call is before its return address.
        auto const address = std::strtoull(site.c_str() + plus + 1, nullptr, 16) - 1;
        std::filesystem::remove(log.path());
        int const code = program::run_child({.command = {"addr2line", "-C", "-f", "-s", "-p", "-e",
                                                         site.substr(0, plus), fmt::format("{:#x}", address)},
                                             .log = log.path()});
        std::ifstream lines{log.path()};
        std::string line;
        if (code == 0 && std::getline(lines, line) && !line.starts_with("??"))
            sites.emplace(site, printable(site_text(line)));
    }
    return sites;
}

/// Violated guidelines at points for which the application makes such calls.
std::vector<GuidelineCheck> violated_here(Profile const& profile, std::span<Launch const> launches) {
    std::vector<GuidelineCheck> result;
    constexpr double near = 2;
    for (auto const& check : check_guidelines(operation_points(launches), {}).checks) {
        bool const is_met = std::any_of(profile.costs.begin(), profile.costs.end(), [&](CallCost const& cost) {
            auto const bytes = static_cast<double>(check.left.bytes);
            return cost.call == check.left.operation && cost.ranks == check.left.ranks && cost.size &&
                   *cost.size < near * bytes && bytes < near * *cost.size;
        });
        if (check.verdict == GuidelineVerdict::violated && is_met)
            result.push_back(check);
    }
    return result;
}

/// \throws measure::UsageError if records come from another machine
void check_elsewhere(Profile const& profile, std::span<Launch const> launches, ProfileOptions const& options,
                     program::Session& session) {
    for (auto const& launch : launches)
        if (auto const why = why_elsewhere(profile.run, launch.record.run); !why.empty()) {
            auto const text = fmt::format("--against: '{}' comes from another machine: {}", launch.name, why);
            if (!options.mixed)
                throw UsageError(text + " (use --mixed to accept it)");
            session.warn(text);
        }
}

void show(std::vector<Launch> const& profiles, ProfileOptions const& options, std::optional<Destination> page,
          program::Session& session) {
    auto const against = launches_of_files(options.against, session);
    warn_of_gaps(against, session);
    MeasuredCosts const measured{against};
    std::string pages;
    for (auto const& launch : profiles) {
        ProfileReport report{.profile = profile_of(launch), .top = static_cast<std::size_t>(options.top)};
        auto const& profile = report.profile;
        check_elsewhere(profile, against, options, session);
        if (!against.empty() && profile.counts_only)
            session.warn("--against: the profile has only counts, so there are no times to compare");
        else if (!against.empty()) {
            for (auto const& cost : profile.costs)
                report.judged.push_back(judged(cost, measured));
            report.violated = violated_here(profile, against);
        }
        report.sites = resolved(profile, report.top);
        session.text() << plain_text(profile_document(report), {.columns = 80, .colour = shows_colour(STDOUT_FILENO)});
        if (!profile.missing.empty())
            session.incomplete();
        if (page && pages.empty())
            pages = page::html_text(profile_page(report));
    }
    if (page)
        page->write(pages, session.text());
}

/// The runs of a record, and runs whose ranks left parts next to it.
std::vector<Launch> profiles_in(std::string const& file, program::Session& session) {
    auto const parts = file == "-" ? std::vector<std::string>{} : part_files({}, file);
    std::vector<Launch> launches;
    if (parts.empty() || std::filesystem::exists(file))
        launches = launches_of_files({file}, session);
    std::vector<std::string> problems;
    auto const text = record_of_parts(parts, 0, problems);
    for (auto& problem : problems)
        session.warn(std::move(problem));
    if (!text.empty())
        for (auto& launch : launches_of(text, file))
            launches.push_back(std::move(launch));
    if (launches.empty())
        throw UsageError(fmt::format("'{}' has no readable runs", file));
    return launches;
}

void run_profile(ProfileOptions& options, program::Session& session) {
    if (options.library) {
        session.text() << profile_library() << '\n';
        return;
    }
    sort_out(options, is_record_file);
    std::optional<Destination> page;
    if (!options.page.empty())
        page.emplace("-o", options.page, session);
    if (!options.profile.empty()) {
        auto const profiles = profiles_in(options.profile, session);
        for (auto const& launch : profiles)
            static_cast<void>(profile_of(launch));
        show(profiles, options, std::move(page), session);
        return;
    }
    // Read the records first, so that errors are reported before the application runs for a day.
    static_cast<void>(launches_of_files(options.against, session));
    auto const text = launch_profiled(options.order, session);
    if (!text.empty())
        show(launches_of(text, options.order.json), options, std::move(page), session);
}

void check_profile(ProfileOptions options, program::CommonOptions const&, program::Supposed const& supposed) {
    if (!options.library)
        sort_out(options, [&](std::string const& word) { return program::has_file(supposed, word); });
}

void declare_profile(program::Parser& parser, ProfileOptions& options) {
    using namespace program::as;
    parser.option("--json", "FILE", "write the record to FILE, replacing an older file", options.order.json, Text{});
    parser.list("--against", "RECORD",
                "compare with the cost of the calls in isolation, from a record of measure run or mpiperf; further "
                "RECORDs may follow, before PROFILE or --",
                options.against, Text{});
    parser.flag("--mixed", "with --against: also accept records from another machine", options.mixed);
    parser.flag("--counts-only", "count only calls and bytes, without reading clocks", options.order.counts_only);
    parser.flag("--sites", "distinguish calls by their call site", options.order.sites);
    parser.flag("--waiting",
                "put a barrier before each blocking collective to separate waiting from the operation itself; this "
                "changes the run",
                options.order.waiting);
    parser.option("--timer", "NAME", "choose the clock: monotonic or tsc", options.order.timer,
                  Name{{"monotonic", "tsc"}});
    parser.option("--top", "N",
                  "show the N most expensive keys; a key is a call with a size class and a number of ranks",
                  options.top, Int{.low = 1});
    parser.flag("--library", "print the path of the library to preload, for launching by hand", options.library);
    parser.option("-o,--output", "PAGE", "also write an HTML page, with a matrix of calls and sizes", options.page,
                  Text{});
    parser.command("COMMAND... | PROFILE", "command to start, including mpiexec, after --; or a record to show",
                   options.words);
}

}  // namespace

program::Suite profile_command() {
    auto suite = local_suite("measure profile",
                             "Records in which MPI calls an application spends its time: 'measure profile -- mpiexec "
                             "-n 64 ./app'. Or shows such a record: 'measure profile profile.jsonl'. With --against, "
                             "compares the calls with their cost in isolation.",
                             program::prepared<ProfileOptions>(declare_profile, run_profile, check_profile));
    // There is no watchdog, because an application may take any amount of time.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure::tool
