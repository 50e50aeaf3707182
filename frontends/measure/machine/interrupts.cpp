// SPDX-License-Identifier: BSD-3-Clause
#include "machine/interrupts.hpp"

#include "program/cli/values.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <utility>

namespace measure::tool::machine {

namespace {

std::vector<std::string> words_in(std::string const& line) {
    std::istringstream stream{line};
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(std::move(word));
    return words;
}

/// The device in "IO-APIC 5-edge ttyS0" or "GICv3 27 Level arch_timer": the word after the kind of signal.
std::string device_name(std::vector<std::string> const& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        for (std::string_view const kind : {"edge", "Edge", "level", "Level", "fasteoi"})
            if (words[i].ends_with(kind))
                return words[i + 1].substr(0, words[i + 1].find(','));
    return words.empty() ? "unknown" : words.back();
}

/// Shortens "Local timer interrupts" to "timer".
std::string processor_name(std::string text) {
    constexpr std::string_view of_one = "Local ";
    constexpr std::string_view all = " interrupts";
    if (text.starts_with(of_one))
        text.erase(0, of_one.size());
    if (text.ends_with(all))
        text.erase(text.size() - all.size());
    // "TLB shootdowns" keeps its capitals.
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
        text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
}

std::string joined_words(std::vector<std::string> const& words) {
    std::string text;
    for (auto const& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

/// A row of /proc/interrupts; without counts if the row has too few of them.
InterruptSource source_from(std::string const& line, std::size_t units) {
    auto words = words_in(line);
    if (words.size() <= units || !words.front().ends_with(':'))
        return {};
    InterruptSource source{.key = words.front().substr(0, words.front().size() - 1)};
    for (std::size_t i = 1; i <= units; ++i) {
        auto const count = program::number_from<double>(words[i]);
        if (!count)
            return {};
        source.counts.push_back(*count);
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(units) + 1);
    source.name = program::number_from<int>(source.key) ? device_name(words) : processor_name(joined_words(words));
    std::replace(source.name.begin(), source.name.end(), ';', ' ');
    return source;
}

}  // namespace

Interrupts interrupts_in(std::string_view text) {
    Interrupts found;
    auto const lines = program::split(text, '\n');
    for (auto const& word : words_in(lines.front()))
        if (word.starts_with("CPU"))
            if (auto const unit = program::number_from<int>(std::string_view{word}.substr(3)))
                found.units.push_back(*unit);
    if (found.units.empty())
        return found;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (auto source = source_from(lines[i], found.units.size()); !source.counts.empty())
            found.sources.push_back(std::move(source));
    return found;
}

std::vector<InterruptRate> interrupt_rates(Interrupts const& before, Interrupts const& after, double seconds) {
    constexpr double least = 1;
    constexpr std::ptrdiff_t most = 5;
    std::vector<InterruptRate> all;
    if (before.units != after.units)
        return all;
    std::map<std::string, InterruptSource const*> earlier;
    for (auto const& source : before.sources)
        earlier.emplace(source.key, &source);
    for (std::size_t i = 0; i < after.units.size(); ++i) {
        std::vector<InterruptRate> rates;
        for (auto const& source : after.sources) {
            auto const old = earlier.find(source.key);
            double const rate = (source.counts[i] - (old == earlier.end() ? 0 : old->second->counts[i])) / seconds;
            if (rate >= least)
                rates.push_back({after.units[i], rate, source.name});
        }
        std::stable_sort(rates.begin(), rates.end(),
                         [](auto const& a, auto const& b) { return a.per_second > b.per_second; });
        all.insert(all.end(), rates.begin(), rates.begin() + std::min(most, std::ssize(rates)));
    }
    return all;
}

}  // namespace measure::tool::machine
