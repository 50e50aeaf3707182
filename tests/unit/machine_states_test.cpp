// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/machine_states.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using measure::ControlSeries;
using measure::machine_states;
using measure::MachineStates;

namespace {

using Values = std::vector<std::vector<double>>;

MachineStates states_of(Values values) {
    return machine_states(std::vector{ControlSeries{.name = "line", .values = std::move(values)}});
}

/// One launch per letter: '.' near 30, 'H' near 150, '?' between them.
Values launches(std::string_view letters) {
    Values values;
    double wobble = 0.97;
    for (char const letter : letters) {
        double const base = letter == 'H' ? 150 : letter == '?' ? 67 : 30;
        values.push_back({base * wobble});
        wobble = wobble > 1.02 ? 0.97 : wobble + 0.01;
    }
    return values;
}

std::string letters_of(MachineStates const& states) {
    std::string text;
    for (auto const& state : states.of_launch)
        text += state ? std::to_string(*state + 1) : "-";
    return text;
}

/// Values with normally distributed logarithms.
Values normal_values(std::size_t number, double deviation, std::mt19937_64& random) {
    std::normal_distribution<double> normal{0, deviation};
    Values values;
    for (std::size_t i = 0; i < number; ++i)
        values.push_back({std::exp(normal(random))});
    return values;
}

}  // namespace

TEST_CASE("two groups of values with a gap between them are two states", "[machine_states]") {
    auto const found = states_of(launches("......HHHHHH...."));
    REQUIRE(found.are_several());
    CHECK(found.controls == std::vector<std::string>{"line"});
    CHECK(letters_of(found) == "1111112222221111");
    CHECK(found.states[0].launches == 10);
    CHECK(found.states[1].launches == 6);
    // The medians of 10 and of 6 values.
    CHECK(found.states[0].centres.front() == Catch::Approx(30 * 0.995).epsilon(0.02));
    CHECK(found.states[1].centres.front() == Catch::Approx(150).epsilon(0.03));
    CHECK(found.launches_in_none() == 0);
}

TEST_CASE("the most frequent state comes first, and the faster one if frequencies are equal", "[machine_states]") {
    CHECK(letters_of(states_of(launches("HHHHHH......HHH"))) == "111111222222111");
    CHECK(letters_of(states_of(launches("HHHHHH......"))) == "222222111111");
}

TEST_CASE("a state needs a tenth of the launches and at least six", "[machine_states]") {
    CHECK_FALSE(states_of(launches("....................HHHHH")).are_several());
    CHECK(states_of(launches("....................HHHHHH")).are_several());
    CHECK_FALSE(states_of(launches(std::string(64, '.') + "HHHHHH")).are_several());
    CHECK(states_of(launches(std::string(54, '.') + "HHHHHH")).are_several());
    CHECK_FALSE(states_of({}).are_several());
    CHECK(states_of({}).of_launch.empty());
}

TEST_CASE("states differ by at least 10 % and five standard deviations", "[machine_states]") {
    auto const apart = [](double factor, double step) {
        Values values;
        for (int i = 0; i < 20; ++i)
            values.push_back({(i < 10 ? 1 : factor) * (1 + step * (i % 5 - 2))});
        return states_of(std::move(values)).are_several();
    };
    CHECK(apart(1.11, 0.001));
    CHECK_FALSE(apart(1.09, 0.001));
    // The median distance is 3 %, which is a standard deviation of 4.4 %: five of them are about a quarter.
    CHECK_FALSE(apart(1.2, 0.03));
    CHECK(apart(1.4, 0.03));
}

TEST_CASE("values of a coarse clock are not states", "[machine_states]") {
    Values values(20, {8142});
    CHECK_FALSE(states_of(values).are_several());
    for (std::size_t i = 0; i < 8; ++i)
        values[i] = {8192};
    CHECK_FALSE(states_of(values).are_several());
}

TEST_CASE("a single outlier does not hide states", "[machine_states]") {
    auto values = launches("......HHHHHH.....");
    values[16] = {30e6};
    CHECK(letters_of(states_of(values)).substr(0, 16) == "1111112222221111");
}

