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
    Meaning{"oversubscribed", "more ranks than processing units: times include waiting for a core"},
    Meaning{"unsynchronised", "the clocks differ and were not synchronised: ranks started at different times"},
    Meaning{"unverified", "the clocks could not be compared after the point: simultaneous starts are not verified"},
    Meaning{"sync_degraded", "the clocks had drifted further apart than the result tolerates"},
    Meaning{"sync_poor",
            "the clocks were synchronised less accurately than before and could not be verified: no value"},
    Meaning{"clocks_disagree", "the clocks differ too much to synchronise the starts"},
    Meaning{"unsettled", "page faults or times had not settled: times may be too long"},
    Meaning{"trend", "the level of the samples changes by more than 2 %"},
    Meaning{"unoptimised", "the body was compiled without optimisation: compile with -O2"},
    Meaning{"start_fell_back",
            "slots gave no valid sample: measured after barriers, which ranks leave at different times"},
    Meaning{"few_valid", "less than half of the samples are valid"},
    Meaning{"samples_unknown", "the number of samples is unknown: the value comes from a text that does not state it"},
    Meaning{"censored", "samples longer than their slot are missing from mean, quantiles and maximum"},
    Meaning{"same_buffers",
            "all samples used the same buffers: the error does not include the effect of their location"},
    Meaning{"near_timer_floor", "the time is less than ten times the cost of a clock reading or the clock's step"},
    Meaning{"autocorrelated",
            "successive samples are correlated: errors are computed for a smaller number of independent samples"},
    Meaning{"migrated", "a rank moved to another processor while measuring"},
    Meaning{"page_cache", "the data were read from memory (the page cache), not from the device"},
    Meaning{"disturbed", "other work affects the row: a process lost its core, or the mean comes from few iterations"},
    Meaning{"no_memory", "the buffers did not fit into memory"},
    Meaning{"shortened", "less was measured than the benchmark's definition requires"},
    Meaning{"missing_launches", "some launches have no value: the error comes from fewer launches"},
    Meaning{"launches_disagree", "launches differ by more than their spread, or threefold: look at each of them"},
    Meaning{"optional_mode", "a mode outside the benchmark's definition was used: do not compare"},
    Meaning{"left_open", "the last entry of the region was still open at the end"},
    Meaning{"clock_stepped", "the clock went back during an entry, which was discarded"},
    // Flags of individual programs.
    Meaning{"maxrep", "the requested accuracy was not reached with the permitted number of samples"},
    Meaning{"time-limit", "time ran out before the requested accuracy was reached"},
    Meaning{"time_limited", "the scheduled time ended before the pattern was complete"},
    Meaning{"disk_limited", "less was written than the pattern's time allows because the disk lacks space"},
    Meaning{"io_error", "a file operation failed"},
    Meaning{"data_error", "the data read differ from the data written"},
    Meaning{"defects", "received data were wrong"},
    Meaning{"unresolved", "too short for the timer"},
    Meaning{"lengthened", "the loop is longer than the benchmark defines, because the timer is too coarse"},
};

/// Flags that are not warnings.
constexpr std::array<std::string_view, 2> harmless{"refined", "checked"};

std::string_view meaning_of(std::string_view flag) {
    auto const found = std::find_if(meanings.begin(), meanings.end(), [&](Meaning const& m) { return m.flag == flag; });
    return found == meanings.end() ? "a flag of the program; see its documentation" : found->text;
}

std::string_view meaning_of(int exit_code) {
    return exit_code == 1   ? "it failed while running"
           : exit_code == 2 ? "wrong usage, or an unsuitable environment"
           : exit_code == 3 ? "a requested check failed"
           : exit_code == 4 ? "results are missing or below the requested quality"
                            : "it was terminated by a signal";
}

/// "3 of 40 points"
std::string of_points(std::size_t some, std::size_t all) {
    return fmt::format("{} of {} point{}", some, all, all == 1 ? "" : "s");
}

/// A description of a run's incomplete end; empty if the run is complete.
std::string fault_of_end(measure::RunRecord const& record) {
    if (!record.end)
        return fmt::format(
            "there is no end line: the run was killed or is still running. Its points are good; others are missing{}.",
            record.torn ? " (the last line is cut off)" : "");
    auto const& end = *record.end;
    if (end.status == "complete" && end.exit_code == 0)
        return {};
    return fmt::format("the run was {}, exit code {}: {}{}{}.", end.status, end.exit_code,
                       end.exit_code == 0 ? "no error" : meaning_of(end.exit_code), end.message.empty() ? "" : ": ",
                       end.message);
}

/// Each distinct text with the runs that it applies to.
class TextsOfRuns {
public:
    void add(std::string const& text, std::string const& run) {
        auto& names = runs_[text];
        if (names.empty())
            order_.push_back(text);
        if (names.empty() || names.back() != run)
            names.push_back(run);
    }
    /// \param with_names  whether the names of the runs precede each text
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

/// Points without a value: their number and the reasons.
struct Missing {
    std::size_t count = 0;
    std::vector<std::string> reasons{};  ///< distinct reasons
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

/// Warns about points without a value or without an error, and about points that reached a limit first.
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
        texts.emplace_back("These records have no points.");
    if (without > 0) {
        std::vector<std::string> parts;
        for (auto const& [status, missing] : why)
            parts.push_back(text_of(status, missing));
        texts.push_back(fmt::format("{} {} no value: {}.", of_points(without, all), without == 1 ? "has" : "have",
                                    fmt::join(parts, "; ")));
    }
    if (without_error > 0)
        texts.push_back(fmt::format("{} {} no error: the uncertainty of a single sample or loop is unknown. Join "
                                    "several launches to get an error.",
                                    of_points(without_error, all), without_error == 1 ? "has" : "have"));
    if (exhausted > 0)
        texts.push_back(fmt::format("{} {} exhausted: a limit of time or samples was reached before the requested "
                                    "quality; the error is larger than requested.",
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
        texts.push_back(fmt::format("{} of {} samples were invalid and do not enter any result: {}.", sum.total(),
                                    attempts, text(sum)));
}

/// "not valid, QUICK": the program's reservations about a result of a whole run.
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

/// Warnings that the runs recorded.
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
                warnings.add("there were more ranks than processing units: times include waiting for a core",
                             one.label);
        }
    warnings.write_to(texts, series.size() > 1);
}

void add_differences(std::span<Series const> series, std::vector<std::string>& texts) {
    if (auto const names = differing_names(series); !names.empty())
        texts.push_back(
            fmt::format("The runs differ in {}, which may cause differences in their results: see Environment.",
                        short_list(names)));
}

void add_states(std::span<Series const> series, std::vector<std::string>& texts) {
    for (auto const& one : series)
        if (!one.states.empty())
            texts.push_back(
                fmt::format("{}: the machine was in several states: {}. The values are for the first state.", one.label,
                            one.states));
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
        section.elements.emplace_back(
            page::Paragraph{"None: all runs are complete, and no point has a flag that limits it."});
    else
        section.elements.emplace_back(page::List{std::move(texts), true});
    return section;
}

}  // namespace measure::tool
