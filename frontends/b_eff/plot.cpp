// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/plot.hpp"

#include "b_eff/text.hpp"

#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <vector>

namespace b_eff {

namespace {

/// Bandwidth in bytes/s of a pattern at a length, by one method or by the best.
using Rate = std::function<Number(std::size_t pattern, std::size_t length)>;

/// Smallest, logarithmic average and largest bandwidth of one kind of pattern, per process.
struct Range3 {
    Number least{};
    Number middle{};
    Number most{};
};

Range3 over(Results const& r, Family family, std::size_t length, Rate const& rate) {
    std::vector<double> all;
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        if (r.patterns[p].family == family) {
            auto const v = rate(p, length);
            if (!v)
                return {};
            all.push_back(*v / r.patterns[p].processes);
        }
    auto const [least, most] = std::minmax_element(all.begin(), all.end());
    return {*least, measure::log_mean(all), *most};
}

template <class Columns>
void put_block(std::string& text, Results const& r, std::string const& title, Columns columns) {
    put(text, "{}# {}\n", text.empty() ? "" : "\n\n", title);
    for (std::size_t l = 0; l < length_count; ++l) {
        put(text, "{:>10}", r.lengths[l]);
        columns(l, [&](Number v) { text += cell(v); });
        text += '\n';
    }
}

void put_patterns(std::string& text, Results const& r, std::string const& who, Rate const& rate) {
    put_block(text, r, who + ", ring & random: length, 6 rings, random worst, average, best", [&](auto l, auto add) {
        for (std::size_t p = 0; p < r.patterns.size(); ++p)
            if (r.patterns[p].family == Family::ring)
                add(divided(rate(p, l), r.patterns[p].processes));
        auto const random = over(r, Family::random, l, rate);
        for (Number const v : {random.least, random.middle, random.most})
            add(v);
    });
    std::string keys;
    for (auto const& p : r.patterns)
        if (!p.counts())
            keys += ", " + p.key;
    put_block(text, r, who + ", additional: length" + keys, [&](auto l, auto add) {
        for (std::size_t p = 0; p < r.patterns.size(); ++p)
            if (!r.patterns[p].counts())
                add(divided(rate(p, l), r.patterns[p].processes));
    });
}

std::vector<Rate> rates_by_method(Averages const& a) {
    auto const& r = a.results();
    std::vector<Rate> all;
    for (Method const method : methods) {
        auto const found = std::find(r.methods.begin(), r.methods.end(), method);
        if (found == r.methods.end())
            all.emplace_back([](std::size_t, std::size_t) { return Number{}; });
        else
            all.emplace_back([&a, m = static_cast<std::size_t>(found - r.methods.begin())](
                                 std::size_t p, std::size_t l) { return a.by_method(p, l, m); });
    }
    return all;
}

}  // namespace

std::string plot(Averages const& a) {
    auto const& r = a.results();
    std::string text;
    auto const by_method = rates_by_method(a);
    for (std::size_t m = 0; m < methods.size(); ++m)
        put_patterns(text, r, "method " + std::string{name(methods.at(m))}, by_method[m]);
    Rate const best = [&](std::size_t p, std::size_t l) { return a.best(p, l); };
    put_patterns(text, r, "best method", best);
    put_block(text, r, "methods: length, average of rings by 3 methods, of random patterns by 3 methods",
              [&](auto l, auto add) {
                  for (Family const family : {Family::ring, Family::random})
                      for (auto const& rate : by_method)
                          add(over(r, family, l, rate).middle);
              });
    put_block(text, r, "length, rings: worst, average, best; random: worst, average, best; overall",
              [&](auto l, auto add) {
                  for (Family const family : {Family::ring, Family::random}) {
                      auto const range = over(r, family, l, best);
                      for (Number const v : {range.least, range.middle, range.most})
                          add(v);
                  }
                  auto const all = a.overall([&](std::size_t p) { return a.best(p, l); });
                  add(all ? Number{all->both / r.ranks} : Number{});
              });
    return text;
}

namespace {

/// Puts a text in single quotes.
std::string in_quotes(std::string const& text) {
    std::string safe;
    for (char const c : text)
        safe += c == '\'' ? std::string{"''"} : std::string{c};
    return '\'' + safe + '\'';
}

/// Returns the name of a picture: "b_eff_07.svg" for "b_eff.plot".
std::string picture(std::string const& data, std::size_t block) {
    return fmt::format("{}_{:02}.svg", std::filesystem::path{data}.stem().string(), block + 1);
}

std::vector<std::string> titles_of_block(Results const& r, std::size_t block) {
    std::vector<std::string> titles;
    if (block < 8)
        for (auto const& p : r.patterns)
            if (block % 2 == 0 ? p.family == Family::ring : !p.counts())
                titles.push_back(block % 2 == 0 ? fmt::format("{} {}", p.key, p.label) : p.key);
    if (block < 8 && block % 2 == 0)
        titles.insert(titles.end(), {"random worst", "random average", "random best"});
    if (block == 8)
        for (char const* const kind : {"rings", "random"})
            for (Method const m : methods)
                titles.push_back(fmt::format("{} {}", kind, name(m)));
    if (block == 9)
        titles = {"rings worst",    "rings average", "rings best", "random worst",
                  "random average", "random best",   "overall"};
    return titles;
}

/// The columns of each block that contain numbers, not counting the length. gnuplot warns of empty columns: a method
/// that was not chosen, or a ping-pong by a collective.
std::vector<std::set<std::size_t>> filled_columns(std::string const& data) {
    std::vector<std::set<std::size_t>> blocks;
    std::istringstream lines{data};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#'))
            blocks.emplace_back();
        std::istringstream words{line.starts_with('#') ? "" : line};
        std::size_t column = 0;
        for (std::string word; words >> word;)
            if (++column > 1 && word != "-")
                blocks.back().insert(column);
    }
    return blocks;
}

}  // namespace

std::string script(Setup const& s, Averages const& a, std::string const& data) {
    auto const& r = a.results();
    std::string text = "# gnuplot FILE draws each picture into a separate file next to the data.\n"
                       "set terminal svg size 1000,700 noenhanced\nset logscale y\nset xlabel 'message length [bytes], "
                       "21 at equal distances'\n"
                       "set ylabel 'bandwidth per process [MB/s]'\nset key left top\nset datafile missing '-'\n";
    put(text, "set yrange [{:g}:{:g}]\nset xtics rotate (", s.range.low, s.range.high);
    for (std::size_t l = 0; l < length_count; ++l)
        put(text, "{}'{}' {}", l == 0 ? "" : ", ", r.lengths[l], l);
    text += ")\n";
    std::vector<std::string> names;
    for (Method const m : methods)
        for (char const* const kind : {"ring & random", "additional"})
            names.push_back(fmt::format("{}, {}", name(m), kind));
    names.insert(names.end(), {"best method, ring & random", "best method, additional", "methods", "rings and random"});
    auto const filled = filled_columns(plot(a));
    for (std::size_t block = 0; block < names.size(); ++block) {
        if (filled.at(block).empty())
            continue;
        put(text, "set output {}\nset title {}\nplot ", in_quotes(picture(data, block)), in_quotes(names[block]));
        auto const titles = titles_of_block(r, block);
        char const* between = "";
        for (std::size_t const column : filled.at(block)) {
            put(text, "{}{} index {} using 0:{} with linespoints title {} noenhanced", between,
                in_quotes(std::filesystem::path{data}.filename().string()), block, column,
                in_quotes(titles.at(column - 2)));
            between = ", \\\n     ";
        }
        text += '\n';
    }
    return text;
}

}  // namespace b_eff
