// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/campaign.hpp"

#include "doctor/tree.hpp"
#include "pairs/binding.hpp"
#include "pairs/groups.hpp"
#include "pairs/matrix.hpp"
#include "pairs/reference.hpp"
#include "pairs/tournament.hpp"
#include "program/runtime/files.hpp"

#include <measure/comm.hpp>
#include <measure/shuffle.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string_view>
#include <utility>

namespace measure_tool::pairs {

namespace {

/// With --effect, at most.
constexpr int most_repetitions = 100;

/// Pairs of nodes that measure at the same time.
using Batch = std::vector<Pair>;

/// Of all ranks, on all ranks.
std::vector<Place> places(measure::Comm const& world) {
    doctor::Tree const tree;
    auto const units = doctor::field(tree.text("/proc/self/status").value_or(""), "Cpus_allowed_list");
    auto const mine = place_on(tree, world.host_name(), doctor::numbers_in(units.value_or("")));
    std::string text;
    for (auto const& each : world.gather(packed(mine)))
        text += each + '\n';
    world.broadcast(text);
    return all_unpacked(text);
}

/// \throws measure::UsageError  for fewer than two, and for a rank of which the part is not known
std::vector<Node> nodes_of(std::vector<Place> const& all, Per per) {
    if (per == Per::automatic) {
        bool const is_one_host =
            std::all_of(all.begin(), all.end(), [&](Place const& place) { return place.host == all.front().host; });
        per = is_one_host ? Per::rank : Per::host;
    }
    std::set<std::pair<std::string_view, int>> seen;
    std::vector<Node> nodes;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        auto const& place = all[rank];
        std::optional<int> part = 0;
        if (per == Per::socket || per == Per::core) {
            part = per == Per::socket ? place.socket : place.core;
            if (!part)
                throw measure::UsageError(fmt::format("--per {0}: rank {1} is not bound to a {0}",
                                                      per == Per::socket ? "socket" : "core", rank));
        }
        if (seen.emplace(place.host, *part).second || per == Per::rank)
            nodes.push_back({.rank = static_cast<int>(rank), .place = place});
    }
    name_nodes(nodes);
    if (nodes.size() < 2)
        throw measure::UsageError(all.size() < 2     ? "a pair needs at least two ranks"
                                  : per == Per::host ? "all ranks are on one host: --per rank measures between them"
                                                     : "all ranks share one part: --per rank measures between them");
    return nodes;
}

/// Gives each node's place its group. \throws measure::UsageError for a host without one
void give_groups(std::string const& text, std::string const& file, Result& result) {
    auto const groups = groups_in(text, file);
    std::map<std::string, int> numbers;
    for (auto& node : result.nodes) {
        auto const found = groups.find(node.place.host);
        if (found == groups.end())
            throw measure::UsageError(fmt::format("--groups '{}': host '{}' has no group", file, node.place.host));
        node.place.group = found->second;
        auto const [number, is_new] = numbers.emplace(found->second, static_cast<int>(result.groups.size()));
        if (is_new)
            result.groups.push_back(found->second);
        result.group.push_back(number->second);
    }
}

PairTable<int> classes_of(std::vector<Node> const& nodes) {
    int const n = static_cast<int>(nodes.size());
    PairTable<int> classes(n);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            classes.at(i, j) = static_cast<int>(class_of(nodes[index(i)].place, nodes[index(j)].place));
    return classes;
}

/// [node] number of its host
std::vector<int> hosts_of(std::vector<Node> const& nodes) {
    std::map<std::string, int> numbers;
    std::vector<int> hosts;
    for (auto const& node : nodes)
        hosts.push_back(numbers.emplace(node.place.host, static_cast<int>(numbers.size())).first->second);
    return hosts;
}

Faults faults_from(program::Session& session) {
    Faults faults;
    auto const number = [](std::string const& text) { return std::stoi(text); };
    // "3-7:1.2": what rank 3 begins with rank 7, and the other way round, takes 1.2 times as long.
    if (auto const hook = session.test_hook("MEASURE_TEST_PAIR"))
        for (auto const& each : program::split(*hook, ',')) {
            auto const parts = program::split(each, ':');
            auto const ends = program::split(parts.at(0), '-');
            faults.slow.push_back({number(ends.at(0)), number(ends.at(1)), std::stod(parts.at(1))});
        }
    if (auto const hook = session.test_hook("MEASURE_TEST_NODE"))
        for (auto const& each : program::split(*hook, ',')) {
            auto const parts = program::split(each, ':');
            faults.slow.push_back({number(parts.at(0)), -1, std::stod(parts.at(1))});
        }
    auto const pair_in = [&](char const* hook) {
        auto const text = session.test_hook(hook);
        if (!text)
            return Pair{-1, -1};
        auto const ends = program::split(*text, '-');
        return Pair{number(ends.at(0)), number(ends.at(1))};
    };
    // "1-2": the last byte that rank 2 has from rank 1 is changed; rank 2 never answers rank 1; it answers too late.
    faults.wrong_byte = pair_in("MEASURE_TEST_WRONG_BYTE");
    faults.silent = pair_in("MEASURE_TEST_SILENT");
    faults.late = pair_in("MEASURE_TEST_LATE");
    return faults;
}

/// The rounds of a repetition, as batches of nodes, in the order measured.
class Plan {
public:
    Plan(Options const& options, std::vector<Node> const& nodes, std::uint64_t seed)
        : hosts_{hosts_of(nodes)}, orders_{static_cast<int>(nodes.size()), seed}, random_{seed + 1} {
        int const n = static_cast<int>(nodes.size());
        rounds_.resize(index(rounds_of(n)));
        std::iota(rounds_.begin(), rounds_.end(), 0);
        if (options.rounds && *options.rounds < rounds_of(n)) {
            // The same pairs in each repetition: a value needs several.
            measure::shuffle(std::span{rounds_}, random_);
            rounds_.resize(index(*options.rounds));
            fixed_ = orders_.next();
        }
    }

