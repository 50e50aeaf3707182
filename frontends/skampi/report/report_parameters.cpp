// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/report_parameters.hpp"

#include "program/cli/values.hpp"
#include "skampi/parameters/grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace skampi::report {

namespace {

using grammar::Assignment;
using grammar::Value;

/// The effect of a key on the parameters.
using Action = std::function<void(Assignment const&)>;
using Keys = std::vector<std::pair<std::string, Action>>;

/// One value of a key, for the conversions.
program::Argument argument(Assignment const& entry, Value const& value) { return {entry.key, value.spelled()}; }

Value const& only_value(Assignment const& entry) {
    if (entry.values.size() > 1)
        throw measure::UsageError(fmt::format("{}: expected one value, found {}", entry.key, entry.values.size()));
    return entry.values[0];
}

/// The action of a key that takes one value.
template <class T, class Convert>
Action one(T& target, Convert convert) {
    return [&target, convert](Assignment const& entry) { target = convert(argument(entry, only_value(entry))); };
}

program::as::Choice<bool> yes_or_no() { return {{{"yes", true}, {"no", false}}}; }
program::as::Choice<bool> scale() { return {{{"log", true}, {"linear", false}}}; }
program::as::Choice<Quantity> quantity() {
    return {
        {{"time", Quantity::time}, {"bandwidth", Quantity::bandwidth}, {"time_per_chunk", Quantity::time_per_chunk}}};
}

program::as::Choice<bool Formats::*> format() {
    return {{{"html", &Formats::html}, {"pdf", &Formats::pdf}, {"ps", &Formats::ps}, {"png", &Formats::png}}};
}

class ParametersReader {
public:
    explicit ParametersReader(std::string const& path) : path_{path} {}

    ReportParameters operator()(std::string_view text) {
        auto document = grammar::parse(text, path_,
                                       {.block_sections = {"COMPARISONS"},
                                        .assignment_sections = {"OPTIONS"},
                                        .headers = false,
                                        .lists = true,
                                        .quoted_names = true});
        faults_ = std::move(document.faults);
        if (auto const* const options = document.section("OPTIONS"); options != nullptr)
            apply(options->entries, option_keys());
        if (auto const* const comparisons = document.section("COMPARISONS"); comparisons != nullptr) {
            result_.comparisons.emplace();
            for (grammar::Block const& block : comparisons->blocks)
                read_comparison(block);
        }
        program::throw_any(std::move(faults_));
        return std::move(result_);
    }

private:
    Keys option_keys() {
        return {{"minimum_data",
                 [this](Assignment const& entry) {
                     auto const n = program::as::Integer{.low = 1}(argument(entry, only_value(entry)));
                     result_.minimum_data = static_cast<std::size_t>(n);
                 }},
                {"barchart", one(result_.bar_charts, yes_or_no())},
                {"format", [this](Assignment const& entry) { read_formats(entry); }},
                {"title", one(result_.title, program::as::Text{})},
                {"default_comparisons", one(result_.default_comparisons, yes_or_no())}};
    }

    void read_formats(Assignment const& entry) {
        result_.formats = {.html = false, .pdf = false, .ps = false, .png = false};
        for (Value const& value : entry.values)
            attempt(value.place, [&] { result_.formats.*format()(argument(entry, value)) = true; });
    }

    void read_comparison(grammar::Block const& block) {
        Comparison comparison{.title = block.name};
        apply(block.entries, {{"measurements",
                               [&](Assignment const& entry) {
                                   for (Value const& value : entry.values)
                                       comparison.measurements.push_back(value.spelled());
                               }},
                              {"y", one(comparison.y, quantity())},
                              {"xscale", one(comparison.log_x, scale())},
                              {"yscale", one(comparison.log_y, scale())}});
        if (comparison.measurements.empty())
            fault(block.place, fmt::format("comparison '{}' names no measurements", block.name));
        result_.comparisons->push_back(std::move(comparison));
    }

    void apply(std::vector<Assignment> const& entries, Keys const& keys) {
        for (Assignment const& entry : entries) {
            auto const found = std::find_if(keys.begin(), keys.end(),
                                            [&](auto const& key) { return key.first == program::lower(entry.key); });
            if (found == keys.end())
                fault_of_key(entry, keys);
            else
                attempt(entry.values[0].place, [&] { found->second(entry); });
        }
    }

    template <class Read>
    void attempt(grammar::Place place, Read read) {
        try {
            read();
        } catch (measure::UsageError const& error) {
            fault(place, error.what());
        }
    }

    void fault_of_key(Assignment const& entry, Keys const& keys) {
        std::vector<std::string> names;
        for (auto const& [name, action] : keys)
            names.push_back(name);
        fault(entry.place, fmt::format("unknown key '{}' ({})", entry.key, program::alternatives(names)));
    }

    void fault(grammar::Place place, std::string text) {
        faults_.push_back({path_, place.line, place.column, std::move(text)});
    }

    std::string const& path_;
    ReportParameters result_{};
    std::vector<program::ParseError> faults_{};
};

}  // namespace

ReportParameters read_report_parameters(std::string_view text, std::string const& path) {
    return ParametersReader{path}(text);
}

}  // namespace skampi::report
