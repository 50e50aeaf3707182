// SPDX-License-Identifier: BSD-3-Clause
#include "converters/formats.hpp"
#include "pmb/catalogue.hpp"
#include "pmb/report/result.hpp"
#include "pmb/report/table.hpp"
#include "program/cli/values.hpp"

#include <measure/not_known.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace measure::tool::convert {

namespace {

using measure::Record;

/// The suite that a title line belongs to; empty if the line is not a title.
std::string_view suite_of(std::string_view line) {
    if (!line.starts_with('#'))
        return {};
    auto const has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
    if (has("PMB 2.2 method") || (has("MPI Benchmark") && program::lower(line).find("pallas") != std::string::npos))
        return "pmb";
    return has("Intel") && has("MPI Benchmark") && has(" part") ? "imb" : std::string_view{};
}

std::optional<pmb::Part> part_of(std::string_view suite, std::string_view title) {
    using enum pmb::Part;
    for (auto const part : {mpi1, ext, io, imb_mpi1, imb_ext, imb_io, imb_nbc, imb_rma, imb_p2p, imb_mt})
        if (pmb::is_imb(part) == (suite == "imb") &&
            title.find(program::trimmed(pmb::part_text(part))) != std::string_view::npos)
            return part;
    return std::nullopt;
}

/// Converts "Thu Aug  8 09:17:34 2002" to "2002-08-08T09:17:34". The texts do not state a time zone. Empty for other
/// forms.
std::string iso_date(std::string_view date) {
    std::tm parts{};
    std::array<char, 32> text{};
    if (::strptime(std::string{date}.c_str(), "%a %b %d %H:%M:%S %Y", &parts) == nullptr)
        return {};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts)};
}

/// The table that is being read.
struct ImbTable {
    pmb::Benchmark const* benchmark = nullptr;
    bool is_multi = false;  ///< "Multi-PingPong"
    int processes = 0;
    int groups = 1;
    int idle = 0;
    pmb::Mode mode = pmb::Mode::single;
    std::vector<std::string> columns{};
    [[nodiscard]] int all() const { return processes * groups + idle; }
};

class ImbReader {
public:
    ImbReader(Text const& text, Given const& given) : text_{text}, given_{given} {}

    [[nodiscard]] std::vector<measure::RunRecord> operator()() {
        for (auto const& line : lines_of(text_.text))
            read(line);
        close();
        return std::move(runs_);
    }

private:
    void read(Line const& line) {
        if (auto const suite = suite_of(line.text); !suite.empty() && line.text.find(':') == std::string_view::npos)
            return open(suite, line);
        if (!is_open_ || line.text.empty() || line.text.starts_with("!!") || line.text.starts_with('['))
            return;
        if (line.text.starts_with("#bytes") || line.text.starts_with("#repetitions") ||
            line.text.starts_with("Group")) {
            table_.columns = words_of(line.text);
        } else if (line.text.starts_with('#')) {
            comment(line);
        } else if (table_.benchmark != nullptr && !table_.columns.empty()) {
            row(line);
        } else {
            refuse(text_, line.number, "this line is neither a comment nor a row of a table");
        }
    }

    void open(std::string_view suite, Line const& line) {
        close();
        is_open_ = true;
        run_ = {};
        table_ = {};
        ranks_ = 0;
        is_complete_ = suite == "pmb";
        said_ = {.line = line.number,
                 .from = std::string{suite},
                 .title = std::string{program::trimmed(
                     line.text.substr(std::min(line.text.find_first_not_of("# "), line.text.size())))}};
        auto const part = part_of(suite, line.text);
        if (!part)
            refuse(text_, line.number, fmt::format("the title '{}' does not match a known part", said_.title));
        part_ = *part;
        if (pmb::is_apart(part_))
            refuse(text_, line.number,
                   fmt::format("output of {} cannot be converted: its tables do not show the time that records contain",
                               pmb::program_name(part_)));
        run_.run.suite = said_.from;
        run_.run.program = pmb::program_name(part_);
        run_.run.version = version_in(line.text);
    }

    /// "Date   : Thu Aug .."
    void comment(Line const& line) {
        auto const content = program::trimmed(line.text.substr(1));
        // The line is empty if one of our programs had no arguments.
        if (std::exchange(next_is_command_, false)) {
            run_.run.command = words_of(content);
            return;
        }
        if (content.starts_with("Benchmarking "))
            return begin_table(line, content);
        if (content.starts_with("All processes entering MPI_Finalize"))
            is_complete_ = true;
        if (content.starts_with("MODE:"))
            table_.mode =
                content.find("NON-") != std::string_view::npos ? pmb::Mode::non_aggregate : pmb::Mode::aggregate;
        if (table_.benchmark != nullptr)
            return processes(line, content);
        if (content.starts_with("Calling sequence was:")) {
            next_is_command_ = true;
            return;
        }
        auto const colon = content.find(':');
        if (colon == std::string_view::npos)
            return;
        fact(std::string{program::trimmed(content.substr(0, colon))},
             std::string{program::trimmed(content.substr(colon + 1))});
    }

