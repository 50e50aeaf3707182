// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/collectives.hpp"
#include "bodies/expectation.hpp"
#include "bodies/semantics.hpp"
#include "bodies/verification.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "shared/command.hpp"
#include "tune/faults.hpp"
#include "tune/library/library.hpp"
#include "tune/library/selection_tree.hpp"
#include "tune/library/settings.hpp"
#include "tune/phases/screening.hpp"
#include "tune/plan.hpp"

#include <measure/run.hpp>
#include <measure/shuffle.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

using namespace tune;
using measure::Bytes;

bodies::Collective const& row_of(std::string const& name) {
    for (auto const& row : bodies::collectives)
        if (row.name == name)
            return row;
    throw measure::UsageError(fmt::format("'{}' is not a collective", name));
}

constexpr int samples_of_block = 8;

/// Message for an algorithm that cannot be used at a size. It may be usable at another size.
constexpr std::string_view not_applicable = "not applicable here";

bool is_tuned(LibraryFamily family) {
    char const* const file = std::getenv(of_file(family, {}).back().first.c_str());
    return file != nullptr && std::string_view{file}.ends_with(file_name(family));
}

/// Sets a variable to a value around calls and restores its previous value afterwards. Without a variable it does
/// nothing.
struct Forced {
    Variable* variable = nullptr;
    int value = 0;
    int before = 0;                 ///< previous value
    MPI_Comm comm = MPI_COMM_NULL;  ///< communicator whose calls use the algorithm; null: all communicators
    void begin() const noexcept {
        if (variable != nullptr)
            variable->write(value);
    }
    void end() const noexcept {
        if (variable != nullptr)
            variable->write(before);
    }
};

/// One collective at one size: buffers, arguments, and the variable that selects its algorithm.
class Call {
public:
    Call(std::string const& name, Bytes bytes, measure::Comm const& comm)
        : row_{row_of(name)}, count_{count(row_, bytes)}, comm_{comm}, arguments_{bodies::arguments(row_.shape, comm,
                                                                                                    count_)},
          sizes_{bodies::sizes(row_.shape, count_, comm.rank(), comm.size(), {.rotates = true})}, buffers_{{}, sizes_},
          call_{bodies::call_of<bodies::Arguments>(row_)} {}

    /// Calls the collective. \return MPI's error code
    [[nodiscard]] int operator()(int root) const {
        constexpr measure::Iteration first{};
        return call_(row_, arguments_, buffers_.send(first), buffers_.receive(first), root);
    }

    /// The next calls use this duplicate of the communicator, or the communicator itself if it is null.
    void use(MPI_Comm duplicate) noexcept { arguments_.comm = duplicate == MPI_COMM_NULL ? comm_.native() : duplicate; }

    [[nodiscard]] measure::Comm const& comm() const noexcept { return comm_; }
    [[nodiscard]] Bytes bytes() const noexcept { return count_ * bodies::element_size(row_.shape); }

    /// Calls it with known data, with the first and the last rank as root. Collective.
    /// \param forced  the algorithm; its variable is set for these calls only, so that calls inside the library do not
    /// use it
    /// \param fault  injected fault, for tests
    /// \return the error, the same on all ranks; empty if the data are right
    [[nodiscard]] std::string check(Forced const& forced, Fault const& fault) {
        use(forced.comm);
        int const last = comm_.size() - 1;
        std::vector<int> roots{0};
        if (bodies::is_rooted(row_.content) && last > 0)
            roots.push_back(last);
        for (int const root : roots) {
            auto text = first_fault(root, check_once(root, Buffering::separate, forced, fault));
            if (text.empty() && takes_in_place(row_.content))
                if (text = first_fault(root, check_once(root, Buffering::in_place, forced, {})); !text.empty())
                    text = "in place: " + text;
            if (!text.empty())
                return text;
        }
        return {};
    }

private:
    /// Whether the send buffer is also the receive buffer (MPI_IN_PLACE).
    enum class Buffering { separate, in_place };

    /// Whether the collective is also checked in place. All-to-all exchanges in place keep the default. Rooted
    /// collectives are not checked: MPI_Reduce of MPICH 4.0.2 crashes in place with a root other than 0, whatever the
    /// algorithm.
    static bool takes_in_place(bodies::Content content) noexcept {
        using bodies::Content;
        return content == Content::reduced || content == Content::prefix || content == Content::prefix_before ||
               content == Content::gathered;
    }