    [[nodiscard]] int rounds() const noexcept { return static_cast<int>(rounds_.size()); }
    /// In the odd number of nodes one rests in each round.
    [[nodiscard]] std::size_t pairs() const noexcept { return rounds_.size() * (hosts_.size() / 2); }

    /// [seat] its node. Another one in each repetition: pairs that cross one cable must not always be the same.
    std::vector<int> seats() { return fixed_.empty() ? orders_.next() : fixed_; }

    /// [batch] \param round  0 .. rounds() - 1
    [[nodiscard]] std::vector<Batch> batches(int round, std::vector<int> const& seats, Mode mode) const {
        Batch all;
        for (auto const& [a, b] : meetings(static_cast<int>(hosts_.size()), rounds_[index(round)]))
            all.push_back(pair_of(seats[index(a)], seats[index(b)]));
        return batches(all, mode);
    }

private:
    [[nodiscard]] std::vector<Batch> batches(Batch const& all, Mode mode) const {
        if (mode == Mode::loaded)
            return {all};
        if (mode == Mode::hosts)
            return apart(all, hosts_);
        std::vector<Batch> one_by_one;
        for (auto const& pair : all)
            one_by_one.push_back({pair});
        return one_by_one;
    }

    std::vector<int> hosts_;
    measure::RandomOrders orders_;
    std::mt19937_64 random_;
    std::vector<int> rounds_{};
    std::vector<int> fixed_{};
};

class Campaign {
public:
    Campaign(Options const& options, program::Session& session, Result& result)
        : session_{session}, world_{session.world()}, options_{options}, nodes_{nodes_of(places(world_), options.per)},
          plan_{options, nodes_, session.common().seed}, timer_{measure::timer_from(session.common().timer, world_,
                                                                                    session.common().seed)},
          exchange_{world_, timer_, options.exchange, faults_from(session)}, control_{session.control()}, result_{
                                                                                                              result} {
        result_.options = options;
        result_.options.rules.seed = session.common().seed;
        result_.nodes = nodes_;
        if (!options.groups.empty())
            give_groups(program::read_file(world_, options.groups), options.groups, result_);
        result_.rounds = plan_.rounds();
        result_.planned = plan_.pairs();
        result_.is_oversubscribed = world_.oversubscribed();
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            if (nodes_[node].rank == world_.rank())
                me_ = static_cast<int>(node);
    }

