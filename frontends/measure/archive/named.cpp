// SPDX-License-Identifier: BSD-3-Clause
#include "archive/named.hpp"

#include "analysis/runs/unknown.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>
#include <measure/read.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace measure::tool::archive {

namespace {

constexpr std::string_view newest_word = "last";
constexpr std::size_t most_names = 5;

/// 0 for "last", 2 for "last~2"; nullopt for any other word.
std::optional<std::size_t> series_back(std::string_view word) {
    if (!word.starts_with(newest_word))
        return std::nullopt;
    word.remove_prefix(newest_word.size());
    if (word.empty())
        return 0;
    return word.front() == '~' ? program::number_from<std::size_t>(word.substr(1)) : std::nullopt;
}

/// The runs of one campaign share this name. A run without a campaign has its own.
std::string series_name(Archive const& archive, RunEntry const& run) {
    auto const record = measure::read_records(archive.content(run)).front();
    return record.run.campaign ? "campaign " + record.run.campaign->id : run.hash;
}

/// The runs of the campaign (or the single run) that is `back` places before the newest.
std::vector<RunEntry> series_at(Archive const& archive, std::vector<RunEntry> const& runs, std::size_t back) {
    std::vector<std::string> names;
    std::vector<RunEntry> found;
    for (std::size_t i = runs.size(); i-- > 0;) {
        auto const name = series_name(archive, runs[i]);
        program::add_once(names, name);
        if (names.size() > back && name == names[back])
            found.insert(found.begin(), runs[i]);
    }
    return found;
}

template <class Is>
std::vector<RunEntry> those(std::vector<RunEntry> const& runs, Is is) {
    std::vector<RunEntry> some;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(some), is);
    return some;
}

bool is_time(std::string_view word) {
    return word.size() >= 4 && word.substr(0, 4).find_first_not_of("0123456789") == std::string_view::npos &&
           word.find_first_not_of("0123456789-:TZ") == std::string_view::npos;
}

std::string date_of(RunEntry const& run) { return or_unknown(run.started.substr(0, 10)); }

/// A list of the archive's runs, newest first, for error messages.
std::string names_in(Archive const& archive, std::vector<RunEntry> const& runs, std::string const& word) {
    std::vector<std::string> names;
    for (std::size_t i = runs.size(); i-- > 0;)
        program::add_once(names, runs[i].label.empty() ? runs[i].id() : runs[i].label);
    if (names.empty())
        return fmt::format("'{}' has no runs", archive.path());
    auto const near = program::closest(word, names);
    auto const more = names.size() - std::min(names.size(), most_names);
    names.resize(names.size() - more);
    return fmt::format("'{}' contains {}{}{}", archive.path(), fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more, the last from {}", more, date_of(runs.back()))
                                : fmt::format(", the last from {}", date_of(runs.back())),
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

}  // namespace

std::vector<RunEntry> runs_named(Archive const& archive, std::string const& word) {
    auto const runs = archive.runs();
    auto found = those(runs, [&](RunEntry const& run) { return !word.empty() && run.label == word; });
    auto const back = series_back(word);
    if (found.empty() && back)
        found = series_at(archive, runs, *back);
    if (found.empty() && is_time(word))
        found = those(runs, [&](RunEntry const& run) { return run.started.starts_with(word); });
    bool const is_id = std::any_of(runs.begin(), runs.end(),
                                   [&](RunEntry const& run) { return run.hash.starts_with(program::lower(word)); });
    if (found.empty() && is_id && !word.empty())
        found.push_back(archive.find(word));
    if (found.empty())
        throw measure::UsageError(
            fmt::format("no run matches '{}' ({}): {}", word, named_help, names_in(archive, runs, word)));
    return found;
}

std::string contents(Archive const& archive, std::vector<RunEntry> const& runs) {
    std::string text;
    for (auto const& run : runs) {
        if (!text.empty() && !text.ends_with('\n'))
            throw measure::UsageError("a record ends in the middle of a line; name its run alone or last");
        text += archive.content(run);
    }
    return text;
}

}  // namespace measure::tool::archive