    /// The error of the first rank that has one, as text, on all ranks. Collective.
    [[nodiscard]] std::string first_fault(int root, std::string const& mine) const {
        auto const texts = comm_.gather(mine);
        std::string text;
        for (std::size_t rank = 0; rank < texts.size() && text.empty(); ++rank)
            if (!texts[rank].empty())
                text = texts[rank].starts_with("MPI: ")
                           ? texts[rank].substr(5)
                           : fmt::format("wrong data: root {}, rank {}: {}", root, rank, texts[rank]);
        comm_.broadcast(text);
        return text;
    }

    static std::int64_t count(bodies::Collective const& row, Bytes bytes) {
        auto const element = bodies::element_size(row.shape);
        return element == 0 ? 0 : std::max<std::int64_t>(1, bytes / element);
    }

    std::string check_once(int root, Buffering buffering, Forced const& forced, Fault const& fault) {
        constexpr measure::Iteration first{};
        bodies::CollectiveData const data{
            .shape = row_.shape,
            .content = row_.content,
            .part = {comm_.rank(), comm_.size(), root},
            .root = {.rank = root},
            .map = {{}, row_.shape.element == bodies::Element::real ? 0 : count_},
            .numbers = count_,
            .convention = {},
            .sizes = bodies::sizes(row_.shape, count_, comm_.rank(), comm_.size(), {.rank = root})};
        auto const [expected, place] = data.trial(first, buffers_.send(first), buffers_.receive(first));
        expected.fill(place);
        bool const in_place = buffering == Buffering::in_place;
        if (in_place)
            std::memcpy(place.receive + (row_.content == bodies::Content::gathered ? comm_.rank() * bytes() : 0),
                        place.send, static_cast<std::size_t>(bytes()));
        comm_.barrier();
        if (fault.before)
            fault.before();
        forced.begin();
        int const code = fault.fails ? MPI_ERR_OTHER
                         : in_place  ? call_(row_, arguments_, MPI_IN_PLACE, buffers_.receive(first), root)
                                     : (*this)(root);
        forced.end();
        if (code != MPI_SUCCESS)
            return "MPI: " + reason(code);
        if (fault.spoils && comm_.rank() == comm_.size() - 1)
            expected.spoil(place);
        return expected.fault(place);
    }

    /// The text for an MPI error: `not_applicable`, or the error class and the last function of the error stack.
    static std::string reason(int code) {
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
            return fmt::format("MPI reports error {}", code);
        std::string_view const all{text.data(), static_cast<std::size_t>(length)};
        if (all.find("is not usable") != std::string_view::npos)
            return std::string{not_applicable};
        auto const first = all.substr(0, all.find_first_of(",\n"));
        if (all.find('\n') == std::string_view::npos)
            return fmt::format("MPI reports '{}'", all);
        auto const last = program::trimmed(all.substr(all.rfind('\n') + 1));
        return fmt::format("MPI reports '{}' in {}", first, last.substr(0, last.find_first_of(".:")));
    }

    bodies::Collective const& row_;
    std::int64_t count_;
    measure::Comm const& comm_;
    bodies::Arguments arguments_;
    bodies::Sizes sizes_;
    bodies::Buffers buffers_;
    bodies::Invoke<bodies::Arguments> call_;
};

/// Times of one algorithm at one point.
struct Blocks {
    std::vector<double> medians{};  ///< medians of the blocks in s; `Estimate::middle` if the clock is coarse
    double clock_step = 0;          ///< largest clock step of the blocks, in s
    std::int64_t attempts = 0;
    std::int64_t valid = 0;
    measure::InvalidCounts invalid{};
    double elapsed = 0;     ///< time of all blocks, in s
    std::string failure{};  ///< message of the last block without a value
};

class Worker {
public:
    Worker(WorkerPlan plan, std::string text, program::Session& session)
        : plan_{std::move(plan)}, text_{std::move(text)}, session_{session}, world_{session.world()},
          timer_{measure::timer_from(session.common().timer, world_)}, faults_{faults_from(session)} {}