    void list() {
        begin();
        auto& text = session_.text();
        text << fmt::format("{} nodes, {} pairs, {} of {} rounds, {} repetitions\n", nodes_.size(), result_.planned,
                            result_.rounds, rounds_of(static_cast<int>(nodes_.size())), options_.repetitions);
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            text << fmt::format("node {}: {}, rank {}\n", node, nodes_[node].name, nodes_[node].rank);
        for (auto const mode : modes())
            for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
                auto const seats = plan_.seats();
                for (int round = 0; round < plan_.rounds(); ++round) {
                    text << fmt::format("repetition {}, round {}:", repetition, round);
                    auto const batches = plan_.batches(round, seats, mode);
                    for (auto const& batch : batches) {
                        for (auto const& [i, j] : batch)
                            text << fmt::format(" {}-{}", i, j);
                        text << (&batch == &batches.back() ? "\n" : " |");
                    }
                }
            }
    }

    void run() {
        auto const all = modes();
        need_memory(all.size());
        begin();
        if (world_.is_root())
            result_.classes = classes_of(result_.nodes);
        plan_rounds();
        started_ = std::chrono::steady_clock::now();
        for (auto const mode : all)
            tournament(mode);
        look_where();
        note_migrated();
        judge_all();
        if (!rows_.empty())
            result_.matrix_sha256 = write_matrix(world_, options_.matrix, result_, me_, rows_);
    }

private:
    /// The root holds all values. \throws UsageError, on all ranks, where it has not the memory
    void need_memory(std::size_t tournaments) {
        auto const hook = session_.test_hook("MEASURE_TEST_PAIRS_MEMORY");
        double available = std::numeric_limits<double>::infinity();
        doctor::Tree const tree;
        if (auto const text = hook ? hook : doctor::field(tree.text("/proc/meminfo").value_or(""), "MemAvailable"))
            available = std::atof(text->c_str()) * 1024;
        world_.broadcast(available);
        auto largest = result_;
        if (options_.effect)
            largest.options.repetitions = most_repetitions;
        double const needed = memory_of(nodes_.size(), plan_.pairs(), tournaments, largest);
        if (needed <= available)
            return;
        auto const n = static_cast<double>(nodes_.size());
        throw measure::UsageError(fmt::format(
            "the values of {:.0f} pairs of {} nodes need {:.3g} GB on rank 0, where {:.3g} GB are free: take fewer {}",
            n * (n - 1) / 2, nodes_.size(), needed * 1e-9, available * 1e-9,
            is_by_host(nodes_) ? "hosts" : "ranks, or --per host"));
    }

    /// Its pairs are of no use to other ranks than the root.
    void read_reference() {
        if (options_.reference.empty())
            return;
        program::read_on_root(world_, options_.reference, program::Limit::line, [this](std::string const& text) {
            auto const run = known_pairs(text, options_.reference);
            try {
                for (auto const quantity : result_.wanted())
                    references_[static_cast<std::size_t>(quantity)] =
                        reference_logs(run, quantity, modes().front(), nodes_, options_.exchange);
            } catch (measure::UsageError const& error) {
                throw measure::UsageError(fmt::format("--reference '{}': {}", options_.reference, error.what()));
            }
        });
    }

