// SPDX-License-Identifier: BSD-3-Clause
#include "core/number_text.hpp"
#include "measure/error.hpp"
#include "measure/stopping.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <variant>

namespace measure {

namespace {

/// A number of a rule: its key and its member.
template <class R>
struct Number {
    std::string_view key;
    std::variant<double R::*, std::int64_t R::*, seconds R::*> member;
};

/// Description of a rule for `stop_from`; the rows are below.
template <class R>
struct Row {
    std::string_view name;
    std::string_view text;
    R rule;  ///< with the default values
    std::vector<Number<R>> numbers;
};

/// Calls f with each row until it returns true. A new rule is a row here.
template <class F>
bool any_row(F&& f) {
    using namespace stop;
    return f(Row<Count>{"count",
                        "number of valid samples",
                        {},
                        {{"valid", &Count::valid}, {"at_least", &Count::at_least}, {"at_most", &Count::at_most}}}) ||
           f(Row<RelativeError>{"relative_error",
                                "standard error over mean",
                                {},
                                {{"epsilon", &RelativeError::epsilon},
                                 {"at_least", &RelativeError::at_least},
                                 {"at_most", &RelativeError::at_most}}}) ||
           f(Row<Default>{"interval",
                          "interval of the median, in two consecutive stages",
                          {},
                          {{"width", &Default::width},
                           {"at_least", &Default::at_least},
                           {"at_most", &Default::at_most},
                           {"confidence", &Default::confidence}}}) ||
           f(Row<QuantileInterval>{"quantile",
                                   "interval of a quantile",
                                   {},
                                   {{"quantile", &QuantileInterval::quantile},
                                    {"width", &QuantileInterval::width},
                                    {"at_least", &QuantileInterval::at_least},
                                    {"at_most", &QuantileInterval::at_most},
                                    {"confidence", &QuantileInterval::confidence}}}) ||
           f(Row<Skampi>{"skampi",
                         "the rule of SKaMPI: standard error over trimmed mean",
                         {},
                         {{"epsilon", &Skampi::epsilon},
                          {"at_least", &Skampi::at_least},
                          {"at_most", &Skampi::at_most},
                          {"trim", &Skampi::trim}}}) ||
           f(Row<TimeLimit>{"time", "time since the first stage", {}, {{"limit", &TimeLimit::limit}}});
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_{text}, rest_{text} {}

    StoppingRule all_of_it() {
        auto rule = one();
        if (!rest_.empty())
            refuse(fmt::format("unexpected '{}' at the end", rest_));
        rule.validate();
        return rule;
    }

private:
    [[noreturn]] void refuse(std::string const& why) const {
        throw UsageError(fmt::format("'{}' is not a stopping rule: {}", text_, why));
    }

    StoppingRule one() {
        auto const name = take_name();
        if (name == "any" || name == "all" || name == "sustained")
            return combined(name);
        std::optional<StoppingRule> found;
        any_row([&](auto row) {
            if (row.name != name)
                return false;
            read_numbers(row);
            found = StoppingRule{row.rule};
            return true;
        });
        if (!found)
            refuse(fmt::format("'{}' is unknown ({}, any, all, sustained)", name, fmt::join(names(), ", ")));
        return *found;
    }

    StoppingRule combined(std::string_view name) {
        constexpr int deepest = 32;
        take('(', name);
        if (++depth_ > deepest)
            refuse(fmt::format("more than {} nested rules", deepest));
        std::vector<StoppingRule> rules{one()};
        while (rest_.starts_with(',')) {
            rest_.remove_prefix(1);
            rules.push_back(one());
        }
        take(')', name);
        --depth_;
        if (name == "sustained") {
            if (rules.size() != 1)
                refuse("sustained takes one rule");
            return stop::Sustained{rules.front()};
        }
        if (name == "all") {
            stop::AllOf all{};
            all.rules = std::move(rules);
            return all;
        }
        stop::AnyOf any{};
        any.rules = std::move(rules);
        return any;
    }

    void take(char wanted, std::string_view name) {
        if (!rest_.starts_with(wanted))
            refuse(fmt::format("'{}' is missing after {}", wanted, name));
        rest_.remove_prefix(1);
    }

    std::string_view take_name() {
        auto const end = std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest_.size());
        auto const name = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return name;
    }

