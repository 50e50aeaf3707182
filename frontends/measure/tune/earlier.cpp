// SPDX-License-Identifier: BSD-3-Clause
#include "tune/earlier.hpp"

#include "launching/folder.hpp"
#include "program/runtime/files.hpp"
#include "tune/library/settings.hpp"

#include <measure/error.hpp>
#include <measure/read.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace measure::tool::tune {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_or_none(Json const& value) { return value.is_string() ? value.get<std::string>() : std::string{}; }

/// \throws std::range_error if the value is not a whole number in the range of T
template <class T>
T whole_number(Json const& value) {
    bool const fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.get<std::uint64_t>())
                          : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    if (!fits)
        throw std::range_error("not a whole number");
    return value.get<T>();
}

TunedSegment segment_from(Json const& row) {
    TunedSegment one{.place = {row.at("collective").get<std::string>(), whole_number<int>(row.at("ranks"))}};
    one.segment.low = whole_number<measure::Bytes>(row.at("low"));
    one.segment.high = whole_number<measure::Bytes>(row.at("high"));
    for (auto const& size : row.at("sizes").get<std::vector<Json>>())
        one.segment.sizes.push_back(whole_number<measure::Bytes>(size));
    one.choice.algorithm = text_or_none(row.at("chosen"));
    one.choice.reason = text_or_none(row.at("kept_default_because"));
    return one;
}

/// Parses the document and calls `look` with it. A missing or wrong member is reported as an error of the document.
template <class Look>
void look_into(std::string_view document, std::string const& file, Look look) {
    if (auto const excess = measure::json_excess(document); !excess.empty())
        throw measure::UsageError(fmt::format("'{}' {}", file, excess));
    auto const is_other = fmt::format("'{}' is not a document of measure tune", file);
    try {
        auto const all = Json::parse(document);
        if (all.at("document") != "tuning")
            throw measure::UsageError(is_other);
        look(all);
    } catch (Json::exception const&) {
        throw measure::UsageError(is_other);
    } catch (std::range_error const&) {
        throw measure::UsageError(is_other);
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
        earlier.ranks = whole_number<int>(all.at("ranks"));
        for (auto const& one : all.value("files", Json::array()))
            if (one.at("name") == fs::path{earlier.file}.filename().string())
                earlier.sha256 = text_or_none(one.at("sha256"));
        earlier.no_han = all.value("no_han", false);
    });
    if (rules_of(earlier.segments).empty())
        throw measure::UsageError(fmt::format("'{}' has no segment with a chosen algorithm", document));
    for (auto const& launch : launches_in(path(launches_file)))
        for (auto const& point : launch.record.points)
            if (auto const time = screened_time(point))
                earlier.screened[place_of(point)].push_back(*time);
    return earlier;
}

}  // namespace measure::tool::tune