    void begin() {
        read_reference();
        program::warn_of_oversubscription(session_);
        measure::Value fields = measure::Value::Object{};
        option_table().describe(options_, fields);
        auto const& run = session_.begin(timer_, std::move(fields));
        result_.where = fmt::format("{}, {} ranks on {} host{}, {}", run.mpi_library.value_or("MPI"), world_.size(),
                                    run.hosts.size(), run.hosts.size() == 1 ? "" : "s", run.started);
    }

    [[nodiscard]] std::vector<Mode> modes() const {
        if (options_.mode != Mode::both)
            return {options_.mode};
        // Where nobody shares a host, all pairs of a round are apart, and load each other on the way.
        return {is_by_host(nodes_) ? Mode::alone : Mode::hosts, Mode::loaded};
    }

    /// Collective over the world. Ranks outside of the batch sleep. A pair without an answer is asked once more, and
    /// rests from then on if there is none again. \param low_begins  whose clock is read
    /// \return on the root what each pair of the batch measured; nothing where the time budget is spent
    std::optional<std::vector<PairTimes>> measure_batch(Batch batch, bool low_begins, bool latency, bool bandwidth) {
        std::erase_if(batch, [&](Pair const& pair) { return resting_.count(pair) != 0; });
        own_ = {};
        Batch silent;
        auto all = measure_once(batch, low_begins, latency, bandwidth, silent);
        if (!all || silent.empty())
            return all;
        Batch again;
        auto const later = measure_once(silent, low_begins, latency, bandwidth, again);
        if (!later)
            return std::nullopt;
        all->insert(all->end(), later->begin(), later->end());
        resting_.insert(again.begin(), again.end());
        result_.unanswered.insert(again.begin(), again.end());
        return all;
    }

    /// \param silent  becomes those without an answer, on all ranks
    std::optional<std::vector<PairTimes>> measure_once(Batch const& batch, bool low_begins, bool latency,
                                                       bool bandwidth, Batch& silent) {
        if (session_.meet())
            return std::nullopt;
        PairTimes mine;
        for (auto const& [i, j] : batch) {
            if (i != me_ && j != me_)
                continue;
            Pair const ranks{rank_of(i), rank_of(j)};
            // Whoever never answers is named by the watchdog.
            session_.next(fmt::format("{}, {}", place_, result_.link_name(i, j)));
            control_.in_body(true);
            auto const times = exchange_.meet(ranks, low_begins ? ranks.first : ranks.second, latency, bandwidth);
            control_.in_body(false);
            if (world_.rank() == ranks.first)
                mine = times;
            if (times.answered)
                own_ = times;
        }
        world_.idle_barrier();
        auto all = world_.gather(mine);
        std::erase_if(all, [](PairTimes const& times) { return times.low < 0; });
        std::vector<int> ends;
        for (auto& times : all) {
            times.low = node_of(times.low);
            times.high = node_of(times.high);
            note_wrong(times);
            if (!times.answered)
                ends.insert(ends.end(), {times.low, times.high});
        }
        std::erase_if(all, [](PairTimes const& times) { return !times.answered; });
        world_.broadcast(ends);
        for (std::size_t k = 0; k < ends.size(); k += 2)
            silent.emplace_back(ends[k], ends[k + 1]);
        return all;
    }

    void enter(std::string place) {
        place_ = std::move(place);
        session_.next(place_);
    }

    void look_where() {
        if (auto const unit = doctor::current_unit(doctor::Tree{}))
            units_.insert(*unit);
    }

    void note_migrated() {
        auto const ranks = world_.gather(units_.size() > 1 ? 1 : 0);
        for (auto& node : result_.nodes)
            node.migrated = world_.is_root() && ranks[index(node.rank)] != 0;
    }