    void run() {
        program::warn_of_oversubscription(session_);
        if (plan_.phase == Phase::list) {
            list();
            return;
        }
        if (!family_)
            throw measure::UsageError("this MPI library is not the one that was listed");
        find_variables();
        if (is_written() && fallback_.variable != nullptr)
            fallback_.begin();
        begin();
        auto points = plan_.points;
        std::mt19937_64 random{plan_.seed};
        if (plan_.phase != Phase::check)
            measure::shuffle(std::span{points}, random);
        session_.plan(static_cast<std::int64_t>(points.size()));
        for (auto const& point : points) {
            static_cast<void>(session_.meet());
            // Drawn on all ranks, also on ranks that do not take part in the point.
            std::mt19937_64 its_random{random()};
            auto const& comm = first_ranks(point.place.ranks);
            if (!comm)
                continue;
            if (plan_.phase == Phase::check)
                check(point, *comm);
            else
                measure_point(point, *comm, its_random);
        }
        static_cast<void>(session_.meet());
        // All variables must have their original value again.
        for (auto& [name, variable] : variables_)
            if (variable.read() != 0)
                throw std::runtime_error(
                    fmt::format("{} was not reset to its original value", variable_of(*family_, name)));
    }

private:
    /// Whether points measure single algorithms, rather than the choices of the library or of a file.
    [[nodiscard]] bool is_forced() const noexcept {
        return plan_.phase == Phase::check || plan_.phase == Phase::screen || plan_.phase == Phase::decide;
    }
    /// Whether the worker selects the algorithms by writing variables.
    [[nodiscard]] bool is_written() const noexcept { return is_forced() && plan_.via == Via::mpi_t; }

    void begin() {
        session_.begin(timer_, measure::Value::Object{{"phase", name(plan_.phase)},
                                                      {"seed", static_cast<std::int64_t>(plan_.seed)},
                                                      {"samples", samples_of_block},
                                                      {"plan", text_}});
    }

    void list() {
        auto const library = library_name();
        auto const file = library_file();
        std::optional<LibraryTexts> texts;
        std::vector<Collective> found;
        // The launcher may have set variables for the ranks.
        refuse_chosen();
        for (auto const collective : tuned_collectives())
            if (auto variable = family_ ? Variable::find(variable_of(*family_, collective)) : std::nullopt)
                found.push_back(collective_of(*family_, collective, *variable));
        if (found.empty())
            throw measure::UsageError(fmt::format("{} cannot be tuned: measure tune needs MPICH with control variables "
                                                  "MPIR_CVAR_*_INTRA_ALGORITHM, or Open MPI with "
                                                  "coll_tuned_*_algorithm",
                                                  library));
        if (world_.is_root()) {
            std::ostringstream content;  // several megabytes, read at once
            content << std::ifstream{file, std::ios::binary}.rdbuf();
            texts = texts_in(std::move(content).str());
        }
        begin();
        session_.summary(summary_of(found, library, file, texts));
    }

    static measure::Summary summary_of(std::vector<Collective> const& found, std::string const& library,
                                       std::string const& file, std::optional<LibraryTexts> const& texts) {
        measure::Value::Array rows;
        for (auto const& one : found) {
            measure::Value::Array algorithms;
            for (auto const& [name, value, is_writable] : one.algorithms)
                algorithms.emplace_back(
                    measure::Value::Object{{"name", name}, {"id", value}, {"writable", is_writable}});
            rows.emplace_back(
                measure::Value::Object{{"collective", one.name},
                                       {"variable", one.variable},
                                       {"algorithms", std::move(algorithms)},
                                       {"unknown", measure::Value::Array(one.unknown.begin(), one.unknown.end())}});
        }
        measure::Summary summary{.name = "algorithms"};
        summary.derived = measure::Value::Object{
            {"library", library},
            {"file", file},
            {"tree", texts ? measure::Value{texts->tree} : measure::Value{}},
            {"leaves", texts ? measure::Value{measure::Value::Array(texts->leaves.begin(), texts->leaves.end())}
                             : measure::Value{}},
            {"collectives", std::move(rows)}};
        return summary;
    }

    /// The communicator of the first ranks; empty on the other ranks. Collective over all ranks.
    [[nodiscard]] std::optional<measure::Comm> const& first_ranks(int ranks) {
        auto const known = communicators_.find(ranks);
        if (known != communicators_.end())
            return known->second;
        if (ranks > world_.size())
            throw measure::UsageError(fmt::format("the plan needs {} ranks, but there are {}", ranks, world_.size()));
        return communicators_.emplace(ranks, world_.first_ranks(ranks)).first->second;
    }

