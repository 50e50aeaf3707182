// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/campaign.hpp"

#include "machine/tree.hpp"
#include "pairs/binding.hpp"
#include "pairs/groups.hpp"
#include "pairs/reference.hpp"
#include "pairs/together.hpp"
#include "pairs/tournament.hpp"
#include "program/runtime/control_groups.hpp"
#include "program/runtime/files.hpp"

#include <measure/agree.hpp>
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

namespace measure::tool::pairs {

namespace {

/// Maximum repetitions with --effect.
constexpr int most_repetitions = 100;

/// Maximum number of partners, summed over nodes, that the root caches.
constexpr std::size_t most_partners_kept = 1000000;

/// Pairs of nodes that measure at the same time.
using Batch = std::vector<Pair>;

/// The places of all ranks, on all ranks.
std::vector<Place> places(measure::Comm const& world) {
    machine::Tree const tree;
    auto const units = machine::field(tree.text("/proc/self/status").value_or(""), "Cpus_allowed_list");
    auto const mine = place_on(tree, world.host_name(), machine::numbers_in(units.value_or("")));
    std::string text;
    for (auto const& each : world.gather(packed(mine)))
        text += each + '\n';
    world.broadcast(text);
    return all_unpacked(text);
}

/// [node] index of its host
std::vector<int> hosts_of(std::vector<Node> const& nodes) {
    std::map<std::string, int> numbers;
    std::vector<int> hosts;
    for (auto const& node : nodes)
        hosts.push_back(numbers.emplace(node.place.host, static_cast<int>(numbers.size())).first->second);
    return hosts;
}

/// The rounds of a repetition, as batches of pairs, in the order measured.
class Plan {
public:
    Plan(Options const& options, std::vector<Node> const& nodes, std::uint64_t seed)
        : hosts_{hosts_of(nodes)}, orders_{static_cast<int>(nodes.size()), seed}, random_{seed + 1} {
        int const n = static_cast<int>(nodes.size());
        rounds_.resize(index(rounds_of(n)));
        std::iota(rounds_.begin(), rounds_.end(), 0);
        if (options.rounds && *options.rounds < rounds_of(n)) {
            // The same pairs are measured in each repetition, because a value needs several repetitions.
            measure::shuffle(std::span{rounds_}, random_);
            rounds_.resize(index(*options.rounds));
            fixed_ = orders_.next();
        }
    }

    [[nodiscard]] int rounds() const noexcept { return static_cast<int>(rounds_.size()); }
    /// Number of pairs in a repetition. With an odd number of nodes, one is idle in each round.
    [[nodiscard]] std::size_t pairs() const noexcept { return rounds_.size() * (hosts_.size() / 2); }

    /// [seat] its node. Changes with each repetition, so that different pairs share a cable.
    std::vector<int> seats() { return fixed_.empty() ? orders_.next() : fixed_; }

    /// Batches of one round. \param round  0 .. rounds() - 1
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
        share_ = Share::one(static_cast<int>(nodes_.size()), me_);
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
        plan_rounds();
        started_ = measure::SteadyClock::now();
        for (auto const mode : all)
            tournament(mode);
        look_where();
        note_migrated();
        judge_all();
    }

private:
    /// \throws UsageError, on all ranks, if a host lacks the memory for the rows of its nodes
    void need_memory(std::size_t tournaments) {
        auto const hook = session_.test_hook("MEASURE_TEST_PAIRS_MEMORY");
        measure::agree_on_failure(world_, [&] {
            auto const found = program::process_memory().available;
            double const available = hook        ? std::atof(hook->c_str()) * 1024
                                     : found > 0 ? static_cast<double>(found)
                                                 : std::numeric_limits<double>::infinity();
            auto largest = result_;
            if (options_.effect)
                largest.options.repetitions = most_repetitions;
            auto const host = world_.host_name();
            auto const here =
                std::count_if(nodes_.begin(), nodes_.end(), [&](Node const& node) { return node.place.host == host; });
            auto const partners = std::min(index(plan_.rounds()), nodes_.size() - 1);
            double const needed = static_cast<double>(here) * memory_of(nodes_.size(), partners, tournaments, largest);
            if (needed <= available)
                return;
            auto const n = static_cast<double>(nodes_.size());
            throw measure::UsageError(
                fmt::format("the values of {:.0f} pairs of {} nodes need {:.3g} GB on '{}', but {:.3g} GB are free; "
                            "use fewer {}",
                            n * (n - 1) / 2, nodes_.size(), needed * 1e-9, host, available * 1e-9,
                            is_by_host(nodes_) ? "hosts" : "ranks, or --per host"));
        });
    }