    void fact(std::string const& key, std::string const& value) {
        if (value.empty() || value == "none")
            return;
        bool const is_standard = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
        if (key == "Date") {
            said_.started = iso_date(value);
            if (said_.started.empty())
                said_.more.emplace_back("date", value);
        } else if (key == "System") {
            run_.run.kernel = value;
        } else if (key == "Release" && run_.run.kernel) {
            *run_.run.kernel += " " + value;
        } else if (key == "Machine") {
            // The machine that uname prints is a kind of processor.
            said_.more.emplace_back("processor", value);
        } else if (key == "MPI" || (key == "MPI Version" && !is_standard)) {
            said_.library = value;
        } else if (key == "MPI Version") {
            run_.run.mpi_standard = value;
        } else if (key == "Timer") {
            run_.run.timer.name = value.substr(0, value.find(','));
        } else if (key == "Command") {
            run_.run.command = words_of(value);
        }
    }

    void begin_table(Line const& line, std::string_view content) {
        auto const words = words_of(content);
        std::string name = words.size() > 1 ? words[1] : "";
        constexpr std::string_view multi = "Multi-";
        table_ = {};
        table_.is_multi = name.starts_with(multi);
        if (table_.is_multi)
            name.erase(0, multi.size());
        table_.benchmark = pmb::find(part_, name);
        if (table_.benchmark == nullptr)
            refuse(text_, line.number, fmt::format("{} has no benchmark '{}'", pmb::program_name(part_), name));
    }

    /// "#processes = 2", "( #processes = 2 )", "( 2 groups of 2 processes each running simultaneous )",
    /// "( 1 additional process waiting in MPI_Barrier)"
    void processes(Line const& line, std::string_view content) {
        auto const words = words_of(content);
        auto const number_behind = [&](std::string_view word, std::size_t places) -> std::optional<int> {
            auto const found = std::find(words.begin(), words.end(), word);
            if (found == words.end() || std::distance(found, words.end()) <= static_cast<std::ptrdiff_t>(places))
                return std::nullopt;
            auto const number = number_in(found[static_cast<std::ptrdiff_t>(places)]);
            if (!number || *number < 1 || *number > 1e9)
                refuse(text_, line.number, fmt::format("'{}' is not a number of processes", content));
            return static_cast<int>(*number);
        };
        if (auto const count = number_behind("#processes", 2))
            table_.processes = *count;
        if (content.find(" groups of ") != std::string_view::npos) {
            table_.processes = number_behind("of", 1).value_or(0);
            table_.groups = number_behind("(", 1).value_or(1);
        }
        if (content.find(" additional process") != std::string_view::npos)
            table_.idle = number_behind("(", 1).value_or(0);
    }

    void row(Line const& line) {
        if (table_.processes < 1)
            refuse(text_, line.number, "the table does not state the number of processes");
        ranks_ = std::max(ranks_, table_.all());
        auto const words = words_of(line.text);
        // "out-of-mem.", "time-out.": this length was not measured.
        if (words.size() > 1 && number_in(words[0]) && !number_in(words[1])) {
            auto record = measure::make_record(name(), at(static_cast<std::int64_t>(*number_in(words[0]))),
                                               measure::PointStatus::skipped,
                                               std::string{program::trimmed(line.text.substr(words[0].size()))});
            run_.points.push_back(std::move(record));
            return;
        }
        run_.points.push_back(record_of(row_numbers(text_, line, table_.columns.size())));
    }

    [[nodiscard]] pmb::Head head() const {
        pmb::Head head{*table_.benchmark, table_.mode};
        int first = 0;
        for (int i = 0; i < table_.groups; ++i, first += table_.processes) {
            auto& group = head.groups.emplace_back(static_cast<std::size_t>(table_.processes));
            std::iota(group.begin(), group.end(), first);
        }
        head.idle = table_.idle;
        head.window = pmb::standard(part_).window;
        return head;
    }
    [[nodiscard]] std::string name() const {
        return (table_.is_multi ? "Multi-" : "") + std::string{table_.benchmark->name};
    }
    [[nodiscard]] measure::Point at(std::optional<measure::Bytes> bytes, std::optional<int> group = {}) const {
        return pmb::at(head(), bytes, table_.is_multi ? std::optional{1} : std::nullopt, group);
    }

