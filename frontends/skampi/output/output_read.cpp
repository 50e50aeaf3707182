// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "skampi/output/number.hpp"
#include "skampi/output/output.hpp"
#include "skampi/output/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace skampi {

namespace {

constexpr std::string_view format_mark = "# SKaMPI output format ";
constexpr std::string_view begin_mark = "# begin result \"";
constexpr std::string_view end_mark = "# end result \"";
constexpr std::string_view duration_mark = "# duration = ";
constexpr std::string_view finished_mark = "# Finished at ";
constexpr std::string_view runtime_mark = "# Total runtime ";
constexpr std::array<std::string_view, 4> variables{"length", "nodes", "chunks", "point"};

/// Number of words of a row before its node times: name and value of the argument, length, time, standard error, number
/// of samples.
constexpr std::size_t fixed_words = 6;

[[noreturn]] void refuse(std::string const& text) { throw measure::UsageError(text); }

std::int64_t count(char const* what, std::string const& text) { return program::as::Integer{.low = 0}({what, text}); }

/// The limit ensures that the sum over many files fits in 64 bits.
std::int64_t samples(std::string const& text) {
    return program::as::Integer{.low = 0, .high = 1'000'000'000'000}({"number of samples", text});
}

double number(char const* what, std::string const& text) { return program::as::Number{}({what, text}); }

/// The number at the beginning of a text such as "1.92 sec".
double leading_number(char const* what, std::string_view text) {
    auto const parts = words(text);
    return program::as::Number{.low = 0}({what, parts.empty() ? std::string{} : parts[0]});
}

/// "KEY text"
Field head_field(std::string_view line) {
    std::size_t const end = std::min(line.find_first_of(" \t"), line.size());
    return {.key = std::string{line.substr(0, end)}, .value = std::string{program::trimmed(line.substr(end))}};
}

/// "key = value"
Field block_field(std::string_view line) {
    std::size_t const equals = line.find('=');
    if (equals == std::string_view::npos || program::trimmed(line.substr(0, equals)).empty())
        refuse(fmt::format("'{}' does not have the form key = value", program::trimmed(line)));
    return {.key = std::string{program::trimmed(line.substr(0, equals))},
            .value = std::string{program::trimmed(line.substr(equals + 1))}};
}

/// The text between a mark and the closing quotation mark. Only names that can be file names are valid.
std::string quoted_name(std::string_view mark, std::string_view line) {
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    constexpr std::size_t longest = 64;
    line.remove_prefix(mark.size());
    if (line.size() < 2 || line.size() > longest + 1 || line.find_first_not_of(allowed) != line.size() - 1 ||
        !line.ends_with('"'))
        refuse("the name of a measurement must have 1 to 64 of the characters A-Z a-z 0-9 _ . + - in quotation marks");
    return std::string{line.substr(0, line.size() - 1)};
}

/// Returns the name of an argument, from text such as "length=".
std::string variable_from(std::string const& word) {
    std::string_view name = word;
    if (name.ends_with('='))
        name.remove_suffix(1);
    if (name.size() == word.size() || std::find(variables.begin(), variables.end(), name) == variables.end())
        refuse(fmt::format("'{}' is not length=, nodes=, chunks= or point=", word));
    return std::string{name};
}

std::vector<std::string> flags_from(std::string_view comment) {
    std::vector<std::string> flags;
    for (std::string const& part : program::split(comment, ','))
        if (auto const flag = program::trimmed(part); !flag.empty())
            flags.emplace_back(flag);
    return flags;
}

/// A standard error, which is missing for a single sample.
std::optional<double> error_from(std::string const& word) {
    return word == "---" ? std::nullopt : std::optional{program::as::Number{.low = 0}({"standard error", word})};
}

/// Drops missing times at the end, which only fill columns that other rows have.
std::vector<std::optional<double>> node_times_from(std::vector<std::string> const& row) {
    std::vector<std::optional<double>> times;
    for (std::size_t i = fixed_words; i < row.size(); ++i)
        times.push_back(row[i] == "---" ? std::nullopt : std::optional{number("node time", row[i])});
    while (!times.empty() && !times.back())
        times.pop_back();
    return times;
}

Row row_from(std::vector<std::string> const& row, std::string_view comment) {
    Row result{.argument = count("argument", row[1]),
               .length = count("length", row[2]),
               .time = number("time", row[3]),
               .error = error_from(row[4]),
               .samples = samples(row[5]),
               .node_times = node_times_from(row),
               .flags = flags_from(comment)};
    static_cast<void>(files(result));
    return result;
}

/// Checks keys whose values are used as numbers.
void demand_number(Field const& field) {
    if (field.key == "overhead")
        static_cast<void>(overhead_from(field.value));
    else if (field.key == "nodes" || field.key == "chunks")
        static_cast<void>(program::as::Integer{.low = 1}({field.key, field.value}));
    else if (field.key == "cut")
        static_cast<void>(program::as::Number{.low = 0, .high = 0.5}({field.key, field.value}));
}

void demand_trailer_number(Field const& field) {
    if (field.key == "max_error" || field.key == "paper_error")
        static_cast<void>(program::as::Number{}({field.key, field.value}));
    else if (field.key == "samples" || field.key == "samples_invalid")
        static_cast<void>(samples(field.value));
    else if (field.key == "points_initial" || field.key == "points_refined")
        static_cast<void>(program::as::Integer{.low = 0}({field.key, field.value}));
}

/// Reads line by line. After an error in a line, reading continues with the next one.
class OutputReader {
public:
    explicit OutputReader(std::string const& path) : path_{path} {}