    void tournament(Mode mode) {
        bool const is_first = result_.tournaments.empty();
        bool const follows_effort = options_.effect && why_untested(result_).empty();
        if (!options_.matrix.empty())
            rows_.push_back({mode, std::vector<PairValues>(nodes_.size())});
        auto& tournament = result_.tournaments.emplace_back(
            Tournament{mode, PairTable<PairValues>(world_.is_root() ? static_cast<int>(nodes_.size()) : 0)});
        for (int repetition = 0; repetition < result_.options.repetitions; ++repetition) {
            auto const seats = plan_.seats();
            look_where();
            for (int round = 0; round < plan_.rounds(); ++round) {
                enter(fmt::format("repetition {} of {}, round {} of {}{}", repetition + 1, result_.options.repetitions,
                                  round + 1, plan_.rounds(), mode == Mode::loaded ? ", loaded" : ""));
                for (auto const& batch : plan_.batches(round, seats, mode)) {
                    // Roles are swapped in every other repetition: what a role costs is then in all pairs alike.
                    auto const seen = measure_batch(batch, repetition % 2 == 0, result_.wants(Metric::latency),
                                                    result_.wants(Metric::bandwidth));
                    if (!seen) {
                        is_out_of_time_ = true;
                        session_.incomplete();
                        return;
                    }
                    for (auto const& times : *seen)
                        keep(tournament.values.at(times.low, times.high), times);
                    if (!rows_.empty() && own_.low >= 0)
                        keep(rows_.back().values[index(node_of(own_.low == world_.rank() ? own_.high : own_.low))],
                             own_);
                }
                session_.done();
                if (is_first && repetition == 0 && round == 0 && !follows_effort)
                    say_expected(1);
            }
            if (is_first && repetition == 0 && follows_effort) {
                choose_effort();
                say_expected(plan_.rounds());
            }
        }
    }

    [[nodiscard]] std::int64_t all_rounds() const {
        return static_cast<std::int64_t>(modes().size()) * result_.options.repetitions * plan_.rounds();
    }

    void plan_rounds() { session_.plan(all_rounds(), "rounds"); }

    /// How long all rounds take, if they are like the first ones. \param done  so many
    void say_expected(int done) {
        auto const rounds = all_rounds();
        if (!world_.is_root() || rounds <= done)
            return;
        auto const elapsed = measure::seconds{std::chrono::steady_clock::now() - started_};
        auto& text = options_.csv == "-" ? std::cerr : session_.text();
        text << fmt::format("# expected: {} rounds, {:.0f} s\n", rounds,
                            elapsed.count() * static_cast<double>(rounds) / done)
             << std::flush;
    }

    /// After one repetition: what it takes to find the effect asked for, and what the time allows.
    void choose_effort() {
        Effort chosen;
        if (world_.is_root()) {
            auto most = static_cast<double>(most_repetitions);
            auto const elapsed = measure::seconds{std::chrono::steady_clock::now() - started_};
            // Some time is left for the confirmation.
            if (auto const budget = session_.common().time_budget)
                most = std::min(most, 0.7 * *budget / elapsed / static_cast<double>(modes().size()));
            for (auto const quantity : result_.wanted()) {
                auto const judged = judge(result_, quantity, references_[static_cast<std::size_t>(quantity)]);
                auto const effort = effort_for(judged.fit, *options_.effect, std::max(3, static_cast<int>(most)),
                                               result_.options.rules);
                chosen.repetitions = std::max(chosen.repetitions, effort.repetitions);
                chosen.confirm = std::max(chosen.confirm, effort.confirm);
                chosen.reach.link = std::max(chosen.reach.link, effort.reach.link);
                chosen.reach.node = std::max(chosen.reach.node, effort.reach.node);
            }
        }
        world_.broadcast(chosen);
        result_.effort = chosen;
        result_.options.repetitions = chosen.repetitions;
        result_.options.rules.confirm = chosen.confirm;
        plan_rounds();
    }

    static void keep(PairValues& values, PairTimes const& times) {
        if (!std::isnan(times.latency))
            values.latency.push_back(times.latency);
        if (!std::isnan(times.up)) {
            values.up.push_back(times.up);
            values.down.push_back(times.down);
        }
    }