    void read_reference() {
        if (options_.reference.empty())
            return;
        auto const named = [this](auto work) {
            try {
                return work();
            } catch (measure::UsageError const& error) {
                throw measure::UsageError(fmt::format("--reference '{}': {}", options_.reference, error.what()));
            }
        };
        Reference reference{share_, nodes_, modes().front(), options_.exchange};
        PairReader reader{options_.reference};
        std::vector<Matched> matched;
        program::read_pieces(
            world_, options_.reference,
            [&](std::string const& piece) {
                session_.alive();
                matched.clear();
                auto const pairs = reader.read(piece);
                named([&] {
                    for (auto const& pair : pairs)
                        if (auto const each = result_.wants(pair.quantity) ? reference.match(pair) : std::nullopt)
                            matched.push_back(*each);
                });
            },
            [&] {
                world_.broadcast(matched);
                for (auto const& pair : matched)
                    reference.keep(pair);
            });
        measure::on_root(world_, [&] { reader.end(); });
        for (auto const quantity : result_.wanted())
            references_[static_cast<std::size_t>(quantity)] = named([&] { return reference.logs(world_, quantity); });
    }

    void begin() {
        read_reference();
        program::warn_of_oversubscription(session_);
        measure::Value fields = measure::Value::Object{};
        option_table().describe(options_, fields);
        auto const& run = session_.begin(timer_, std::move(fields));
        result_.timer = run.timer;
        result_.where = fmt::format("{}, {} ranks on {} host{}, {}", run.mpi_library.value_or("MPI"), world_.size(),
                                    run.hosts.size(), run.hosts.size() == 1 ? "" : "s", run.started);
    }

    [[nodiscard]] std::vector<Mode> modes() const {
        if (options_.mode != Mode::both)
            return {options_.mode};
        // If no two nodes share a host, `hosts` would run all pairs of a round at once, and they would load each
        // other in the network.
        return {is_by_host(nodes_) ? Mode::alone : Mode::hosts, Mode::loaded};
    }

    /// Collective over the world. Ranks outside of the batch sleep. A pair that times out is measured again, and is
    /// skipped from then on if it times out twice.
    /// \param low_begins  whether the smaller rank begins and reads its clock
    /// \return false if the time budget is spent; the values must then be discarded
    bool measure_batch(Batch batch, bool low_begins, bool latency, bool bandwidth) {
        std::erase_if(batch, [&](Pair const& pair) { return resting_.count(pair) != 0; });
        own_ = {};
        Batch silent;
        if (!measure_once(batch, low_begins, latency, bandwidth, silent))
            return false;
        if (silent.empty())
            return true;
        Batch again;
        if (!measure_once(silent, low_begins, latency, bandwidth, again))
            return false;
        resting_.insert(again.begin(), again.end());
        result_.unanswered.insert(again.begin(), again.end());
        return true;
    }

