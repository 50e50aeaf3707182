// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/core/text.hpp"
#include "report/report.hpp"
#include "shared/summaries.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace measure::tool {

namespace {

using measure::PointStatus;
using measure::Record;

struct Meaning {
    std::string_view flag;
    std::string_view text;
};

constexpr std::array meanings{
    Meaning{"oversubscribed", "more ranks than processing units: times contain waiting for a core"},
    Meaning{"unsynchronised", "the clocks differ and were not synchronised: ranks began at different times"},
    Meaning{"unverified", "the clocks could not be compared after the point: nothing verifies its starts"},
    Meaning{"sync_degraded", "the clocks had drifted further apart than the result tolerates"},
    Meaning{"sync_poor", "the clocks were synchronised worse than before, and nothing verifies them: no number"},
    Meaning{"clocks_disagree", "the clocks differ so much that starts could not be synchronised"},
    Meaning{"unsettled", "page faults or times had not come to rest: times may be too long"},
    Meaning{"trend", "the samples change their level by more than 2 %"},
    Meaning{"unoptimised", "the body was compiled without optimisation: compile with -O2"},
    Meaning{"start_fell_back", "slots lost every sample: measured after barriers, which are left at different times"},
    Meaning{"few_valid", "less than half of the samples are valid"},
    Meaning{"samples_unknown", "nobody knows how many samples the value is made of: it is of a text that does not say"},
    Meaning{"censored", "samples longer than their slot are missing from mean, quantiles and maximum"},
    Meaning{"same_buffers", "buffers stayed where they were: the error does not have what their place changes"},
    Meaning{"near_timer_floor", "the time is less than ten times the cost or the step of the clock"},
    Meaning{"autocorrelated", "successive samples depend on each other: the errors count fewer samples than there are"},
    Meaning{"migrated", "a rank changed its processor while measuring"},
    Meaning{"page_cache", "the data that were read came from memory (the page cache), not from the device"},
    Meaning{"disturbed", "other work has a part in the row: a process lost its core, or few iterations make the mean"},
    Meaning{"no_memory", "the buffers did not fit into memory"},
    Meaning{"shortened", "less was measured than the benchmark's definition asks for"},
    Meaning{"missing_launches", "some starts have no value: the error is that of fewer starts"},
    Meaning{"starts_disagree", "starts differ by more than their spread, or threefold: look at each of them"},
    Meaning{"optional_mode", "a mode outside the benchmark's definition was used: not for comparison"},
    Meaning{"left_open", "the last entry of the region was still open at the end"},
    Meaning{"clock_stepped", "the clock went back during an entry, which does not count"},
    // Of single programs.
    Meaning{"maxrep", "the accuracy asked for was not reached with the samples that were allowed"},
    Meaning{"time-limit", "time ran out before the accuracy asked for was reached"},
    Meaning{"time_limited", "the scheduled time ended before the pattern did"},
    Meaning{"disk_limited", "less was written than the pattern's time allows, for want of room"},
    Meaning{"io_error", "a file operation failed"},
    Meaning{"data_error", "what was read is not what was written"},
    Meaning{"defects", "data arrived changed"},
    Meaning{"unresolved", "too short for the timer"},
    Meaning{"lengthened", "the loop was made longer than the benchmark's definition has it, for the timer's sake"},
};

/// What is said of a point and not against it.
constexpr std::array<std::string_view, 2> harmless{"refined", "checked"};

std::string_view meaning_of(std::string_view flag) {
    auto const found = std::find_if(meanings.begin(), meanings.end(), [&](Meaning const& m) { return m.flag == flag; });
    return found == meanings.end() ? "a mark of the program's own, see its documentation" : found->text;
}

std::string_view meaning_of(int exit_code) {
    return exit_code == 1   ? "it failed while running"
           : exit_code == 2 ? "wrong use, or an environment that cannot serve"
           : exit_code == 3 ? "a check that was asked for failed"
           : exit_code == 4 ? "results are missing or below the quality asked for"
                            : "it was ended by a signal";
}

/// "3 of 40 points"
std::string of_points(std::size_t some, std::size_t all) {
    return fmt::format("{} of {} point{}", some, all, all == 1 ? "" : "s");
}

/// What the end of a run is to be known for; empty where it is complete.
std::string fault_of_end(measure::RunRecord const& record) {
    if (!record.end)
        return fmt::format(
            "there is no end line: the run was killed, or still goes on. Its points are good, others are "
            "missing{}.",
            record.torn ? " (the last line is torn)" : "");
    auto const& end = *record.end;
    if (end.status == "complete" && end.exit_code == 0)
        return {};
    return fmt::format("the run was {}, exit code {}: {}{}{}.", end.status, end.exit_code,
                       end.exit_code == 0 ? "no error" : meaning_of(end.exit_code), end.message.empty() ? "" : ": ",
                       end.message);
}

/// Each text once, with the runs that it is of.
class TextsOfRuns {
public:
    void add(std::string const& text, std::string const& run) {
        auto& names = runs_[text];
        if (names.empty())
            order_.push_back(text);
        if (names.empty() || names.back() != run)
            names.push_back(run);
    }
    /// \param with_names  said before each text
    void write_to(std::vector<std::string>& texts, bool with_names) const {
        for (auto const& text : order_)
            texts.push_back(with_names ? fmt::format("{}: {}", short_list(runs_.at(text)), text) : text);
    }

private:
    std::vector<std::string> order_{};
    std::map<std::string, std::vector<std::string>> runs_{};
};

void add_ends(std::span<Series const> series, std::vector<std::string>& texts) {
    TextsOfRuns ends;
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            if (auto const text = fault_of_end(launch->record); !text.empty())
                ends.add(text, launch->name);
    ends.write_to(texts, true);
}

/// What became of points without a value: how many, and why.
struct Missing {
    std::size_t count = 0;
    std::vector<std::string> reasons{};  ///< each once
};

std::string text_of(PointStatus status, Missing const& missing) {
    constexpr std::size_t most = 2;
    auto const shown = std::span{missing.reasons}.first(std::min(missing.reasons.size(), most));
    return fmt::format(
        "{} {}{}{}{}", missing.count, measure::name(status), shown.empty() ? "" : " (", fmt::join(shown, "; "),
        shown.empty()                   ? ""
        : missing.reasons.size() > most ? fmt::format("; and {} more reasons)", missing.reasons.size() - most)
                                        : ")");
}

bool has_error(Record const& record) {
    auto const own = measure::estimate_to_show(record);
    return own && (own->interval || own->standard_error);
}

/// Points without a value, or without an error; and those whose limit struck first.
void add_verdicts(std::span<Series const> series, std::vector<std::string>& texts) {
    std::size_t all = 0;
    std::size_t without = 0;
    std::size_t exhausted = 0;
    std::size_t without_error = 0;
    std::map<PointStatus, Missing> why;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            ++all;
            exhausted += record.status == PointStatus::exhausted ? 1U : 0U;
            if (record.value) {
                without_error += has_error(record) ? 0U : 1U;
                continue;
            }
            ++without;
            auto& missing = why[record.status];
            ++missing.count;
            if (!record.message.empty())
                detail::add_once(missing.reasons, record.message);
        }
    if (all == 0)
        texts.emplace_back("There is no point in these records.");
    if (without > 0) {
        std::vector<std::string> parts;
        for (auto const& [status, missing] : why)
            parts.push_back(text_of(status, missing));
        texts.push_back(fmt::format("{} {} no value: {}.", of_points(without, all), without == 1 ? "has" : "have",
                                    fmt::join(parts, "; ")));
    }
    if (without_error > 0)
        texts.push_back(
            fmt::format("{} {} no error: of one sample, or one loop, it is not known how far it is off. Several "
                        "starts, joined, give one.",
                        of_points(without_error, all), without_error == 1 ? "has" : "have"));
    if (exhausted > 0)
        texts.push_back(
            fmt::format("{} {} exhausted: a limit of time or samples struck before the quality asked for was "
                        "reached; the error is larger than wished.",
                        of_points(exhausted, all), exhausted == 1 ? "is" : "are"));
}