    void note_wrong(PairTimes const& times) {
        if (times.wrong_at < 0)
            return;
        int const from = node_of(times.wrong_from);
        int const to = from == times.low ? times.high : times.low;
        auto const known = std::find_if(result_.wrong.begin(), result_.wrong.end(),
                                        [&](WrongData const& wrong) { return wrong.from == from && wrong.to == to; });
        if (known == result_.wrong.end())
            result_.wrong.push_back({from, to, times.wrong_at, 1});
        else
            ++known->times;
    }

    /// The root judges; the others carry out the trials that it asks for.
    void judge_all() {
        auto reason = why_untested(result_);
        if (reason.empty() && is_out_of_time_)
            reason = "the time budget was spent before all pairs were measured";
        result_.untested = reason;
        if (!world_.is_root()) {
            if (reason.empty())
                serve();
            return;
        }
        judge_metrics();
        if (result_.tournaments.size() == 2)
            for (auto& judged : result_.judged)
                if (judged.quantity != Metric::direction)
                    judged.loaded = loaded_ratios(result_, judged.quantity);
        if (!reason.empty())
            return;
        auto const& rules = result_.options.rules;
        judge_bindings(rules);
        auto const seen = seen_of(result_);
        auto suspects = screen(seen, rules.threshold);
        auto const groups = slow_groups(seen, result_.group, result_.groups.size(), rules);
        for (auto const& finding : groups)
            std::erase_if(suspects, [&](Suspect const& suspect) {
                return suspect.kind == Kind::node && suspect.quantity == finding.suspect.quantity &&
                       result_.group[index(suspect.a)] == finding.suspect.a;
            });
        result_.verdict =
            confirm(seen, suspects, rules, [this](std::span<Trial const> trials) { return carry_out(trials); });
        leave_to_directions(result_, result_.verdict.findings);
        result_.verdict.findings.insert(result_.verdict.findings.begin(), groups.begin(), groups.end());
        dismiss();
        if (is_out_of_time_) {
            result_.verdict.findings.clear();
            result_.untested = "the time budget was spent before suspects were measured again";
            return;
        }
        for (auto& judged : result_.judged)
            if (!std::isnan(judged.noise))
                judged.smallest = detectable(judged.fit, judged.noise, result_.options.repetitions,
                                             std::max<std::size_t>(1, result_.verdict.sieved), rules);
    }

    void judge_metrics() {
        result_.judged.clear();
        for (auto const quantity : result_.wanted())
            result_.judged.push_back(judge(result_, quantity, references_[static_cast<std::size_t>(quantity)]));
    }

    /// A rank that is bound elsewhere is no slow node: its pairs are judged as what they are.
    void judge_bindings(Rules const& rules) {
        auto const verdict = confirm(seen_of(result_), displaced(result_, 0), rules,
                                     [this](std::span<Trial const> trials) { return carry_out(trials); });
        for (auto const& finding : verdict.findings)
            if (finding.confirmed) {
                result_.bindings.push_back(finding);
                move(finding.suspect, result_.classes);
            }
        if (!result_.bindings.empty()) {
            auto const loaded = result_.judged;
            judge_metrics();
            for (std::size_t number = 0; number < loaded.size(); ++number)
                result_.judged[number].loaded = loaded[number].loaded;
        }
    }

    /// What the root asks all ranks for.
    struct Order {
        int i = -1;  ///< nodes; -1: the confirmation is over
        int j = -1;
        bool low_begins = true;
        bool is_latency = true;
    };

    /// Collective: the root gives the order. \return whether it was one; what it gave in `times`, on the root
    bool follow(Order& order, std::vector<PairTimes>& times) {
        // The root thinks between orders: nobody is to spin meanwhile.
        world_.idle_barrier();
        world_.broadcast(order);
        if (order.i < 0)
            return false;
        auto seen =
            measure_batch(Batch{pair_of(order.i, order.j)}, order.low_begins, order.is_latency, !order.is_latency);
        is_out_of_time_ = is_out_of_time_ || !seen;
        times = seen.value_or(std::vector<PairTimes>{});
        return true;
    }

