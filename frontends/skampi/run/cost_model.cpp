// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/cost_model.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace skampi {
namespace {

using program::Argument;

class ModelReader {
public:
    explicit ModelReader(Argument argument) : argument_{std::move(argument)} {}

    CostModel read() {
        constexpr std::string_view start = "jump:";
        if (!argument_.value.starts_with(start))
            fail("must begin with 'jump:'");
        for (auto const& part : program::split(std::string_view{argument_.value}.substr(start.size()), ','))
            if (auto const equals = part.find('='); equals == std::string::npos)
                numbers_.push_back(program::as::Number{}({argument_.option, part}));
            else
                set(part.substr(0, equals), part.substr(equals + 1));
        add_pieces();
        return std::move(model_);
    }

private:
    [[noreturn]] void fail(std::string_view what) const {
        throw measure::UsageError(
            fmt::format("{}: '{}': a model {}; example: jump:A0,B0,M1,A1,B1,noise=S,outlier=P:F,seed=N",
                        argument_.option, argument_.value, what));
    }

    void set(std::string const& key, std::string const& value) {
        Argument const argument{fmt::format("{}: {}", argument_.option, key), value};
        if (key == "noise") {
            model_.noise = program::as::Number{.low = 0}(argument);
        } else if (key == "seed") {
            model_.seed = static_cast<std::uint64_t>(program::as::Integer{.low = 0}(argument));
        } else if (auto const colon = value.find(':'); key == "outlier" && colon != std::string::npos) {
            model_.outlier_share = program::as::Number{.low = 0, .high = 1}({argument.option, value.substr(0, colon)});
            model_.outlier_factor = program::as::Number{.low = 0}({argument.option, value.substr(colon + 1)});
        } else {
            fail("can have only noise=S, outlier=P:F and seed=N besides its numbers");
        }
    }

    void add_pieces() {
        if (numbers_.size() < 2 || numbers_.size() % 3 != 2)
            fail("needs two numbers, and three more for each jump");
        model_.pieces.push_back({0, numbers_[0], numbers_[1]});
        for (std::size_t i = 2; i < numbers_.size(); i += 3)
            model_.pieces.push_back({numbers_[i], numbers_[i + 1], numbers_[i + 2]});
        if (!std::is_sorted(model_.pieces.begin(), model_.pieces.end(),
                            [](auto const& a, auto const& b) { return a.from < b.from; }))
            fail("must have its jumps in ascending order");
    }

    Argument argument_;
    CostModel model_{};
    std::vector<double> numbers_{};
};

}  // namespace

double CostModel::time(std::int64_t argument) const noexcept {
    auto const m = static_cast<double>(argument);
    Piece piece = pieces.front();
    for (auto const& p : pieces)
        if (p.from <= m)
            piece = p;
    return piece.a + piece.b * m;
}

CostModel cost_model_from(Argument const& argument) { return ModelReader{argument}.read(); }

ModelledTime::ModelledTime(CostModel const& model, std::string_view measurement, std::int64_t argument)
    : model_{model}, time_{measure::seconds{model.time(argument) * 1e-6}.count()} {
    // std::hash is not used, because the samples must be the same everywhere.
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(model.seed),
                                     static_cast<std::uint32_t>(model.seed >> 32), static_cast<std::uint32_t>(argument),
                                     static_cast<std::uint32_t>(static_cast<std::uint64_t>(argument) >> 32)};
    words.insert(words.end(), measurement.begin(), measurement.end());
    std::seed_seq mixed(words.begin(), words.end());
    random_.seed(mixed);
}

measure::seconds ModelledTime::next() {
    constexpr double least = 0.1;
    double time = time_;
    if (model_.noise > 0)
        time = std::max(least * time_, time_ * (1 + model_.noise * std::normal_distribution<>{}(random_)));
    if (model_.outlier_share > 0 && std::uniform_real_distribution<>{}(random_) < model_.outlier_share)
        time *= model_.outlier_factor;
    return measure::seconds{time};
}

}  // namespace skampi