TEST_CASE("a launch without a value or with a change of state belongs to no state", "[machine_states]") {
    Values values;
    for (int i = 0; i < 16; ++i)
        values.push_back(i < 8 ? std::vector{30.0, 30.5} : std::vector{150.0, 151.0});
    values[7] = {30.0, 150.0};
    values[15] = {};
    auto const found = states_of(values);
    CHECK(letters_of(found) == "1111111-2222222-");
    CHECK(found.launches_in_none() == 2);
    CHECK(found.states[0].launches == 7);
}

TEST_CASE("states that change during every second launch are not separated", "[machine_states]") {
    Values values;
    for (int i = 0; i < 40; ++i)
        values.push_back({i % 2 == 0 ? 30.0 : 150.0, i % 4 < 2 ? 30.0 : 150.0});
    CHECK_FALSE(states_of(values).are_several());
    CHECK(letters_of(states_of(values)) == std::string(40, '1'));
}

TEST_CASE("three groups of values are three states", "[machine_states]") {
    Values values;
    for (int i = 0; i < 30; ++i)
        values.push_back({(i < 8 ? 10.0 : i < 20 ? 20.0 : 60.0) * (1 + 0.01 * (i % 3))});
    CHECK(letters_of(states_of(values)) == "333333331111111111112222222222");
}

TEST_CASE("a third state that is too rare leaves two states", "[machine_states]") {
    // Each launch has two values: the rare state has six values but only three launches.
    Values values;
    for (int i = 0; i < 30; ++i) {
        double const base = i < 17 ? 30.0 : i < 27 ? 150.0 : 600.0;
        values.push_back({base * (1 + 0.01 * (i % 3)), base * (1 + 0.01 * (i % 2))});
    }
    auto const found = states_of(values);
    REQUIRE(found.states.size() == 2);
    CHECK(found.states[0].launches == 17);
    CHECK(letters_of(found) == std::string(17, '1') + std::string(10, '2') + "---");
}

TEST_CASE("two machine states and two neighbour states give four states", "[machine_states]") {
    Values values;
    for (int i = 0; i < 40; ++i)
        values.push_back({(i < 7 ? 42.0 : i < 15 ? 208.0 : i < 26 ? 378.0 : 1872.0) * (1 + 0.01 * (i % 3))});
    CHECK(letters_of(states_of(values)) == "4444444333333332222222222211111111111111");
}

TEST_CASE("two controls give joint states if each combination has enough launches", "[machine_states]") {
    ControlSeries line{.name = "line"};
    ControlSeries work{.name = "work"};
    for (int i = 0; i < 24; ++i) {
        line.values.push_back({i < 12 ? 30.0 : 150.0});
        work.values.push_back({i < 6 || i >= 18 ? 1.0 : 1.5});
    }
    auto const joint = machine_states(std::vector{line, work});
    CHECK(joint.controls == std::vector<std::string>{"line", "work"});
    CHECK(letters_of(joint) == "111111222222444444333333");
    CHECK(joint.states[1].centres == std::vector{30.0, 1.5});
    // With one more launch a combination has five: the control that separates better is used alone.
    work.values[5] = {1.5};
    auto const single = machine_states(std::vector{line, work});
    CHECK(single.controls == std::vector<std::string>{"line"});
    CHECK(letters_of(single) == "111111111111222222222222");
}

TEST_CASE("controls need equal launches and positive values", "[machine_states]") {
    ControlSeries const one{.name = "a", .values = {{1}, {2}}};
    ControlSeries const other{.name = "b", .values = {{1}}};
    CHECK_THROWS_AS(machine_states(std::vector{one, other}), measure::UsageError);
    CHECK_THROWS_AS(states_of({{0.0}}), measure::UsageError);
    CHECK_FALSE(machine_states({}).are_several());
}

TEST_CASE("a single state is split in at most one of a hundred cases", "[machine_states]") {
    std::mt19937_64 random{1};
    for (std::size_t const number : {12U, 30U, 87U, 200U})
        for (double const deviation : {0.01, 0.05, 0.2}) {
            int split = 0;
            for (int i = 0; i < 200; ++i)
                split += states_of(normal_values(number, deviation, random)).are_several() ? 1 : 0;
            INFO(number << " launches, " << deviation);
            CHECK(split <= 2);
        }
}
