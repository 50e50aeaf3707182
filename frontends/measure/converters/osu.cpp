// SPDX-License-Identifier: BSD-3-Clause
#include "converters/formats.hpp"
#include "osu/catalogue.hpp"
#include "osu/table.hpp"
#include "program/cli/values.hpp"

#include <measure/not_known.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace measure::tool::convert {

namespace {

using measure::Record;

constexpr std::string_view title_mark = "# OSU MPI";
constexpr std::string_view remark_mark = "#+ ";

/// The rest of `text` after `begin`; nullopt if the text begins differently.
std::optional<std::string_view> behind(std::string_view begin, std::string_view text) {
    return text.starts_with(begin) ? std::optional{program::trimmed(text.substr(begin.size()))} : std::nullopt;
}

/// A table of one program. The lines of its head are before and after the title.
struct OsuTable {
    int line = 1;
    osu::Row const* row = nullptr;
    std::string title{};    ///< "OSU MPI Broadcast Latency Test v7.4"
    std::string version{};  ///< version of the program; the version of the layout in originals
    std::string device{};   ///< device that has the buffers: "cuda"; empty for host memory
    osu::Options options{};
    osu::Block block{};
    std::string type{};  ///< name of a type in the table that osu:: does not know
    std::optional<int> pairs{};
    std::vector<std::string> assumed{};  ///< coordinates that the text does not state
    std::vector<std::string> columns{};
    std::vector<Record> points{};
};

/// Headings contain single spaces. A heading ends after a bracket or before two spaces.
std::vector<std::string> headings(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    std::vector<std::string> result;
    while (!line.empty()) {
        auto const bracket = line.find(')');
        auto const blanks = line.find("  ");
        auto const end = std::min({bracket == std::string_view::npos ? bracket : bracket + 1, blanks, line.size()});
        result.emplace_back(line.substr(0, end));
        line = program::trimmed(line.substr(end));
    }
    return result;
}

bool is_heading(std::string_view line) {
    return line.starts_with("# Size") || line.starts_with("# Avg Latency(us)") || line.starts_with("# Overall(us)") ||
           line.starts_with("# Latency (us)") || line.starts_with("Overall(us)");
}

/// The number in "P99 Tail Lat(us)".
std::optional<std::string> percentile(std::string const& heading) {
    auto const end = heading.find(" Tail ");
    return heading.starts_with('P') && end != std::string::npos ? std::optional{heading.substr(1, end - 1)}
                                                                : std::nullopt;
}

/// Converts the rows of a table to points.
class OsuRowReader {
public:
    OsuRowReader(OsuTable const& table, int ranks, Text const& text) : t_{table}, ranks_{ranks}, text_{text} {}

    [[nodiscard]] Record operator()(Line const& line) const {
        auto words = words_of(line.text);
        if (words.size() != t_.columns.size())
            refuse(text_, line.number,
                   fmt::format("this row has {} words but its table has {} columns", words.size(), t_.columns.size()));
        Record record{.benchmark = t_.row->name, .semantics = osu::semantics(*t_.row, t_.options.sync_name(*t_.row))};
        record.quantity = t_.row->is(osu::bandwidth) ? measure::Quantity::bandwidth : measure::Quantity::time;
        std::optional<double> low;
        std::optional<double> high;
        std::optional<std::int64_t> bytes;
        for (std::size_t i = 0; i < words.size(); ++i) {
            auto const& heading = t_.columns[i];
            if (heading == "Validation") {
                bool const passed = program::lower(words[i]).starts_with("pass");
                record.derived["validation"] = passed ? "pass" : "fail";
                continue;
            }
            auto const number = number_in(words[i]);
            if (!number || *number < 0)
                refuse(text_, line.number, fmt::format("'{}' is not a valid number", words[i]));
            if (heading == "Size")
                bytes = static_cast<std::int64_t>(*number);
            else if (heading == "Iterations")
                record.attempts = record.valid = record.kept = static_cast<std::int64_t>(*number);
            else if (heading == "Transmit Size")
                record.derived["transmitted"] = *number;
            else if (heading == "Min Latency(us)")
                low = in_unit(*number);
            else if (heading == "Max Latency(us)")
                high = in_unit(*number);
            else if (auto const p = percentile(heading))
                record.derived["percentiles"][*p] = in_unit(*number);
            else if (!take_derived(record, heading, *number))
                record.value = in_unit(*number);
        }
        record.at = measure::Point{{"ranks", std::int64_t{ranks_}}};
        if (bytes)
            record.at.set("bytes", *bytes);
        else if (t_.row->has_one_size())
            record.at.set("bytes", osu::mpi(t_.block.type).size());
        complete_point(record.at, *t_.row, t_.options, t_.block, t_.pairs.value_or(ranks_ / 2));
        if (!t_.type.empty())
            record.at.set("type", t_.type);
        if (!t_.device.empty())
            record.at.set("buffers", t_.device);
        if (low && high && record.value)
            record.over_ranks = measure::RankSpread{.min = *low, .mean = *record.value, .max = *high};
        if (record.attempts == 0)
            record.flag(measure::samples_unknown);
        finish(record);
        return record;
    }

private:
    [[nodiscard]] double in_unit(double shown) const {
        return t_.row->is(osu::bandwidth) ? shown * measure::mega : shown / 1e6;
    }