    void find_variables() {
        // Otherwise MPICH would silently replace an algorithm that it cannot use.
        if (is_forced() && fallback_variable_)
            for (auto const& algorithm : fallback_variable_->names().known)
                if (algorithm.name == "error")
                    fallback_ = {&*fallback_variable_, algorithm.value, fallback_variable_->read().value_or(0)};
        for (auto const& point : plan_.points) {
            auto const& collective = point.place.collective;
            if (!is_written() || variables_.contains(collective))
                continue;
            auto variable = Variable::find(variable_of(*family_, collective));
            if (!variable)
                throw measure::UsageError(
                    fmt::format("the library has no variable {}", variable_of(*family_, collective)));
            for (auto const& algorithm : variable->names().known)
                values_[collective][algorithm.name] = algorithm.value;
            variables_.emplace(collective, std::move(*variable));
        }
    }

    [[nodiscard]] int value_of(std::string const& collective, std::string const& algorithm) const {
        if (algorithm == default_name || algorithm == default_again)
            return 0;
        auto const& values = values_.at(collective);
        auto const found = values.find(algorithm);
        if (found == values.end())
            throw measure::UsageError(fmt::format("{} has no algorithm '{}'", collective, algorithm));
        return found->second;
    }

    [[nodiscard]] Fault fault_of(std::string const& collective, std::string const& algorithm) const {
        return faults_(collective, algorithm == default_again ? std::string{default_name} : algorithm);
    }

    [[nodiscard]] measure::Point at(PlannedPoint const& point, Bytes bytes, std::string const& algorithm) const {
        measure::Point place{{"ranks", std::int64_t{point.place.ranks}}, {"bytes", std::int64_t{bytes}}};
        if (is_forced())
            place.set("algorithm", algorithm);
        place.set("phase", std::string{name(plan_.phase)});
        return place;
    }

    [[nodiscard]] measure::Record excluded(PlannedPoint const& point, Bytes bytes, std::string const& algorithm,
                                           std::string text) const {
        auto const status =
            text.starts_with(not_applicable) ? measure::PointStatus::skipped : measure::PointStatus::crashed;
        auto record =
            measure::make_record(point.place.collective, at(point, bytes, algorithm), status, std::move(text));
        record.flag("excluded");
        return record;
    }

    void check(PlannedPoint const& point, measure::Comm const& comm) {
        Call call{point.place.collective, point.bytes, comm};
        for (auto const& algorithm : point.algorithms) {
            auto const begin = measure::SteadyClock::now();
            auto const where = at(point, call.bytes(), algorithm);
            session_.next(fmt::format("{} {}", point.place.collective, where.text()));
            auto const text = checked(point, algorithm, call);
            measure::seconds const elapsed = measure::SteadyClock::now() - begin;
            if (!text.empty()) {
                session_.left_out(excluded(point, call.bytes(), algorithm, text));
                continue;
            }
            measure::Record record{.benchmark = point.place.collective, .at = where};
            record.quantity = measure::Quantity::count;
            record.value = 1;
            record.elapsed = elapsed;
            add_block(point, algorithm, call, record);
            session_.left_out(record);
        }
    }

    /// Collective over the ranks of the point.
    [[nodiscard]] Forced forced(PlannedPoint const& point, std::string const& algorithm, measure::Comm const& comm) {
        auto const& collective = point.place.collective;
        auto const found = variables_.find(collective);
        if (found == variables_.end())
            return {};
        auto& variable = found->second;
        auto const value = value_of(collective, algorithm);
        if (family_ == LibraryFamily::mpich)
            return {.variable = &variable, .value = value};
        // Open MPI reads the variable when a communicator is created.
        auto duplicate = duplicates_.find({point.place, algorithm});
        if (duplicate == duplicates_.end()) {
            MPI_Comm made = MPI_COMM_NULL;
            variable.write(value);
            int const code = MPI_Comm_dup(comm.native(), &made);
            variable.write(0);
            measure::check(code, "MPI_Comm_dup");
            duplicate = duplicates_.emplace(std::pair{point.place, algorithm}, comm.take(made)).first;
        }
        return {.comm = duplicate->second.native()};
    }

