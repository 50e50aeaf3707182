// SPDX-License-Identifier: BSD-3-Clause
/// Pairs tables: applies the functions of `measure pairs` for distributed rows to all pairs on one process.
#pragma once

#include "pairs/binding.hpp"
#include "pairs/fit.hpp"
#include "pairs/groups.hpp"
#include "pairs/page.hpp"
#include "pairs/report.hpp"
#include "pairs/result.hpp"
#include "pairs/suspects.hpp"

#include <measure/comm.hpp>

#include <cstddef>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

/// One value for each unordered pair of n.
template <class T>
class PairTable {
public:
    explicit PairTable(int n, T const& value = {}) : n_{n}, values_(index(n) * index(n), value) {}

    [[nodiscard]] int seats() const noexcept { return n_; }
    [[nodiscard]] T& at(int i, int j) { return values_[place(i, j)]; }
    [[nodiscard]] T const& at(int i, int j) const { return values_[place(i, j)]; }

private:
    [[nodiscard]] std::size_t place(int i, int j) const noexcept {
        auto const [low, high] = pair_of(i, j);
        return index(low) * index(n_) + index(high);
    }
    int n_;
    std::vector<T> values_;
};

/// The value for two nodes in this order, for tables whose values change their sign with the order.
inline double directed(PairTable<double> const& table, int i, int j) {
    return i < j ? table.at(i, j) : -table.at(i, j);
}

inline Rows<double> rows_of(PairTable<double> const& table, Form form = Form::both_ways) {
    Rows<double> rows{Share::all(table.seats()), not_measured};
    for (int i = 0; i < table.seats(); ++i)
        for (int j = 0; j < table.seats(); ++j)
            rows.at(i, j) = form == Form::directed ? directed(table, i, j) : table.at(i, j);
    return rows;
}

/// Keeps a reference to the table.
inline ClassOf classes_in(PairTable<int> const& table) {
    return [&table](int i, int j) { return table.at(i, j); };
}

inline Fit fit(PairTable<double> const& logs, PairTable<int> const& classes, int class_count,
               Form form = Form::both_ways, std::vector<double> start = {}) {
    return fit(measure::Comm::solo(), rows_of(logs, form), classes_in(classes), class_count, form, std::move(start));
}

inline std::vector<double> group_effects(PairTable<double> const& logs, std::span<int const> group, std::size_t count) {
    return group_effects(measure::Comm::solo(), rows_of(logs), group, count);
}

inline std::vector<Suspect> screen(std::span<Seen const> seen, double threshold) {
    return screen(measure::Comm::solo(), seen, threshold);
}

inline Verdict confirm(std::span<Seen const> seen, std::span<Suspect const> suspects, Rules const& rules,
                       CarryOut const& carry_out) {
    return confirm(seen, suspects, rules, carry_out,
                   [&](std::size_t quantity, int node) { return partners_of(seen[quantity].fit, node); });
}

inline Judged judge(Result const& result, Metric quantity, Rows<double> reference) {
    return judge(measure::Comm::solo(), result, quantity, std::move(reference));
}

inline std::vector<Suspect> displaced(Result const& result, std::size_t quantity) {
    return displaced(measure::Comm::solo(), result, quantity);
}

inline std::string text_of(Result const& result) { return text_of(result, own_rows(result)); }
inline page::Document page_of(Result const& result) { return page_of(result, own_rows(result)); }
inline void write_csv(std::ostream& out, Result const& result) { write_csv(out, result, own_rows(result)); }
inline void each_record(Result const& result, std::function<void(measure::Record const&)> const& f) {
    each_record(result, own_rows(result), f);
}

/// Sets the values of a pair in the first tournament, in the rows of both nodes.
inline void set_values(Result& result, int i, int j, PairValues const& values) {
    auto& rows = result.tournaments.front().values;
    rows.at(i, j) = rows.at(j, i) = values;
}

/// Adds a first tournament in which all pairs have these values.
inline void add_tournament(Result& result, PairValues const& values = {}) {
    result.tournaments.push_back(
        {Mode::hosts, Rows<PairValues>{Share::all(static_cast<int>(result.nodes.size())), values}});
}

}  // namespace measure::tool::pairs