    Output operator()(std::string_view text) {
        auto const lines = program::split(text, '\n');
        if (program::trimmed(lines[0]) != fmt::format("{}1", format_mark))
            fault(1, lines[0].starts_with(format_mark) ? "an output file of a format other than 1"
                                                       : "not an output file of skampi (format 1)");
        else
            read(lines);
        program::throw_any(std::move(faults_));
        return std::move(output_);
    }

private:
    enum class Where { head, between, block };

    void read(std::vector<std::string> const& lines) {
        for (std::size_t i = 1; i < lines.size(); ++i) {
            try {
                read_line(program::trimmed(lines[i]), static_cast<int>(i) + 1);
            } catch (measure::UsageError const& error) {
                fault(static_cast<int>(i) + 1, error.what());
            }
        }
        if (where_ == Where::head)
            fault(static_cast<int>(lines.size()), "the head has no end (#@END_HEADER)");
        if (where_ == Where::block)
            drop_torn();
    }

    void read_line(std::string_view line, int number) {
        switch (where_) {
        case Where::head:
            return read_head(line);
        case Where::between:
            return read_between(line, number);
        case Where::block:
            return read_block(line, number);
        }
    }

    void read_head(std::string_view line) {
        if (line == "#@END_HEADER")
            where_ = Where::between;
        else if (line.starts_with("#@"))
            output_.head.push_back(head_field(line.substr(2)));
        else if (line.starts_with(begin_mark))
            refuse("a measurement begins before the end of the head (#@END_HEADER)");
        else
            refuse_content(line);
    }

    void read_between(std::string_view line, int number) {
        if (line.starts_with(begin_mark)) {
            block_ = {.name = quoted_name(begin_mark, line)};
            began_ = number;
            faults_before_ = faults_.size();
            has_variable_ = false;
            where_ = Where::block;
            if (output_.block(block_.name) != nullptr)
                refuse(fmt::format("measurement '{}' appears twice", block_.name));
        } else if (line.starts_with(duration_mark) && !output_.blocks.empty()) {
            output_.blocks.back().duration = leading_number("duration", line.substr(duration_mark.size()));
        } else if (line.starts_with(finished_mark)) {
            date_ = program::trimmed(line.substr(finished_mark.size()));
        } else if (line.starts_with(runtime_mark)) {
            output_.runtime = leading_number("total runtime", line.substr(runtime_mark.size()));
            output_.finished = date_;
        } else {
            refuse_content(line);
        }
    }

    void read_block(std::string_view line, int number) {
        if (line.starts_with("#: "))
            read_key(line.substr(3));
        else if (line.starts_with("#|"))
            read_columns(line.substr(2));
        else if (line.starts_with("#. "))
            read_trailer(line.substr(3));
        else if (line.starts_with(end_mark))
            end_block(quoted_name(end_mark, line));
        else if (line.starts_with(begin_mark) || line.starts_with(finished_mark))
            leave_unended(line, number);
        else if (!line.empty() && !line.starts_with('#'))
            read_row(line);
    }

    void read_key(std::string_view line) {
        Field field = block_field(line);
        demand_number(field);
        block_.keys.push_back(std::move(field));
    }

    void read_trailer(std::string_view line) {
        Field field = block_field(line);
        demand_trailer_number(field);
        block_.trailer.push_back(std::move(field));
    }

    void read_columns(std::string_view line) {
        auto const names = words(line);
        note_variable(names.empty() ? "" : names[0]);
    }

    void note_variable(std::string const& word) {
        std::string variable = variable_from(word);
        if (has_variable_ && variable != block_.variable)
            refuse(fmt::format("'{}' in a table of '{}='", word, block_.variable));
        block_.variable = std::move(variable);
        has_variable_ = true;
    }

    void read_row(std::string_view line) {
        std::size_t const end = std::min(line.find('#'), line.size());
        auto const row = words(line.substr(0, end));
        if (row.size() < fixed_words)
            refuse("a row needs at least five numbers: argument, length, time, standard error, number of samples");
        note_variable(row[0]);
        Row values = row_from(row, line.substr(std::min(end + 1, line.size())));
        if (!block_.rows.empty() && values.argument <= block_.rows.back().argument)
            refuse(fmt::format("the argument {} follows {}, but rows must be in ascending order", values.argument,
                               block_.rows.back().argument));
        block_.rows.push_back(std::move(values));
    }

    void end_block(std::string const& name) {
        where_ = Where::between;
        if (name != block_.name)
            refuse(fmt::format("measurement '{}' has the end mark of '{}'", block_.name, name));
        output_.blocks.push_back(std::move(block_));
    }

    void leave_unended(std::string_view line, int number) {
        fault(began_, fmt::format("measurement '{}' has no end", block_.name));
        where_ = Where::between;
        read_between(line, number);
    }

    /// If the writer was killed inside the last block, errors in that block do not count.
    void drop_torn() { faults_.resize(faults_before_); }

    /// Accepts comments and empty lines, which are allowed everywhere.
    static void refuse_content(std::string_view line) {
        if (!line.empty() && !line.starts_with('#'))
            refuse(fmt::format("'{}' is outside of a measurement", line.substr(0, 40)));
    }

    void fault(int line, std::string text) { faults_.push_back({path_, line, 1, std::move(text)}); }

    std::string const& path_;
    Where where_ = Where::head;
    Output output_{};
    Block block_{};                  ///< the block that is being read
    bool has_variable_ = false;      ///< whether that block has named its argument
    int began_ = 0;                  ///< line in which that block begins
    std::size_t faults_before_ = 0;  ///< number of errors before that block
    std::string date_{};             ///< date of the end, pending until the next line is read
    std::vector<program::ParseError> faults_{};
};

}  // namespace

bool is_output(std::string_view text) noexcept { return text.starts_with(format_mark); }

Output read_output(std::string_view text, std::string const& path) { return OutputReader{path}(text); }

}  // namespace skampi