    /// Checks an algorithm's data. \return the error, or empty. Collective.
    std::string checked(PlannedPoint const& point, std::string const& algorithm, Call& call) {
        // An algorithm set in the environment also applies to calls inside the library, for which it may be unusable.
        return call.check(is_written() ? forced(point, algorithm, call.comm()) : fallback_,
                          fault_of(point.place.collective, algorithm));
    }

    /// The median of one block in seconds, the same on all ranks. 0 if three attempts give no value, because other
    /// programs use the cores. Collective.
    double block(PlannedPoint const& point, std::string const& algorithm, Call& call, Blocks& blocks) {
        constexpr int tries = 3;
        double time = 0;
        for (int i = 0; i < tries && !(time > 0); ++i) {
            time = try_block(point, algorithm, call, blocks).value_or(0);
            call.comm().broadcast(time);
        }
        return time;
    }

    /// One attempt of a block. Collective; only the root has the value.
    std::optional<double> try_block(PlannedPoint const& point, std::string const& algorithm, Call& call,
                                    Blocks& blocks) {
        // Ranks begin after a barrier, not at an agreed instant: with other programs on the cores, no rank would be in
        // time. The different exits from the barrier are in the times of all algorithms.
        measure::Plan plan{.timer = timer_,
                           .start = measure::DisseminationStart{},
                           .batch = measure::FixedCount{1},
                           .stop = measure::stop::Count{.valid = samples_of_block, .at_most = 4 * samples_of_block},
                           .warm_up = 2,
                           .settling = std::nullopt,
                           .limit = measure::seconds{1},
                           .stage = samples_of_block,
                           .at_most = samples_of_block,
                           .control = session_.control()};
        auto const longer =
            fault_of(point.place.collective, is_forced() || !is_tuned(*family_) ? algorithm : "tuned").longer;
        // All ranks set the variable just before the call and reset it just after, so that other calls inside the
        // library do not use the algorithm.
        auto const choice = forced(point, algorithm, call.comm());
        call.use(choice.comm);
        auto const m = measure::run(call.comm(), plan, [&](auto& lap) {
            choice.begin();
            lap.begin();
            int const code = call(0);
            if (longer.count() > 0)
                lap.spin(longer);
            lap.end();
            choice.end();
            return code;
        });
        blocks.attempts += m.attempts;
        blocks.valid += m.valid;
        blocks.invalid += m.invalid;
        blocks.elapsed += m.elapsed;
        if (!m.message.empty())
            blocks.failure = m.message;
        if (m.invalid.failed > 0 || !m.estimate || !(m.estimate->median > 0))
            return std::nullopt;
        blocks.clock_step = std::max(blocks.clock_step, m.estimate->clock_step);
        return m.estimate->middle.value_or(m.estimate->median);
    }

    /// Records the time of one block, for the estimate of the campaign's duration. The first block, with new memory and
    /// connections, is not used. Collective.
    void add_block(PlannedPoint const& point, std::string const& algorithm, Call& call, measure::Record& record) {
        Blocks uncounted;
        static_cast<void>(block(point, algorithm, call, uncounted));
        auto const begin = measure::SteadyClock::now();
        double const median = block(point, algorithm, call, uncounted);
        record.derived["block_median"] = median;
        record.derived["block_elapsed"] = measure::seconds{measure::SteadyClock::now() - begin}.count();
    }

