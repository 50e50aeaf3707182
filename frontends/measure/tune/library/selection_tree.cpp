// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/selection_tree.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>
#include <measure/read.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace measure::tool::tune {

namespace {

/// Keeps the order of keys, which matters.
using Tree = nlohmann::ordered_json;

constexpr std::string_view tree_begin = "{\"collective=";
constexpr std::string_view leaf_key = "algorithm=";

Tree object() { return Tree::object(); }

Tree leaf(std::string const& name) {
    Tree tree = object();
    tree[std::string{leaf_key} + name] = object();
    return tree;
}

/// The library's subtree below a condition, or the whole tree if it lacks the condition.
Tree below(Tree const& tree, char const* condition) {
    auto const found = tree.find(condition);
    return found == tree.end() ? tree : *found;
}

/// The conditions under which an algorithm may be used, each with its opposite, under which the library chooses.
using Guards = std::vector<std::pair<char const*, char const*>>;

Guards guards(std::string_view collective, std::string_view algorithm) {
    constexpr std::pair parent{"comm_hierarchy=parent", "comm_hierarchy=any"};
    constexpr std::pair commutative{"is_commutative=yes", "is_commutative=no"};
    constexpr std::pair built_in{"is_op_built_in=yes", "is_op_built_in=no"};
    constexpr std::pair consecutive{"is_node_consecutive=yes", "is_node_consecutive=no"};
    constexpr std::pair regular{"is_block_regular=yes", "is_block_regular=no"};
    bool const is_scatter = collective == "Reduce_scatter" || collective == "Reduce_scatter_block";
    if (algorithm == "smp" && collective == "Scan")
        return {consecutive};
    if (algorithm == "smp" && (collective == "Allreduce" || collective == "Reduce"))
        return {parent, commutative};
    if (algorithm == "smp")
        return {parent};
    if (algorithm == "reduce_scatter_allgather" || algorithm == "reduce_scatter_gather")
        return {built_in};
    if (is_scatter && (algorithm == "recursive_halving" || algorithm == "pairwise"))
        return {commutative};
    if (collective == "Reduce_scatter" && algorithm == "noncommutative")
        return {regular};
    return {};
}

/// The leaf below its conditions.
Tree guarded(std::string_view collective, std::string_view algorithm, std::string const& name, Tree const& otherwise) {
    Tree tree = leaf(name);
    if (algorithm == "reduce_scatter_allgather" || algorithm == "reduce_scatter_gather") {
        Tree counted = object();
        counted["count<pow2"] = otherwise;
        counted["count=any"] = std::move(tree);
        tree = std::move(counted);
    }
    for (auto const& [condition, contrary] : guards(collective, algorithm)) {
        Tree outer = object();
        outer[condition] = std::move(tree);
        outer[contrary] = otherwise;
        tree = std::move(outer);
    }
    return tree;
}

Tree by_size(TunedCollective const& tuned, std::set<std::string> const& leaves, Tree const& otherwise) {
    auto const& collective = tuned.place.collective;
    auto const key = size_key(collective);
    auto const branch = [&](SizeRule const& rule) {
        auto const name = leaf_of(leaves, collective, rule.algorithm);
        if (!name)
            throw measure::UsageError(
                fmt::format("{}: the library's files have no name for the algorithm '{}'", collective, rule.algorithm));
        return guarded(collective, rule.algorithm, *name, otherwise);
    };
    if (key == SizeKey::none)
        return branch(tuned.rules.front());
    std::string const word = key == SizeKey::each ? "avg_msg_size" : "total_msg_size";
    Tree tree = object();
    measure::Bytes next = 0;  // the smallest size that no condition covers yet
    for (auto const& rule : tuned.rules) {
        auto const low = key_bytes(tuned.place, rule.low);
        auto const high = key_bytes(tuned.place, rule.high);
        if (low > next)
            tree[fmt::format("{}<{}", word, low)] = otherwise;
        tree[fmt::format("{}<={}", word, high)] = branch(rule);
        next = high + 1;
    }
    tree[word + "=any"] = otherwise;
    return tree;
}

/// The rules of one collective, for ascending numbers of ranks.
using ByRanks = std::span<TunedCollective const>;

/// The rules for each number of ranks, and the library's choice for all others.
Tree for_ranks(ByRanks tuned, std::set<std::string> const& leaves, Tree const& otherwise) {
    Tree tree = object();
    int next = 1;  // the smallest number of ranks that no condition covers yet
    for (auto const& one : tuned) {
        int const ranks = one.place.ranks;
        if (ranks > next)
            tree[fmt::format("comm_size<{}", ranks)] = otherwise;
        tree[fmt::format("comm_size<={}", ranks)] = by_size(one, leaves, otherwise);
        next = ranks + 1;
    }
    tree["comm_size=any"] = otherwise;
    return tree;
}

/// All-to-all algorithms support either separate buffers or in-place calls, but not both.
bool asks_for_in_place(std::string_view collective) { return collective.starts_with("Alltoall"); }

Tree changed(Tree const& old, ByRanks tuned, std::set<std::string> const& leaves) {
    Tree const intra = below(old, "comm_type=intra");
    Tree choice;
    if (asks_for_in_place(tuned.front().place.collective)) {
        Tree const separate = below(intra, "is_sendbuf_inplace=no");
        choice = object();
        choice["is_sendbuf_inplace=yes"] = below(intra, "is_sendbuf_inplace=yes");
        choice["is_sendbuf_inplace=no"] = for_ranks(tuned, leaves, separate);
    } else {
        choice = for_ranks(tuned, leaves, intra);
    }
    Tree tree = object();
    tree["comm_type=intra"] = std::move(choice);
    tree["comm_type=inter"] = below(old, "comm_type=inter");
    return tree;
}

Tree tree_from(std::string const& base) {
    if (auto const excess = measure::json_excess(base); !excess.empty())
        throw measure::UsageError("the tree of algorithms " + excess);
    Tree tree;
    try {
        tree = Tree::parse(base);
    } catch (Tree::parse_error const& error) {
        throw measure::UsageError(
            fmt::format("the tree of algorithms is not JSON: syntax error at byte {}", error.byte));
    } catch (Tree::out_of_range const&) {
        throw measure::UsageError("the tree of algorithms has a number that is too large");
    }
    if (!tree.is_object())
        throw measure::UsageError("the tree of algorithms is not a JSON object");
    return tree;
}

Tree& branch_of(Tree& tree, std::string const& collective) {
    auto const key = "collective=" + program::lower(collective);
    auto const found = tree.find(key);
    if (found == tree.end() || !found->is_object())
        throw measure::UsageError(fmt::format("the tree of algorithms has no '{}'", key));
    return *found;
}

constexpr std::size_t page = 4096;

}  // namespace

