// SPDX-License-Identifier: BSD-3-Clause
/// Methods: how a program measures an operation. Two programs that measure the same operation by different methods get
/// different numbers. Pure, local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/record.hpp>

#include <span>
#include <string>

namespace measure {

/// The method of one point; texts are empty where the record does not state them.
struct Method {
    std::string start{};      ///< how the processes begin: "synchronised starts", "loop of calls"
    std::string processes{};  ///< whose time it is: "slowest process", "mean over processes"
    std::string way{};        ///< of an exchange: "half of a round trip"
    std::string root{};       ///< of an operation with a root: "root changes with each call"
    std::string caches{};     ///< "cold caches"

    friend bool operator==(Method const&, Method const&) = default;
};

[[nodiscard]] Method method_of(Environment const& run, Record const& record);

/// "synchronised starts, slowest process"; "method not known" where it is empty.
[[nodiscard]] std::string method_text(Method const& method);

/// The choices in which the methods differ: "synchronised starts or loop of calls; slowest process or mean over
/// processes". Empty where they are the same.
[[nodiscard]] std::string differing_methods(std::span<Method const> methods);

}  // namespace measure
