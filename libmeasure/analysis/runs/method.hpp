// SPDX-License-Identifier: BSD-3-Clause
/// Methods: how a program measures an operation. Different methods give different values for the same operation. Pure,
/// local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <span>
#include <string>

namespace measure {

/// The method of one point. Texts are empty if the record does not contain them.
struct Method {
    std::string start{};      ///< how the processes start a sample: "synchronised starts", "loop of calls"
    std::string processes{};  ///< whose time is recorded: "slowest process", "mean over processes"
    std::string way{};        ///< measured part of an exchange: "half of a round trip"
    std::string root{};       ///< for operations with a root: "root changes with each call"
    std::string caches{};     ///< state of the caches: "cold caches"

    friend bool operator==(Method const&, Method const&) = default;
};

[[nodiscard]] Method method_of(Environment const& run, Record const& record);

/// Text such as "synchronised starts, slowest process"; "method not known" if all members are empty.
[[nodiscard]] std::string method_text(Method const& method);

/// Members in which the methods differ, with their values: "synchronised starts or loop of calls; slowest process or
/// mean over processes". Empty if all methods are equal.
[[nodiscard]] std::string differing_methods(std::span<Method const> methods);

}  // namespace measure