void add_flags(std::span<Series const> series, std::vector<std::string>& texts) {
    std::size_t all = 0;
    std::map<std::string, std::size_t> counts;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            ++all;
            for (auto const& flag : std::set<std::string>(record.flags.begin(), record.flags.end()))
                if (std::find(harmless.begin(), harmless.end(), flag) == harmless.end())
                    ++counts[flag];
        }
    for (auto const& [flag, count] : counts)
        texts.push_back(fmt::format("{} {} the flag {}: {}.", of_points(count, all), count == 1 ? "has" : "have", flag,
                                    meaning_of(flag)));
}

void add_void_samples(std::span<Series const> series, std::vector<std::string>& texts) {
    measure::InvalidCounts sum;
    std::int64_t attempts = 0;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            attempts += record.attempts;
            sum += record.invalid;
        }
    if (sum.total() > 0 && attempts > 0)
        texts.push_back(
            fmt::format("{} of {} samples were invalid and are in no number: {}.", sum.total(), attempts, text(sum)));
}

/// "not valid, QUICK": what a program says against a number of a whole run.
std::string summary_marks(measure::Summary const& summary) {
    std::vector<std::string> marks;
    if (is_invalid(summary))
        marks.emplace_back("not valid");
    if (auto const* const list = summary.derived.get<measure::Value::Array>("marks"))
        for (auto const& entry : *list)
            if (auto const* const text = std::get_if<std::string>(&entry.data()))
                marks.push_back(*text);
    return fmt::format("{}", fmt::join(marks, ", "));
}