    /// VALUE, KEY=VALUE, ... A comma that is followed by a rule belongs to the enclosing rule.
    template <class R>
    void read_numbers(Row<R>& row) {
        if (!rest_.starts_with(':'))
            return;
        rest_.remove_prefix(1);
        for (bool first = true;; first = false) {
            auto const text = rest_.substr(0, std::min(rest_.find_first_of(",)"), rest_.size()));
            auto const equals = text.find('=');
            if (!first && equals == std::string_view::npos)
                refuse(fmt::format("'{}' lacks its key ({})", text, fmt::join(keys(row), ", ")));
            auto const key = equals == std::string_view::npos ? row.numbers.front().key : text.substr(0, equals);
            set(row, key, equals == std::string_view::npos ? text : text.substr(equals + 1));
            rest_.remove_prefix(text.size());
            if (!rest_.starts_with(',') || is_rule(rest_.substr(1)))
                return;
            rest_.remove_prefix(1);
        }
    }

    /// Whether the text starts with a rule, rather than a number with its key.
    static bool is_rule(std::string_view text) {
        auto const name = text.substr(0, std::min(text.find_first_of(":(),="), text.size()));
        auto const known = names();
        bool const is_name = std::find(known.begin(), known.end(), name) != known.end() || name == "any" ||
                             name == "all" || name == "sustained";
        return is_name && !text.substr(name.size()).starts_with('=');
    }

    template <class R>
    void set(Row<R>& row, std::string_view key, std::string_view text) {
        auto const number =
            std::find_if(row.numbers.begin(), row.numbers.end(), [&](auto const& each) { return each.key == key; });
        if (number == row.numbers.end())
            refuse(fmt::format("{} has no '{}' ({})", row.name, key, fmt::join(keys(row), ", ")));
        std::visit([&](auto member) { read(row.rule.*member, key, text); }, number->member);
    }

    void read(double& value, std::string_view key, std::string_view text) const {
        bool const percentage = text.ends_with('%');
        value = plain(key, percentage ? text.substr(0, text.size() - 1) : text) / (percentage ? 100 : 1);
    }

    void read(std::int64_t& value, std::string_view key, std::string_view text) const {
        auto const whole = detail::number_from<std::int64_t>(text);
        if (!whole)
            refuse(fmt::format("{}: '{}' is not a whole number", key, text));
        value = *whole;
    }

    void read(seconds& value, std::string_view key, std::string_view text) const {
        auto const duration = detail::duration_from(text);
        if (!duration)
            refuse(fmt::format("{}: '{}' is not a time with a unit ({})", key, text, detail::duration_units));
        value = *duration;
    }

    [[nodiscard]] double plain(std::string_view key, std::string_view text) const {
        auto const value = detail::finite_from(text);
        if (!value)
            refuse(fmt::format("{}: '{}' is not a number", key, text));
        return *value;
    }

    template <class R>
    static std::vector<std::string_view> keys(Row<R> const& row) {
        std::vector<std::string_view> result;
        for (auto const& number : row.numbers)
            result.push_back(number.key);
        return result;
    }

    static std::vector<std::string> names() {
        std::vector<std::string> result;
        for (auto const& each : stop_names())
            result.push_back(each.name);
        return result;
    }

    std::string_view text_;
    std::string_view rest_;
    int depth_ = 0;  ///< nesting depth of the rule being read
};

}  // namespace

StoppingRule stop_from(std::string_view text) { return Reader{text}.all_of_it(); }

std::vector<StopName> stop_names() {
    std::vector<StopName> result;
    any_row([&](auto const& row) {
        StopName name{std::string{row.name}, {}, std::string{row.text}};
        for (auto const& number : row.numbers)
            name.keys.emplace_back(number.key);
        result.push_back(std::move(name));
        return false;
    });
    return result;
}

}  // namespace measure
