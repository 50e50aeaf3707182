// SPDX-License-Identifier: BSD-3-Clause
#include "tune/campaign.hpp"

#include "shared/plain_text.hpp"
#include "shared/sha256.hpp"
#include "tune/budget.hpp"
#include "tune/phases/canary.hpp"
#include "tune/phases/check.hpp"
#include "tune/phases/decision.hpp"
#include "tune/phases/proof.hpp"
#include "tune/phases/search.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace measure::tool::tune {

namespace {

/// Whether any algorithm can be selected by MPI_T.
bool acts(LibraryFacts const& facts) {
    return std::any_of(facts.collectives.begin(), facts.collectives.end(), [](Collective const& one) {
        return std::any_of(one.algorithms.begin(), one.algorithms.end(),
                           [](Algorithm const& a) { return a.name != default_name && a.is_writable; });
    });
}

/// Notes a file of choices that an earlier command of this campaign has written.
void note_older_file(Context& c) {
    for (auto const family : {LibraryFamily::mpich, LibraryFamily::open_mpi}) {
        auto const file = c.folder.file(std::string{file_name(family)});
        if (std::filesystem::exists(file))
            c.out.notes.push_back(
                fmt::format("'{}' is from before --resume and stays until the campaign is complete", file.string()));
    }
}

/// Checks that the setting that switches han off reaches the ranks, and adds a note.
void turn_han_off(Context& c) {
    auto const& facts = c.out.facts;
    if (facts.family != LibraryFamily::open_mpi)
        throw measure::UsageError(fmt::format("--no-han: {} has no component han", facts.library));
    auto const [name, value] = without_han().front();
    auto const& there = facts.run.mpi_settings;
    if (!there || std::find(there->begin(), there->end(), measure::Setting{name, value}) == there->end())
        throw measure::UsageError(
            fmt::format("--no-han: {}={} does not reach the ranks; make the launcher pass it on", name, value));
    c.out.notes.push_back(fmt::format("component han is off in all launches ({}={}) and must be off where the file is "
                                      "used: the default here is that of the library without han",
                                      name, value));
}

void list(Context& c) {
    c.next("list of algorithms");
    auto const& launched = c.launches.run({.phase = Phase::list});
    if (!launched.failure.empty())
        throw std::runtime_error(fmt::format("a launch {}", launched.failure));
    c.out.facts = facts_of(launched.record);
    c.start = launched.seconds;  // an upper estimate: later launches may be faster on a busy machine
    keep(c.out.facts, c.options.collectives);
    if (c.out.facts.family != LibraryFamily::mpich && !c.options.base.empty())
        throw measure::UsageError(
            fmt::format("--base cannot be used with {}: its files contain only the changes", c.out.facts.library));
    if (c.options.no_han)
        turn_han_off(c);
    if (c.base.empty())
        c.base = c.out.facts.tree;
    if (c.out.facts.family == LibraryFamily::mpich && c.base.empty())
        throw measure::UsageError(fmt::format("the library file of {} ({}) contains no tree of choices; give one with "
                                              "--base",
                                              c.out.facts.library, c.out.facts.file));
    c.out.via = c.options.via.value_or(acts(c.out.facts) ? Via::mpi_t : Via::environment);
    // A base that cannot be used is refused before anything is measured.
    if (c.out.facts.family == LibraryFamily::mpich) {
        std::vector<std::string> names;
        for (auto const& one : c.out.facts.collectives)
            names.push_back(one.name);
        check_tree(c.base, names);
    }
    auto const world = c.out.facts.run.ranks;
    auto const& ranks = c.options.ranks;
    if (!ranks.empty() && ranks.back() > world)
        throw measure::UsageError(fmt::format("--ranks {}: the launcher starts only {} ranks", ranks.back(), world));
    if (!ranks.empty() && ranks.front() < world && c.out.facts.run.hosts.size() > 1)
        c.session.warn(fmt::format("the first {} of {} ranks may be placed differently from a launch of {} ranks",
                                   ranks.front(), world, ranks.front()));
    for (auto const& one : c.out.facts.collectives)
        for (int const number : ranks.empty() ? std::vector{world} : ranks)
            c.places.push_back({{one.name, number}, sizes_of(c.options.sizes, one.name)});
    for (auto const& text : unknown_names(c.out.facts))
        c.session.warn(text);
    for (auto& one : c.out.facts.collectives) {
        std::erase_if(one.algorithms, [&](Algorithm const& algorithm) {
            bool const is_nameless = algorithm.name != default_name && !c.can_be_in_file(one.name, algorithm.name);
            if (is_nameless)
                c.out.excluded.push_back({{one.name}, algorithm.name, "the library's files have no name for it"});
            return is_nameless;
        });
        for (auto const& algorithm : one.algorithms)
            if (c.out.via == Via::mpi_t && !algorithm.is_writable)
                c.out.excluded.push_back({{one.name}, algorithm.name, "the library rejects the value"});
    }
}

}  // namespace

Campaign::Campaign(TuneOptions const& options, Launches& launches, RunFolder& folder, std::string base,
                   program::Session& session)
    : c_{options, launches, folder, session, std::move(base)} {}

template <class Phases>
Outcome Campaign::outcome_of(Phases phases) {
    try {
        phases();
        c_.out.is_complete = true;
    } catch (BudgetSpent const&) {
        c_.out.missing.push_back(
            fmt::format("the budget was spent before the end of '{}'; use --resume to continue", c_.step));
        if (c_.out.proved.empty())
            note_older_file(c_);
    }
    c_.out.costs = c_.launches.costs();
    return std::move(c_.out);
}

Outcome Campaign::run() {
    return outcome_of([&] {
        list(c_);
        check(c_);
        keep_within_budget(c_);
        search(c_);
        decide_all(c_);
        prove_all(c_);
    });
}

Outcome Campaign::prove(EarlierTuning const& earlier) {
    return outcome_of([&] {
        c_.out.proved = earlier.file;
        c_.out.proved_text = earlier.text;
        // The canary's file is a changed copy of the file to prove.
        if (family_of(earlier.library) == LibraryFamily::mpich)
            c_.base = earlier.text;
        list(c_);
        if (family_of(earlier.library) != c_.out.facts.family)
            throw measure::UsageError(
                fmt::format("'{}' is for {}, but this is {}", earlier.file, earlier.library, c_.out.facts.library));
        if (earlier.ranks != c_.out.facts.run.ranks)
            throw measure::UsageError(fmt::format("'{}' is for {}, but the launcher starts {}", earlier.file,
                                                  counted(static_cast<std::size_t>(earlier.ranks), "rank", "ranks"),
                                                  c_.out.facts.run.ranks));
        if (earlier.library != c_.out.facts.library)
            c_.session.warn(fmt::format("'{}' was made with {}, but this is {}", earlier.file, earlier.library,
                                        c_.out.facts.library));
        if (!earlier.sha256.empty() && sha256_if_built(earlier.text).value_or(earlier.sha256) != earlier.sha256)
            c_.session.warn(
                fmt::format("'{}' was changed after the campaign wrote it: its SHA-256 differs", earlier.file));
        c_.out.segments = earlier.segments;
        look_for_effect(c_, earlier.screened);
        c_.out.has_slower = !prove_once(c_, rules_of(c_.out.segments), earlier.file);
        for (auto& one : c_.out.segments)
            if (one.proof)
                one.default_time = one.proof->a;
            else if (is_in_file(one))
                c_.out.missing.push_back(fmt::format("{}{}: not all sizes have a value in the proof",
                                                     text_of(one.place), size_text(one.segment.low)));
    });
}

}  // namespace measure::tool::tune