    /// \param silent  receives the pairs that timed out, on all ranks
    bool measure_once(Batch const& batch, bool low_begins, bool latency, bool bandwidth, Batch& silent) {
        if (session_.meet())
            return false;
        PairTimes mine;
        for (auto const& [i, j] : batch) {
            if (i != me_ && j != me_)
                continue;
            Pair const ranks{rank_of(i), rank_of(j)};
            // The watchdog reports this place if the partner stops answering.
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
        std::vector<int> ends;
        for (auto& times : world_.gather(mine)) {
            if (times.low < 0)
                continue;
            times.low = node_of(times.low);
            times.high = node_of(times.high);
            note_wrong(times);
            if (!times.answered)
                ends.insert(ends.end(), {times.low, times.high});
        }
        world_.broadcast(ends);
        for (std::size_t k = 0; k < ends.size(); k += 2)
            silent.emplace_back(ends[k], ends[k + 1]);
        return true;
    }

    void enter(std::string place) {
        place_ = std::move(place);
        session_.next(place_);
    }

    void look_where() {
        if (auto const unit = machine::current_unit(machine::Tree{}))
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
        auto& values = result_.tournaments.emplace_back(Tournament{mode, Rows<PairValues>{share_}}).values;
        for (int repetition = 0; repetition < result_.options.repetitions; ++repetition) {
            auto const seats = plan_.seats();
            look_where();
            for (int round = 0; round < plan_.rounds(); ++round) {
                enter(fmt::format("repetition {} of {}, round {} of {}{}", repetition + 1, result_.options.repetitions,
                                  round + 1, plan_.rounds(), mode == Mode::loaded ? ", loaded" : ""));
                for (auto const& batch : plan_.batches(round, seats, mode)) {
                    // Roles are swapped in every other repetition, so that the cost of a role is equal for all pairs.
                    if (!measure_batch(batch, repetition % 2 == 0, result_.wants(Metric::latency),
                                       result_.wants(Metric::bandwidth))) {
                        is_out_of_time_ = true;
                        session_.incomplete();
                        return;
                    }
                    if (own_.low >= 0)
                        keep(values.at(me_, node_of(own_.low == world_.rank() ? own_.high : own_.low)), own_);
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

    /// Prints the expected time of all rounds, extrapolated from the first ones. \param done  number of rounds done
    void say_expected(int done) {
        auto const rounds = all_rounds();
        if (!world_.is_root() || rounds <= done)
            return;
        auto const elapsed = measure::seconds{measure::SteadyClock::now() - started_};
        auto& text = options_.csv == "-" ? std::cerr : session_.text();
        text << fmt::format("# expected: {} rounds, {:.0f} s\n", rounds,
                            elapsed.count() * static_cast<double>(rounds) / done)
             << std::flush;
    }

    /// Chooses repetitions and trials after the first repetition: enough for --effect, within the time budget.
    void choose_effort() {
        judge_metrics();
        Effort chosen;
        if (world_.is_root()) {
            auto most = static_cast<double>(most_repetitions);
            auto const elapsed = measure::seconds{measure::SteadyClock::now() - started_};
            // Leaves 30 % of the time for the confirmation.
            if (auto const budget = session_.common().time_budget)
                most = std::min(most, 0.7 * *budget / elapsed / static_cast<double>(modes().size()));
            for (auto const& judged : result_.judged) {
                auto const effort = effort_for(judged.fit, *options_.effect, std::max(3, static_cast<int>(most)),
                                               result_.options.rules);
                chosen.repetitions = std::max(chosen.repetitions, effort.repetitions);
                chosen.confirm = std::max(chosen.confirm, effort.confirm);
                chosen.reach.link = std::max(chosen.reach.link, effort.reach.link);
                chosen.reach.node = std::max(chosen.reach.node, effort.reach.node);
            }
        }
        result_.judged.clear();
        world_.broadcast(chosen);
        result_.effort = chosen;
        result_.options.repetitions = chosen.repetitions;
        result_.options.rules.confirm = chosen.confirm;
        plan_rounds();
    }

    static void keep(PairValues& values, PairTimes const& times) {
        if (!std::isnan(times.latency))
            values.latency.push_back(times.latency);
        if (!std::isnan(times.up) && !std::isnan(times.down)) {
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

    /// All ranks analyse their rows. The root lets all suspects be measured again.
    void judge_all() {
        result_.untested = why_untested(result_);
        if (result_.untested.empty() && is_out_of_time_)
            result_.untested = "the time budget was spent before all pairs were measured";
        enter("judgement");
        judge_metrics();
        if (!result_.untested.empty())
            return;
        auto const& rules = result_.options.rules;
        judge_bindings();
        auto suspects = screen(world_, seen_of(result_), rules.threshold);
        auto const groups = slow_groups(seen_of(result_), result_.group, result_.groups.size(), rules);
        for (auto const& finding : groups)
            std::erase_if(suspects, [&](Suspect const& suspect) {
                return suspect.kind == Kind::node && suspect.quantity == finding.suspect.quantity &&
                       result_.group[index(suspect.a)] == finding.suspect.a;
            });
        result_.verdict = look_again(suspects);
        leave_to_directions(result_, result_.verdict.findings);
        result_.verdict.findings.insert(result_.verdict.findings.begin(), groups.begin(), groups.end());
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
        for (auto const quantity : result_.wanted()) {
            auto judged = judge(world_, result_, quantity, references_[static_cast<std::size_t>(quantity)]);
            if (result_.tournaments.size() == 2 && quantity != Metric::direction)
                judged.loaded = loaded_ratios(world_, result_, quantity);
            result_.judged.push_back(std::move(judged));
        }
    }

    /// A rank with a wrong binding is not a slow node. Its pairs are analysed in the class that their times match.
    void judge_bindings() {
        auto const verdict = look_again(displaced(world_, result_, 0));
        std::vector<Suspect> confirmed;
        for (auto const& finding : verdict.findings)
            if (finding.confirmed) {
                result_.bindings.push_back(finding);
                confirmed.push_back(finding.suspect);
            }
        move_pairs(world_, confirmed, result_);
        if (!result_.moved.empty())
            judge_metrics();
    }

    /// Confirms suspects by new measurements. Collective. \param suspects  used on the root only  \return on the root
    Verdict look_again(std::vector<Suspect> const& suspects) {
        count_partners();
        if (!world_.is_root()) {
            enter("confirmation");
            while (follow({})) {
            }
            return {};
        }
        auto verdict = confirm(
            seen_of(result_), suspects, result_.options.rules,
            [this](std::span<Trial const> trials) { return carry_out(trials); },
            [this](std::size_t quantity, int node) { return partners(quantity, node); });
        follow({});
        return verdict;
    }

    /// A request of the root to all ranks.
    struct Order {
        enum class Ask { nothing, time, partners };
        Ask ask = Ask::nothing;    ///< nothing: the confirmation is over
        std::size_t quantity = 0;  ///< index in `judged`
        int i = 0;                 ///< node
        int j = 0;                 ///< only for a time: the other node; for directions, the receiver
        bool low_begins = true;
    };

    /// Carries out an order of the root. A time is stored in `told_`; partners are sent to the root. Collective.
    /// \return whether another order may follow
    bool follow(Order order) {
        // The root computes between orders; the other ranks must not spin in the meantime.
        world_.idle_barrier();
        world_.broadcast(order);
        if (order.ask == Order::Ask::time)
            measure_pair(order);
        else if (order.ask == Order::Ask::partners && me_ == order.i)
            send_values(world_, partners_of(result_.judged[order.quantity].fit, me_), 0);
        return order.ask != Order::Ask::nothing;
    }

    /// Measures a pair. Its node i shares the result, on the scale of the fit.
    void measure_pair(Order const& order) {
        auto const& judged = result_.judged[order.quantity];
        bool const is_latency = judged.quantity == Metric::latency;
        bool const in_time = measure_batch(Batch{pair_of(order.i, order.j)}, order.low_begins, is_latency, !is_latency);
        is_out_of_time_ = is_out_of_time_ || !in_time;
        double said = 0;
        if (me_ == order.i)
            said = in_time && own_.low >= 0
                       ? log_of(own_, judged.quantity, order.i < order.j) - judged.referred(order.i, order.j)
                       : not_measured;
        told_ = world_.sum(said);
    }

    /// Sets the number of nodes with which each node was measured.
    void count_partners() {
        partner_counts_.clear();
        for (auto const& judged : result_.judged) {
            auto& counts = partner_counts_.emplace_back(nodes_.size());
            if (me_ >= 0)
                counts[index(me_)] = static_cast<double>(partners_of(judged.fit, me_).size());
            sum(world_, counts);
        }
    }

    /// The nodes with which a node was measured. Its rank is asked unless these are all nodes. Only on the root.
    std::vector<int> partners(std::size_t quantity, int node) {
        if (node == me_)
            return partners_of(result_.judged[quantity].fit, me_);
        if (index(static_cast<int>(partner_counts_[quantity][index(node)])) + 1 == nodes_.size()) {
            std::vector<int> all(nodes_.size());
            std::iota(all.begin(), all.end(), 0);
            all.erase(all.begin() + node);
            return all;
        }
        // Only some answers are cached, because all would grow with the square of the number of nodes.
        auto const known = partners_.find({quantity, node});
        if (known != partners_.end())
            return known->second;
        session_.alive();
        follow({.ask = Order::Ask::partners, .quantity = quantity, .i = node});
        auto answer = receive_values<int>(world_, rank_of(node));
        if ((partners_.size() + 1) * answer.size() > most_partners_kept)
            partners_.clear();
        partners_[{quantity, node}] = answer;
        return answer;
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

    /// Measures candidate and controls one after another, each alone on the network.
    void measure_trial(Trial const& trial, bool low_begins, Outcome& outcome) {
        auto const value = [&](Pair const& pair) {
            follow({Order::Ask::time, trial.quantity, pair.first, pair.second, low_begins});
            return told_;
        };
        // The candidate alternates between first and last, so that drift favours neither side.
        if (low_begins)
            outcome.candidate = value(trial.candidate);
        for (std::size_t k = 0; k < trial.controls.size(); ++k)
            outcome.controls[k] = value(trial.controls[k]);
        if (!low_begins)
            outcome.candidate = value(trial.candidate);
    }

    /// \param is_up  for directions: whether the pair's node i is the smaller one
    static double log_of(PairTimes const& times, Metric quantity, bool is_up) {
        if (quantity == Metric::latency)
            return std::log(times.latency);
        if (quantity == Metric::bandwidth)
            return std::log((times.up + times.down) / 2);
        return std::log(is_up ? times.up / times.down : times.down / times.up);
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
    int me_ = -1;  ///< node of this rank; -1: it is not a node
    Share share_{};
    std::set<Pair> resting_{};                           ///< pairs that timed out twice
    PairTimes own_{};                                    ///< times of this rank's pair in the last batch
    double told_ = not_measured;                         ///< result of the last pair measured by order of the root
    std::vector<std::vector<double>> partner_counts_{};  ///< [index in `judged`][node]
    std::map<std::pair<std::size_t, int>, std::vector<int>> partners_{};  ///< [quantity and node]; only on the root
    std::string place_{};                             ///< position in the run, for progress and watchdog
    std::array<Rows<double>, metrics> references_{};  ///< [metric]
    std::chrono::steady_clock::time_point started_{};
    std::set<int> units_{};  ///< processing units on which this rank was seen
    bool is_out_of_time_ = false;
};

}  // namespace

void check_ranks(std::size_t ranks) {
    if (ranks < 2)
        throw measure::UsageError("measure pairs needs at least two ranks");
}

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
    check_ranks(all.size());
    if (nodes.size() < 2)
        throw measure::UsageError(
            per == Per::host ? "all ranks are on one host; use --per rank to measure between them"
                             : "all ranks are on the same socket or core; use --per rank to measure between them");
    return nodes;
}

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

void list(Options const& options, program::Session& session) {
    Result result;
    Campaign{options, session, result}.list();
}

void measure_pairs(Options const& options, program::Session& session, Result& result) {
    Campaign{options, session, result}.run();
}

}  // namespace measure::tool::pairs