    static bool take_derived(Record& record, std::string const& heading, double number) {
        auto const& all = osu::derived_columns;
        auto const found =
            std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.heading == heading; });
        if (found != all.end())
            record.derived[found->key] = number / found->factor;
        return found != all.end();
    }

    /// A time below the precision of the table is not a value. Neither is the time of wrong data.
    static void finish(Record& record) {
        if (record.derived.text("validation") == "fail") {
            record.status = measure::PointStatus::crashed;
            record.message = "received data were wrong";
        } else if (!record.value || *record.value <= 0) {
            record.status = measure::PointStatus::skipped;
            record.message = "the text shows 0.00: the value is below its precision";
        } else {
            return;
        }
        record.value.reset();
        record.over_ranks.reset();
    }

    OsuTable const& t_;
    int ranks_;
    Text const& text_;
};

/// Reads a text line by line.
class OsuReader {
public:
    OsuReader(Text const& text, Given const& given) : text_{text}, given_{given} {}

    [[nodiscard]] std::vector<measure::RunRecord> operator()() {
        for (auto const& line : lines_of(text_.text))
            read(line);
        close();
        if (given_.ranks && !takes_ranks_ && only_ != *given_.ranks)
            refuse(text_, 1, fmt::format("--ranks {}: the text states {} processes", *given_.ranks, only_));
        return std::move(runs_);
    }

private:
    void read(Line const& line) {
        if (line.text.starts_with(title_mark))
            return open(line);
        if (line.text.starts_with("# Time took to create topology") || line.text.starts_with("# Dimensions size"))
            next_has_neighbours_ = true;
        if (auto const sender = behind("# Number of Sender threads:", line.text))
            next_sender_ = number_in(*sender);
        if (auto const receiver = behind("# Number of Receiver threads:", line.text))
            next_receiver_ = number_in(*receiver);
        if (auto const version = behind("#+ libmeasure ", line.text))
            own_version_ = *version;
        if (table_ == nullptr || line.text.empty())
            return;
        if (is_heading(line.text) || (table_->row->is(osu::pairs) && line.text.find("MB/s") != std::string_view::npos))
            table_->columns = headings(line.text);
        else if (line.text.starts_with(remark_mark))
            remark(line);
        else if (line.text.starts_with('#'))
            head(line);
        else
            row(line);
    }

    void open(Line const& line) {
        close();
        open_.emplace();
        table_ = &*open_;
        auto& t = *table_;
        t.line = line.number;
        t.title = std::string{line.text.substr(2)};
        auto const end = t.title.rfind(" Test");
        if (end == std::string::npos)
            refuse(text_, line.number, fmt::format("'{}' does not end in 'Test' and a version", t.title));
        t.version = version_in(t.title.substr(end));
        auto name = t.title.substr(4, end - 4);
        // "MPI-CUDA Latency": the device that has the buffers.
        if (name.starts_with("MPI-")) {
            auto const blank = std::min(name.find(' '), name.size());
            t.device = program::lower(name.substr(4, blank - 4));
            name.erase(3, blank - 3);
        }
        t.row = osu::find_title(name, std::exchange(next_has_neighbours_, false));
        if (t.row == nullptr)
            refuse(text_, line.number, fmt::format("no known program has the test '{}'", name));
        if (t.row->is_startup())
            refuse(text_, line.number, fmt::format("the output of osu_{} has no table to convert", t.row->name));
        if (t.row->pattern == osu::Pattern::threads && next_sender_ && next_receiver_)
            t.options.teams = {static_cast<int>(*next_sender_), static_cast<int>(*next_receiver_)};
        next_sender_ = next_receiver_ = std::nullopt;
        if (t.row->is_rooted())
            t.assumed.emplace_back("root");
        if (t.row->is(osu::bandwidth))
            t.assumed.emplace_back("window");
        if (!t.row->is_barrier())
            t.assumed.emplace_back("type");
    }

