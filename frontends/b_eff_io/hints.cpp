// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/hints.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace b_eff_io {

using measure::Bytes;

namespace {

constexpr std::size_t longest_line = 2000;
constexpr std::string_view blanks = " \t\r\v\f";

/// Reads one line. Invalid text throws measure::UsageError; `column` then gives the position.
class LineReader {
public:
    LineReader(std::string_view line, Setting const& setting) : setting_{setting} {
        // Line ends of other systems include a carriage return.
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        rest_ = line;
        all_ = line;
    }

    [[nodiscard]] int column() const noexcept { return column_; }

    HintRule read() {
        if (all_.size() > longest_line)
            throw measure::UsageError(
                fmt::format("the line has {} characters, at most {} are allowed", all_.size(), longest_line));
        HintRule rule;
        rule.ranks = ranks(word("number of processes"));
        auto names = with_all({"write", "rewrite", "read"});
        if (auto const at = program::position({"access", word("access")}, names); at > 0)
            rule.access = all_accesses[at - 1];
        if (auto const at = program::position({"pattern type", word("pattern type")}, with_all(type_words())); at > 0)
            rule.type = with_random[at - 1];
        chunk(word("chunk size"), rule);
        rule.key = word("key");
        if (rule.key.size() > MPI_MAX_INFO_KEY - 1)
            throw measure::UsageError(fmt::format("the key has {} characters, at most {} are allowed", rule.key.size(),
                                                  MPI_MAX_INFO_KEY - 1));
        rule.value = value();
        column_ = 1;
        if (!applies(rule))
            throw measure::UsageError("the line matches nothing that this run measures");
        return rule;
    }

private:
    static std::vector<std::string> type_words() {
        std::vector<std::string> words;
        for (Type const type : with_random)
            words.emplace_back(name(type));
        return words;
    }

    static std::vector<std::string> with_all(std::vector<std::string> names) {
        names.insert(names.begin(), "all");
        return names;
    }

    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
        column_ = static_cast<int>(all_.size() - rest_.size()) + 1;
    }

    std::string word(char const* what) {
        skip_blanks();
        if (rest_.empty())
            throw measure::UsageError(fmt::format("the {} is missing", what));
        std::string const found{rest_.substr(0, rest_.find_first_of(blanks))};
        rest_.remove_prefix(found.size());
        return found;
    }

    std::string value() {
        skip_blanks();
        std::string const found{program::trimmed(rest_)};
        if (found.empty())
            throw measure::UsageError("the value is missing");
        if (found.size() > MPI_MAX_INFO_VAL - 1)
            throw measure::UsageError(
                fmt::format("the value has {} characters, at most {} are allowed", found.size(), MPI_MAX_INFO_VAL - 1));
        return found;
    }

    std::optional<int> ranks(std::string const& text) const {
        if (program::lower(text) == "all")
            return std::nullopt;
        int const n = program::as::Int{.low = 1}({"number of processes", text});
        if (std::find(setting_.partitions.begin(), setting_.partitions.end(), n) == setting_.partitions.end())
            throw measure::UsageError(fmt::format("number of processes: no partition has {} processes", n));
        return n;
    }

    void chunk(std::string const& text, HintRule& rule) const {
        constexpr std::array<Bytes, 7> chunks{part_of_memory, 1024, 1032, 32768, 32776, megabyte, megabyte + 8};
        std::vector<std::string> names{"all", "on_open", "Lmax"};
        for (std::size_t i = 1; i < chunks.size(); ++i)
            names.push_back(fmt::format("{}", chunks[i]));
        auto const at = program::position({"chunk size", text}, names);
        if (at == 0)
            return;
        rule.place = at == 1 ? HintRule::Place::open : HintRule::Place::patterns;
        if (at > 1)
            rule.chunk = chunks[at - 2];
    }

    [[nodiscard]] bool applies(HintRule const& rule) const {
        for (Access const access : all_accesses)
            for (Type const type : with_random)
                if (setting_.measures(access, type) && (!rule.access || rule.access == access) &&
                    (!rule.type || rule.type == type))
                    return true;
        return false;
    }

    std::string_view rest_;
    std::string_view all_;
    Setting const& setting_;
    int column_ = 1;
};

void add(HintList& list, HintRule const& rule) {
    std::erase_if(list, [&](auto const& hint) { return hint.first == rule.key; });
    list.emplace_back(rule.key, rule.value);
}

bool matches(HintRule const& rule, int ranks, Access access, Type type) {
    return (!rule.ranks || rule.ranks == ranks) && (!rule.access || rule.access == access) &&
           (!rule.type || rule.type == type);
}

}  // namespace

Hints::Hints(std::string const& path, std::string const& text, Setting const& setting) {
    std::vector<program::ParseError> faults;
    int number = 0;
    for (auto const& line : program::split(text, '\n')) {
        ++number;
        if (line.starts_with('#') || program::trimmed(line).empty())
            continue;
        LineReader reader{line, setting};
        try {
            rules_.push_back(reader.read());
        } catch (measure::UsageError const& error) {
            faults.push_back({path, number, reader.column(), error.what()});
        }
    }
    program::throw_any(std::move(faults));
}

void Hints::add_at_open(std::string key, std::string value) {
    rules_.insert(rules_.begin(), {.place = HintRule::Place::open, .key = std::move(key), .value = std::move(value)});
}

HintList Hints::at_open(int ranks, Access access, Type type) const {
    HintList list;
    for (HintRule const& rule : rules_)
        if (rule.place != HintRule::Place::patterns && matches(rule, ranks, access, type))
            add(list, rule);
    return list;
}

HintList Hints::at_pattern(int ranks, Access access, Type type, Bytes chunk) const {
    HintList list;
    for (HintRule const& rule : rules_)
        if (rule.place != HintRule::Place::open && matches(rule, ranks, access, type) &&
            (!rule.chunk || rule.chunk == chunk))
            add(list, rule);
    return list;
}

Info::Info(HintList const& list) {
    if (list.empty())
        return;
    measure::check(MPI_Info_create(&info_), "MPI_Info_create");
    for (auto const& [key, value] : list)
        measure::check(MPI_Info_set(info_, key.c_str(), value.c_str()), "MPI_Info_set");
}

Info::~Info() {
    if (info_ != MPI_INFO_NULL)
        MPI_Info_free(&info_);
}

HintList hints_in_use(MPI_File file) {
    HintList list;
    MPI_Info info = MPI_INFO_NULL;
    if (MPI_File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
        return list;
    int count = 0;
    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count; ++i) {
        std::array<char, MPI_MAX_INFO_KEY + 1> key{};
        std::array<char, MPI_MAX_INFO_VAL + 1> value{};
        int found = 0;
        MPI_Info_get_nthkey(info, i, key.data());
        MPI_Info_get(info, key.data(), MPI_MAX_INFO_VAL, value.data(), &found);
        if (found != 0)
            list.emplace_back(key.data(), value.data());
    }
    MPI_Info_free(&info);
    return list;
}

std::string text(HintList const& list) {
    std::string joined;
    for (auto const& [key, value] : list)
        joined += fmt::format("{}{}={}", joined.empty() ? "" : " ", key, value);
    return joined.empty() ? "none" : joined;
}

}  // namespace b_eff_io