void add_marked_summaries(std::span<Series const> series, std::vector<std::string>& texts) {
    for (auto const& one : series)
        for (auto const* const launch : one.launches) {
            std::set<std::string> marked;
            for (auto const& summary : launch->record.summaries)
                if (auto const marks = summary_marks(summary); !marks.empty())
                    marked.insert(fmt::format("{} ({})", summary.name, marks));
            if (!marked.empty())
                texts.push_back(fmt::format("{}: {} marks results of the whole run: {}.", launch->name,
                                            launch->record.run.program, fmt::join(marked, "; ")));
        }
}

/// What runs warned of themselves.
void add_texts_of_runs(std::span<Series const> series, std::vector<std::string>& texts) {
    TextsOfRuns warnings;
    for (auto const& one : series)
        for (auto const* const launch : one.launches) {
            auto const& run = launch->record.run;
            for (auto const& text : run.warnings)
                warnings.add(text, one.label);
            if (run.clock_sync)
                for (auto const& text : run.clock_sync->warnings())
                    warnings.add(text, one.label);
            if (run.oversubscribed)
                warnings.add("there were more ranks than processing units: times contain waiting for a core",
                             one.label);
        }
    warnings.write_to(texts, series.size() > 1);
}

void add_differences(std::span<Series const> series, std::vector<std::string>& texts) {
    if (auto const names = differing_names(series); !names.empty())
        texts.push_back(fmt::format("The runs differ in {}, and may differ in their numbers for that reason: see "
                                    "Environment.",
                                    short_list(names)));
}

void add_states(std::span<Series const> series, std::vector<std::string>& texts) {
    for (auto const& one : series)
        if (!one.states.empty())
            texts.push_back(fmt::format("{}: the machine was in several states: {}. Values are for the first.",
                                        one.label, one.states));
}

}  // namespace

page::Section warnings_section(std::span<Series const> series, std::span<std::string const> notices) {
    page::Section section{.title = "Warnings"};
    std::vector<std::string> texts(notices.begin(), notices.end());
    add_ends(series, texts);
    add_differences(series, texts);
    add_states(series, texts);
    add_texts_of_runs(series, texts);
    add_marked_summaries(series, texts);
    add_verdicts(series, texts);
    add_flags(series, texts);
    add_void_samples(series, texts);
    if (texts.empty())
        section.elements.emplace_back(page::Paragraph{"None: all runs are complete, and no point is marked."});
    else
        section.elements.emplace_back(page::List{std::move(texts), true});
    return section;
}

}  // namespace measure::tool