    void serve() {
        enter("confirmation");
        Order order;
        std::vector<PairTimes> none;
        while (follow(order, none)) {
        }
    }

    void dismiss() {
        Order end;
        std::vector<PairTimes> none;
        static_cast<void>(follow(end, none));
    }

    std::vector<Outcome> carry_out(std::span<Trial const> trials) {
        enter(fmt::format("confirmation, {} trials", trials.size()));
        std::vector<Outcome> outcomes;
        for (auto const& trial : trials) {
            Outcome outcome;
            outcome.controls.assign(trial.controls.size(), not_measured);
            if (!is_out_of_time_)
                measure_trial(trial, outcomes.size() % 2 == 0, outcome);
            outcomes.push_back(std::move(outcome));
        }
        if (is_out_of_time_)
            session_.incomplete();
        return outcomes;
    }

    /// Candidate and controls, each with the network to itself.
    void measure_trial(Trial const& trial, bool low_begins, Outcome& outcome) {
        auto const& judged = result_.judged[trial.quantity];
        auto const value = [&](Pair const& pair) {
            Order order{pair.first, pair.second, low_begins, judged.quantity == Metric::latency};
            std::vector<PairTimes> seen;
            static_cast<void>(follow(order, seen));
            return seen.empty()
                       ? not_measured
                       : log_of(seen.front(), judged.quantity, pair) - judged.referred(pair.first, pair.second);
        };
        // Before or after its controls: what drifts then takes no side.
        if (low_begins)
            outcome.candidate = value(trial.candidate);
        for (std::size_t k = 0; k < trial.controls.size(); ++k)
            outcome.controls[k] = value(trial.controls[k]);
        if (!low_begins)
            outcome.candidate = value(trial.candidate);
    }

    /// As it was fitted. \param pair  of directions in the order sent
    static double log_of(PairTimes const& times, Metric quantity, Pair const& pair) {
        if (quantity == Metric::latency)
            return std::log(times.latency);
        if (quantity == Metric::bandwidth)
            return std::log((times.up + times.down) / 2);
        return std::log(pair.first < pair.second ? times.up / times.down : times.down / times.up);
    }

    [[nodiscard]] int rank_of(int node) const { return nodes_[index(node)].rank; }
    [[nodiscard]] int node_of(int rank) const {
        auto const found = std::lower_bound(nodes_.begin(), nodes_.end(), rank,
                                            [](Node const& node, int wanted) { return node.rank < wanted; });
        return static_cast<int>(found - nodes_.begin());
    }

    program::Session& session_;
    measure::Comm const& world_;
    Options const& options_;
    std::vector<Node> nodes_;
    Plan plan_;
    measure::AnyTimer timer_;
    Exchange exchange_;
    measure::Control control_;
    Result& result_;
    int me_ = -1;                                          ///< node; -1: takes no part
    std::set<Pair> resting_{};                             ///< that had no answer
    PairTimes own_{};                                      ///< of this rank's pair in the last batch
    std::vector<Row> rows_{};                              ///< of this rank, for --matrix
    std::string place_{};                                  ///< in the run, for progress and watchdog
    std::array<PairTable<double>, metrics> references_{};  ///< [metric]; root
    std::chrono::steady_clock::time_point started_{};
    std::set<int> units_{};  ///< processing units seen in use
    bool is_out_of_time_ = false;
};

}  // namespace

void list(Options const& options, program::Session& session) {
    Result result;
    Campaign{options, session, result}.list();
}

void measure_pairs(Options const& options, program::Session& session, Result& result) {
    Campaign{options, session, result}.run();
}

}  // namespace measure_tool::pairs
