// SPDX-License-Identifier: BSD-3-Clause
/// Hides the installed version of Catch2 from all other sources: version 2 (one header) or version 3.
///
/// Tests use the spelling that both versions have (`Catch::Approx`, `Catch::Matchers::WithinAbs`, `WithinRel`,
/// `StartsWith`, `EndsWith`, `Message`) and, for a part of a text, that of version 3, `ContainsSubstring`. Names that
/// only version 2 has (`Approx`, `Catch::StartsWith`) compile with neither. session.cpp defines CATCH_CONFIG_RUNNER
/// before it includes this header.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#ifdef CATCH_CONFIG_RUNNER
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace Catch {
using EventListener = EventListenerBase;
}

/// Runs tests in the order of the source on every rank.
inline void in_declared_order(Catch::ConfigData& config) { config.runOrder = Catch::TestRunOrder::Declared; }
#endif

#else

#define Approx ApproxOfVersion2
#include <catch2/catch.hpp>
#undef Approx

namespace Catch {
using Approx = Detail::ApproxOfVersion2;
// These declarations hide the matchers that version 2 also has in this namespace.
void Contains() = delete;
void EndsWith() = delete;
void Equals() = delete;
void Matches() = delete;
void Message() = delete;
void StartsWith() = delete;
void WithinAbs() = delete;
void WithinRel() = delete;
}  // namespace Catch

namespace Catch::Matchers {
/// Matches a text that contains `part`: the name in version 3.
inline auto ContainsSubstring(std::string const& part, CaseSensitive::Choice sensitivity = CaseSensitive::Yes) {
    return Contains(part, sensitivity);
}
}  // namespace Catch::Matchers

#ifdef CATCH_CONFIG_RUNNER
namespace Catch {
using EventListener = TestEventListenerBase;
}

/// Runs tests in the order of the source on every rank. A selection that matches no test is a failure, which is the
/// default in version 3.
inline void in_declared_order(Catch::ConfigData& config) {
    config.runOrder = Catch::RunTests::InDeclarationOrder;
    config.warnings = static_cast<Catch::WarnAbout::What>(config.warnings | Catch::WarnAbout::NoTests);
}
#endif

#endif