std::map<std::string, std::vector<TunedCollective>> by_collective(std::vector<TunedCollective> const& tuned) {
    std::map<std::string, std::vector<TunedCollective>> result;
    for (auto const& one : tuned)
        result[one.place.collective].push_back(one);
    for (auto& [name, rules] : result)
        std::sort(rules.begin(), rules.end(), [](auto const& a, auto const& b) { return a.place < b.place; });
    return result;
}

std::optional<LibraryTexts> texts_in(std::string_view library) {
    LibraryTexts texts;
    for (auto at = library.find(tree_begin); at != std::string_view::npos; at = library.find(tree_begin, at + 1)) {
        auto const text = library.substr(at, library.find('\0', at) - at);
        // The trees of other levels are shorter and name compositions instead of algorithms.
        if (text.find(leaf_key) != std::string_view::npos && text.size() > texts.tree.size())
            texts.tree = text;
    }
    if (texts.tree.empty())
        return std::nullopt;
    std::string const mark = std::string{leaf_key} + "MPIR_";
    for (auto at = library.find(mark); at != std::string_view::npos; at = library.find(mark, at + 1)) {
        auto const name = library.substr(at + leaf_key.size());
        auto const end = std::min(name.find('\0'), name.find('"'));
        if (end != std::string_view::npos)
            texts.leaves.emplace(name.substr(0, end));
    }
    return texts;
}

std::optional<std::string> leaf_of(std::set<std::string> const& leaves, std::string_view collective,
                                   std::string_view algorithm) {
    for (auto const kind : {"intra", "allcomm"}) {
        auto name = fmt::format("MPIR_{}_{}_{}", collective, kind, algorithm);
        if (leaves.contains(name))
            return name;
    }
    return std::nullopt;
}

SizeKey size_key(std::string_view collective) noexcept {
    if (collective == "Bcast" || collective == "Reduce" || collective == "Allreduce" || collective == "Alltoall")
        return SizeKey::each;
    if (collective == "Allgather" || collective == "Allgatherv" || collective == "Reduce_scatter" ||
        collective == "Reduce_scatter_block")
        return SizeKey::all;
    return SizeKey::none;
}

measure::Bytes key_bytes(Place const& place, measure::Bytes bytes) noexcept {
    // For Reduce_scatter, `bytes` is the size of the whole argument already.
    bool const is_all = size_key(place.collective) == SizeKey::all && place.collective != "Reduce_scatter";
    return is_all ? bytes * place.ranks : bytes;
}

void check_tree(std::string const& base, std::vector<std::string> const& collectives) {
    auto tree = tree_from(base);
    for (auto const& name : collectives)
        static_cast<void>(branch_of(tree, name));
}

std::string tuned_tree(std::string const& base, std::set<std::string> const& leaves,
                       std::vector<TunedCollective> const& tuned) {
    Tree tree = tree_from(base);
    for (auto const& [name, by_ranks] : by_collective(tuned)) {
        auto& old = branch_of(tree, name);
        old = changed(old, by_ranks, leaves);
    }
    auto text = tree.dump(1) + "\n";
    if (text.size() % page == 0)
        text += "\n";
    return text;
}

}  // namespace measure::tool::tune