    void head(Line const& line) {
        auto& t = *table_;
        if (auto const type = behind("# Datatype:", line.text)) {
            std::string name{type->substr(0, type->find('.'))};
            constexpr std::array all{osu::Type::mpi_char, osu::Type::mpi_int, osu::Type::mpi_float};
            auto const* const found = std::find_if(all.begin(), all.end(), [&](osu::Type each) {
                return osu::mpi(each).name == (name == "MPI_SIGNED_CHAR" ? "MPI_CHAR" : name);
            });
            if (found != all.end())
                t.block.type = *found;
            else
                t.type = program::lower(name);
            std::erase(t.assumed, "type");
            // A table for another type follows without a title.
            t.columns.clear();
        } else if (auto const made = behind("# Window creation:", line.text)) {
            using enum bodies::WindowKind;
            for (auto const kind : {allocate, create, dynamic})
                if (osu::window_creation(kind) == *made)
                    t.options.window_kind = kind;
        } else if (auto const way = behind("# Synchronization:", line.text)) {
            for (auto const& each : bodies::rma_synchronisations)
                if (osu::synchronisation(std::string{each.name}) == *way)
                    t.options.synchronisation = std::string{each.name};
        } else if (line.text.starts_with("# [ pairs:")) {
            auto const words = words_of(line.text);
            auto const pairs = words.size() > 3 ? number_in(words[3]) : std::nullopt;
            auto const window = words.size() > 8 ? number_in(words[8]) : std::nullopt;
            if (!pairs || !window || *pairs < 1)
                refuse(text_, line.number,
                       "the number of pairs or the window is missing; tables of several windows are not supported");
            t.pairs = static_cast<int>(*pairs);
            t.block.window = static_cast<int>(*window);
            std::erase(t.assumed, "window");
        } else if (line.text.find("Bandwidth (MB/sec)") != std::string_view::npos) {
            refuse(text_, line.number, "tables of several windows are not supported");
        }
    }

    /// A line below the table in which our programs describe a row.
    void remark(Line const& line) {
        auto const words = words_of(line.text);
        auto const value = [&](std::string_view key) -> std::optional<std::string> {
            for (auto const& word : words)
                if (auto const found = behind(key, word))
                    return std::string{*found};
            return std::nullopt;
        };
        if (auto method = value("method="))
            table_->options.method = method->starts_with("sync") ? osu::Method::sync : osu::Method::osu;
        auto const valid = value("valid=");
        auto const bytes = value("bytes=");
        auto const slash = valid ? valid->find('/') : std::string::npos;
        if (slash == std::string::npos)
            return;
        auto const kept = number_in(valid->substr(0, slash));
        auto const tried = number_in(valid->substr(slash + 1));
        for (auto& point : table_->points) {
            if (!kept || !tried || (bytes && fmt::format("{}", point.at.bytes("bytes")) != *bytes))
                continue;
            point.valid = point.kept = static_cast<std::int64_t>(*kept);
            point.attempts = static_cast<std::int64_t>(*tried);
            std::erase(point.flags, measure::samples_unknown);
            for (auto const& flag : program::split(value("flags=").value_or(""), ','))
                if (!flag.empty())
                    point.flag(flag);
        }
    }

    void row(Line const& line) {
        if (table_->columns.empty())
            refuse(text_, line.number, "this line is neither a comment nor a row of a table");
        table_->points.push_back(OsuRowReader{*table_, ranks_of(*table_), text_}(line));
    }

    /// The number of ranks if the text states it.
    [[nodiscard]] std::optional<int> said_ranks(OsuTable const& t) const {
        if (auto const only = osu::only_processes(*t.row))
            return only;
        return t.row->is(osu::pairs) && t.pairs ? std::optional{2 * *t.pairs} : std::nullopt;
    }
    /// The number of ranks, stated or given. 0 if unknown, which `complete` refuses.
    [[nodiscard]] int ranks_of(OsuTable const& t) const {
        auto const said = said_ranks(t);
        return said ? *said : given_.ranks.value_or(0);
    }

    void close() {
        if (table_ == nullptr)
            return;
        auto& t = *table_;
        if (t.points.empty())
            refuse(text_, t.line, fmt::format("the table of '{}' has no rows", t.title));
        auto const ranks = said_ranks(t);
        if (ranks)
            only_ = *ranks;
        else
            takes_ranks_ = true;
        measure::RunRecord run;
        run.run.suite = "osu";
        run.run.program = "osu_" + t.row->name;
        run.run.version = own_version_.empty() ? t.version : own_version_;
        run.run.options["method"] = t.options.method == osu::Method::sync ? "sync" : "osu";
        Said said{.line = t.line, .from = "osu", .title = t.title, .ranks = ranks};
        if (!t.assumed.empty())
            said.more.emplace_back("assumed", measure::Value::Array(t.assumed.begin(), t.assumed.end()));
        auto given = given_;
        if (ranks)
            given.ranks.reset();
        complete(run.run, said, given, text_);
        run.points = std::move(t.points);
        run.end = measure::EndRecord{};
        runs_.push_back(std::move(run));
        open_.reset();
        table_ = nullptr;
    }

    Text const& text_;
    Given const& given_;
    std::optional<OsuTable> open_{};
    OsuTable* table_ = nullptr;  ///< table that is being read
    bool next_has_neighbours_ = false;
    std::optional<double> next_sender_{};
    std::optional<double> next_receiver_{};
    std::string own_version_{};  ///< version of libmeasure; empty for an original program
    bool takes_ranks_ = false;   ///< whether a table does not state its number of processes
    int only_ = 0;               ///< number of processes of the last table that states it
    std::vector<measure::RunRecord> runs_{};
};

}  // namespace

bool is_osu(std::string_view text) {
    auto const lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [](Line const& line) { return line.text.starts_with(title_mark); });
}

std::vector<measure::RunRecord> osu_runs(Text const& text, Given const& given) { return OsuReader{text, given}(); }

}  // namespace measure::tool::convert
