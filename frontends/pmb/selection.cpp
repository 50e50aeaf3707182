// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/selection.hpp"

#include "pmb/report/table.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace pmb {

using measure::UsageError;
using program::Argument;

namespace {

/// Names the other IMB programs that have the benchmark; empty if none has it or if this program has a similar name.
std::string elsewhere_text(Part part, std::string const& name) {
    if (find(part, name + "MT") != nullptr)
        return {};
    std::vector<std::string> parts;
    for (Part const other : imb_parts)
        if (find(other, name) != nullptr)
            parts.push_back(program_name(other));
    constexpr std::string_view multi = "multi-";
    if (!parts.empty())
        return fmt::format("; {} {} it", fmt::join(parts, " and "), parts.size() == 1 ? "has" : "have");
    return program::lower(name).starts_with(multi) && find(part, name.substr(multi.size())) != nullptr
               ? fmt::format("; -multi runs '{}' in several groups", name.substr(multi.size()))
               : "";
}

std::string unknown_text(Part part, std::string const& name) {
    if (auto const elsewhere = is_imb(part) ? elsewhere_text(part, name) : ""; !elsewhere.empty())
        return fmt::format("{} has no benchmark '{}'{}", program_name(part), name, elsewhere);
    std::vector<std::string> names{"all"};
    for (auto const& b : benchmarks(part))
        names.emplace_back(b.name);
    auto const near = program::closest(name, names);
    return fmt::format("there is no benchmark '{}'{}", name,
                       near.empty() ? " (-list shows all)" : fmt::format("; did you mean '{}'?", near));
}

bool is_all(std::string const& name) { return program::lower(name) == "all"; }

using Chosen = std::vector<Benchmark const*>;

void add_all(Part part, Chosen& chosen) {
    for (auto const& b : benchmarks(part))
        if (b.standard)
            chosen.push_back(&b);
}

/// \returns false if there is no such benchmark
bool add(Part part, std::string const& name, Chosen& chosen) {
    if (is_all(name)) {
        add_all(part, chosen);
        return true;
    }
    auto const* const found = find(part, name);
    if (found != nullptr)
        chosen.push_back(found);
    return found != nullptr;
}

void add_list(Part part, Argument const& list, Chosen& chosen) {
    for (auto const& name : program::split(list, ','))
        if (!add(part, name.value, chosen))
            throw UsageError(unknown_text(part, name.value));
}

/// Adds the names of an -input file. Reports all errors of the file at once.
void add_file(Part part, std::string const& path, std::string const& text, Chosen& chosen) {
    std::vector<program::ParseError> faults;
    auto const words = first_words(text);
    for (auto const& word : words)
        for (auto const& name : program::split(word.text, ','))
            if (!add(part, name, chosen))
                faults.push_back({path, word.line, word.column, unknown_text(part, name)});
    program::throw_any(std::move(faults));
    if (words.empty())
        throw UsageError(fmt::format("-input: there is no name in '{}'", path));
}

void remove_list(Part part, Argument const& list, Chosen& chosen) {
    for (auto const& name : program::split(list, ',')) {
        auto const* const found = find(part, name.value);
        if (is_all(name.value))
            chosen.clear();
        else if (found != nullptr)
            std::erase(chosen, found);
        else
            throw UsageError(unknown_text(part, name.value));
    }
}

}  // namespace

Chosen selected(Options const& o, ReadFile const& read) {
    struct Mention {
        Argument argument;
        bool is_file;
    };
    std::vector<Mention> mentions;
    for (auto const& name : o.names)
        mentions.push_back({name, false});
    for (auto const& name : o.inputs)
        mentions.push_back({name, true});
    std::stable_sort(mentions.begin(), mentions.end(),
                     [](Mention const& a, Mention const& b) { return a.argument.place < b.argument.place; });

    Chosen chosen;
    // IMB puts included benchmarks before the others, PMB after them.
    auto const include = [&] {
        for (auto const& list : o.includes)
            add_list(o.part, list, chosen);
    };
    if (is_imb(o.part))
        include();
    for (auto const& [argument, is_file] : mentions) {
        if (is_file)
            add_file(o.part, argument.value, read(argument.value), chosen);
        else
            add_list(o.part, argument, chosen);
    }
    if (mentions.empty())
        add_all(o.part, chosen);
    if (!is_imb(o.part))
        include();
    for (auto const& list : o.excludes)
        remove_list(o.part, list, chosen);
    if (chosen.empty())
        throw UsageError("-exclude: no benchmark is left");
    return chosen;
}

std::vector<Word> first_words(std::string const& text) {
    constexpr char const* blanks = " \t\r\v\f";
    std::vector<Word> words;
    int number = 0;
    for (auto const& line : program::split(text, '\n')) {
        ++number;
        auto const begin = line.find_first_not_of(blanks);
        if (begin == std::string::npos || line[begin] == '#')
            continue;
        auto const end = std::min(line.find_first_of(blanks, begin), line.size());
        auto const next = line.find_first_not_of(blanks, end);
        words.push_back({line.substr(begin, end - begin), number, static_cast<int>(begin) + 1,
                         next == std::string::npos || line[next] == '#'});
    }
    return words;
}

}  // namespace pmb
