// SPDX-License-Identifier: BSD-3-Clause
#include "tune/earlier.hpp"

#include "program/runtime/files.hpp"
#include "run/folder.hpp"
#include "tune/library/settings.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace measure_tool::tune {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_or_none(Json const& value) { return value.is_string() ? value.get<std::string>() : std::string{}; }

TunedSegment segment_from(Json const& row) {
    TunedSegment one{.place = {row.at("collective").get<std::string>(), row.at("ranks").get<int>()}};
    one.segment.low = row.at("low").get<measure::Bytes>();
    one.segment.high = row.at("high").get<measure::Bytes>();
    one.segment.sizes = row.at("sizes").get<std::vector<measure::Bytes>>();
    one.choice.algorithm = text_or_none(row.at("chosen"));
    one.choice.reason = text_or_none(row.at("kept_default_because"));
    return one;
}

/// Parsed, and looked at; what a document lacks is a fault of it.
template <class Look>
void look_into(std::string_view document, std::string const& file, Look look) {
    try {
        auto const all = Json::parse(document);
        if (all.at("document") != "tuning")
            throw measure::UsageError(fmt::format("'{}' is no document of measure tune", file));
        look(all);
    } catch (Json::exception const&) {
        throw measure::UsageError(fmt::format("'{}' is no document of measure tune", file));
    }
}

}  // namespace

std::vector<TunedSegment> segments_in(std::string_view document, std::string const& file) {
    std::vector<TunedSegment> segments;
    look_into(document, file, [&](Json const& all) {
        for (auto const& row : all.at("segments"))
            segments.push_back(segment_from(row));
    });
    return segments;
}

EarlierTuning earlier_tuning(std::string const& folder) {
    auto const path = [&](std::string_view name) { return fs::absolute(fs::path{folder} / name).string(); };
    EarlierTuning earlier;
    for (auto const family : {LibraryFamily::mpich, LibraryFamily::open_mpi})
        if (auto const file = path(file_name(family)); fs::is_regular_file(file))
            earlier.file = file;
    if (earlier.file.empty())
        throw measure::UsageError(fmt::format("--prove: '{}' has no file {} or {}", folder,
                                              file_name(LibraryFamily::mpich), file_name(LibraryFamily::open_mpi)));
    earlier.text = program::file_text(earlier.file);
    auto const document = path("tuning.json");
    auto const text = program::file_text(document);
    earlier.segments = segments_in(text, document);
    look_into(text, document, [&](Json const& all) {
        earlier.library = all.at("library").get<std::string>();
        earlier.ranks = all.at("ranks").get<int>();
        for (auto const& one : all.value("files", Json::array()))
            if (one.at("name") == fs::path{earlier.file}.filename().string())
                earlier.sha256 = text_or_none(one.at("sha256"));
        earlier.no_han = all.value("no_han", false);
    });
    if (rules_of(earlier.segments).empty())
        throw measure::UsageError(fmt::format("'{}' has no segment for which a file could choose", document));
    for (auto const& launch : runs::starts_in(path("starts.jsonl")))
        for (auto const& point : launch.record.points)
            if (auto const time = screened_time(point))
                earlier.screened[place_of(point)].push_back(*time);
    return earlier;
}

}  // namespace measure_tool::tune