    [[nodiscard]] Record record_of(std::vector<double> const& numbers) const {
        auto const column = [&](std::string_view heading) -> std::optional<double> {
            auto const found = std::find(table_.columns.begin(), table_.columns.end(), heading);
            return found == table_.columns.end()
                       ? std::nullopt
                       : std::optional{numbers[static_cast<std::size_t>(std::distance(table_.columns.begin(), found))]};
        };
        auto const time = [&](std::string_view heading) -> std::optional<double> {
            auto const us = column(heading);
            return us ? std::optional{*us / 1e6} : std::nullopt;
        };
        auto const& b = *table_.benchmark;
        auto const whole = [&](std::string_view heading) -> std::optional<std::int64_t> {
            auto const number = column(heading);
            return number ? std::optional{static_cast<std::int64_t>(*number)} : std::nullopt;
        };
        auto const bytes = whole("#bytes");
        auto const group = whole("Group");
        std::optional<double> value;
        for (char const* const heading : {"t_ovrl[usec]", "t_max[usec]", "t[usec]"})
            if (!value)
                value = time(heading);
        if (b.kind == pmb::Class::rate && !value)
            value = time_of_rate(column("Msg/sec").value_or(0));
        auto record = measure::make_record(
            name(), at(bytes, group ? std::optional{static_cast<int>(*group)} : std::nullopt),
            measure::LoopTimes{.iterations = std::max<std::int64_t>(whole("#repetitions").value_or(1), 1),
                               .time = value.value_or(0)});
        if (table_.groups == 1)
            record.semantics = semantics();
        auto const low = time("t_min[usec]");
        auto const mean = time("t_avg[usec]");
        if (low && mean && value)
            record.over_ranks = measure::RankSpread{.min = *low, .mean = *mean, .max = *value};
        // Measured by a plan: the repetitions are samples or loops, so their number is unknown.
        if (auto const error = column("stderr[%]")) {
            record.derived["relative_error"] = *error / 100;
            record.attempts = record.valid = record.kept = 0;
            record.iterations_per_sample.reset();
            record.flag(measure::samples_unknown);
        }
        if (!value || *value <= 0)
            return measure::make_record(record.benchmark, record.at, measure::PointStatus::skipped,
                                        "the text shows 0.00: the value is below its precision");
        record.value = value;
        describe(record, *value, bytes, column);
        return record;
    }

    /// IMB up to 2018 divides the length of Reduce_scatter among the processes, as PMB does.
    [[nodiscard]] std::optional<measure::Semantics> semantics() const {
        auto found = pmb::semantics(*table_.benchmark, part_);
        auto const year = said_.title.find("20");
        bool const is_later = year != std::string::npos && said_.title.substr(year, 4) > "2018";
        if (found && said_.from == "imb" && table_.benchmark->name == "Reduce_scatter" && !is_later)
            found->size = measure::SizeOf::whole;
        return found;
    }

    /// The time of a repetition, in which each pair sends a window of messages.
    [[nodiscard]] double time_of_rate(double rate) const {
        auto const& b = *table_.benchmark;
        auto const messages = static_cast<double>(b.messages * pmb::standard(part_).window * (table_.processes / 2));
        return rate > 0 ? messages / rate : 0;
    }

    void describe(Record& record, double value, std::optional<measure::Bytes> bytes, auto const& column) const {
        auto const& b = *table_.benchmark;
        auto const derive = [&](char const* key, char const* heading, double unit) {
            if (auto const number = column(heading))
                record.derived[key] = *number / unit;
        };
        derive("t_pure", "t_pure[usec]", 1e6);
        derive("t_cpu", "t_CPU[usec]", 1e6);
        derive("overlap", "overlap[%]", 100);
        derive("defects", "defects", 1);
        derive("message_rate", "Msg/sec", 1);
        if (column("defects"))
            record.flag("checked");
        if (column("defects").value_or(0) >= 1)
            record.flag("defects");
        if (b.kind == pmb::Class::rate)
            record.derived["bandwidth"] = column("Msg/sec").value_or(0) * static_cast<double>(bytes.value_or(0));
        else if (b.messages > 0)
            record.derived["bandwidth"] = pmb::throughput(b.messages, bytes.value_or(0), measure::seconds{value});
    }

    void close() {
        if (!is_open_)
            return;
        if (run_.points.empty())
            refuse(text_, said_.line, fmt::format("'{}' has no rows", said_.title));
        said_.ranks = ranks_;
        complete(run_.run, said_, given_, text_);
        if (is_complete_)
            run_.end = measure::EndRecord{};
        runs_.push_back(std::move(run_));
        is_open_ = false;
    }

    Text const& text_;
    Given const& given_;
    bool is_open_ = false;
    measure::RunRecord run_{};
    Said said_{};
    pmb::Part part_ = pmb::Part::mpi1;
    ImbTable table_{};
    int ranks_ = 0;
    bool is_complete_ = false;
    bool next_is_command_ = false;
    std::vector<measure::RunRecord> runs_{};
};

}  // namespace

bool is_imb(std::string_view text) {
    auto const lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [](Line const& line) { return !suite_of(line.text).empty(); });
}

std::vector<measure::RunRecord> imb_runs(Text const& text, Given const& given) { return ImbReader{text, given}(); }

}  // namespace measure::tool::convert