    void measure_point(PlannedPoint const& point, measure::Comm const& comm, std::mt19937_64& random) {
        Call call{point.place.collective, point.bytes, comm};
        session_.next(fmt::format("{} bytes={} {}", text_of(point.place), call.bytes(), name(plan_.phase)));
        auto names = point.algorithms;
        // Algorithms that cannot be used at this size are not measured.
        std::erase_if(names, [&](std::string const& algorithm) {
            auto const wrong = is_forced() ? checked(point, algorithm, call) : std::string{};
            if (!wrong.empty())
                session_.left_out(excluded(point, call.bytes(), algorithm, wrong));
            return !wrong.empty();
        });
        auto const k = names.size();
        std::vector<Blocks> all(k);
        Screen screen{std::max<std::size_t>(k, 1), {.most_blocks = plan_.blocks}};
        bool const drops = plan_.phase == Phase::screen && is_written();
        std::vector<std::size_t> order(k);
        std::iota(order.begin(), order.end(), std::size_t{0});
        // The first block of each algorithm is not counted, because memory and connections are new.
        for (bool is_first = true; k > 0 && screen.blocks() < plan_.blocks && !(drops && screen.is_over());
             is_first = false) {
            measure::shuffle(std::span{order}, random);
            std::vector<std::optional<double>> known(k);
            for (auto const i : order) {
                if (drops && !screen.is_left(i))
                    continue;
                Blocks uncounted;
                double const time = block(point, names[i], call, is_first ? uncounted : all[i]);
                if (time > 0 && !is_first) {
                    known[i] = time;
                    all[i].medians.push_back(time);
                }
            }
            session_.alive();
            if (is_first)
                continue;
            screen.add(known);
        }
        for (std::size_t i = 0; i < k; ++i) {
            bool const is_left = !drops || screen.is_left(i);
            // Data that were right before may be wrong now.
            auto const wrong = is_left && is_forced() ? checked(point, names[i], call) : std::string{};
            if (wrong.empty())
                write(point, call, names[i], all[i], is_left);
            else
                session_.left_out(excluded(point, call.bytes(), names[i], wrong));
        }
    }

    void write(PlannedPoint const& point, Call const& call, std::string const& algorithm, Blocks const& blocks,
               bool is_left) {
        auto const& collective = point.place.collective;
        auto const where = at(point, call.bytes(), algorithm);
        if (blocks.medians.empty()) {
            measure::Record record{.benchmark = collective, .at = where};
            record.status = measure::PointStatus::no_valid_samples;
            record.message = blocks.failure.empty() ? "no block has a value" : blocks.failure;
            record.attempts = blocks.attempts;
            record.invalid = blocks.invalid;
            session_.point(record);
            return;
        }
        measure::Record record{.benchmark = collective, .at = where};
        record.semantics = bodies::semantics(row_of(collective));
        record.estimate = measure::estimate(blocks.medians, {.clock_step = blocks.clock_step});
        record.value = record.estimate->value;
        record.stop_reason = is_left ? "count" : "dropped";
        record.attempts = blocks.attempts;
        record.valid = blocks.valid;
        record.kept = static_cast<std::int64_t>(blocks.medians.size());
        record.invalid = blocks.invalid;
        record.iterations_per_sample = 1;
        record.derived["blocks"] = measure::Value::Array(blocks.medians.begin(), blocks.medians.end());
        record.elapsed = measure::seconds{blocks.elapsed};
        if (!is_left)
            record.flag("dropped");
        if (falls_back(*family_, point.place, algorithm))
            record.flag("fallback");
        if (call.comm().oversubscribed())
            record.flag("oversubscribed");
        session_.point(record);
    }

    WorkerPlan plan_;
    std::string text_;
    program::Session& session_;
    measure::Comm const& world_;
    measure::AnyTimer timer_;
    Tools tools_{};
    std::optional<LibraryFamily> family_ = family_of(library_name());
    std::optional<Variable> fallback_variable_ = Variable::find("MPIR_CVAR_COLLECTIVE_FALLBACK");
    std::map<int, std::optional<measure::Comm>> communicators_{};          ///< [ranks] communicator of the first ranks
    std::map<std::pair<Place, std::string>, measure::Comm> duplicates_{};  ///< communicators with one algorithm each
    Forced fallback_{};  ///< makes unusable algorithms fail instead of being replaced
    std::map<std::string, Variable> variables_{};
    std::map<std::string, std::map<std::string, int>> values_{};
    Faults faults_;
};

}  // namespace

program::Suite tune_worker_command() {
    return {.name = "measure",
            .program = "measure tune-worker",
            .summary = "Internal command that measure tune launches on all ranks to carry out a plan.",
            .prepare = program::prepared<std::string>(
                [](program::Parser& parser, std::string& file) {
                    parser.option("--plan", "FILE", "read the plan from FILE", file, program::as::Text{});
                },
                [](std::string const& file, program::Session& session) {
                    auto const text = program::read_file(session.world(), file);
                    Worker{plan_from(text, file), text, session}.run();
                })};
}

}  // namespace measure::tool
