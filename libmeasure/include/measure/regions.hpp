// SPDX-License-Identifier: BSD-3-Clause
/// Regions: named sections of an application's code. They can stay in the code, and are timed only on request.
#pragma once

#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/timer.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {
struct RegionSlot;
void enter_region(RegionSlot& slot) noexcept;
void leave_region(RegionSlot& slot) noexcept;
}  // namespace detail

class Scope;

/// Handle of a region, returned by `Regions`. Can be copied. Must not be used after its `Regions` object is destroyed.
/// All members are local and may be called from any thread. If regions are off, they cost one comparison.
class Region {
public:
    /// Creates a region that is never measured.
    Region() = default;

    /// Enters the region until the scope is destroyed, no matter how its block is left.
    [[nodiscard]] Scope enter() const noexcept;
    /// Enters the region, for code that cannot use scopes. Ending a region also ends the regions inside it. Ending a
    /// region that is not open does nothing. A warning in the record states the number of ends that did not
    /// match the innermost open region.
    void begin() const noexcept {
        if (slot_ != nullptr)
            detail::enter_region(*slot_);
    }
    /// Leaves the region, see `begin`.
    void end() const noexcept {
        if (slot_ != nullptr)
            detail::leave_region(*slot_);
    }

private:
    friend class Regions;
    explicit Region(detail::RegionSlot& slot) noexcept : slot_{&slot} {}
    detail::RegionSlot* slot_ = nullptr;
};

/// One visit of a region. Created by `Region::enter`; it must be destroyed in the same thread.
class [[nodiscard]] Scope {
public:
    /// Enters the region.
    explicit Scope(Region region) noexcept : region_{region} { region_.begin(); }
    ~Scope() { region_.end(); }  ///< leaves the region
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

private:
    Region region_;
};

inline Scope Region::enter() const noexcept { return Scope{*this}; }

/// Options of `Regions`. The same on all ranks.
struct RegionsOptions {
    std::string name{};  ///< distinguishes this record from others of the program
    /// File to which the root appends the record. Empty text: regions are off. No value: MEASURE_REGIONS decides.
    std::optional<std::string> file{};
    AnyTimer timer = MonotonicRawTimer{};  ///< a user-defined timer costs an indirect call per reading
    std::size_t samples = 0;               ///< random entries whose times are kept, per path and rank; <= 1000000
};

/// The regions of an application, or of a library inside it. There is no global state: several objects are independent.
///
/// Regions are on if `RegionsOptions::file` or, without this option, the environment variable MEASURE_REGIONS names a
/// file when the object is created. A scope then costs two clock readings and an addition to running sums. The memory
/// does not grow with the number of entries. MEASURE_REGIONS_TIMER selects the clock (default: "monotonic_raw"),
/// MEASURE_REGIONS_SAMPLES the number of entries whose times are kept. The variables are read on rank 0.
///
/// Regions nest and are identified by their full path, such as "step/halo". Scopes are timed only in the thread that
/// created the object. With MPI_THREAD_FUNNELED, this is the thread that calls MPI. Scopes in other threads are not
/// timed; the record states their number.
class Regions {
public:
    /// Creates regions for a communicator. Collective. If the options have no `file`, the environment decides. Its
    /// variables, if they are set, also replace the timer and samples of the options. An invalid variable is not an
    /// error: the root prints a warning to standard error, and regions are off.
    /// \throws UsageError on all ranks if `file` of the options cannot be written or `samples` is too large
    explicit Regions(Comm const& comm, RegionsOptions options = {});
    /// Creates regions for a communicator of MPI, which is duplicated. Collective.
    explicit Regions(MPI_Comm comm, RegionsOptions options = {}) : Regions(Comm{comm}, std::move(options)) {}

    /// Moves the regions. Local. The moved-from object is off.
    Regions(Regions&& other) noexcept;
    /// Destroys the current regions as the destructor does, then moves.
    Regions& operator=(Regions&& other) noexcept;
    Regions(Regions const&) = delete;
    Regions& operator=(Regions const&) = delete;
    /// Does not write the record: only `end` does. Frees the communicator, which is collective, unless MPI is already
    /// finalised.
    ~Regions();

    /// Whether regions are measured. If regions were switched on, true from the creation of the object until `end`.
    /// Local.
    [[nodiscard]] bool on() const noexcept;

    /// Region of a name. Equal names give the same region. Local, from any thread. Searches by name, so call it once
    /// and keep the handle. Ranks may use different names in any order: regions are matched by name.
    /// \throws UsageError for an empty name or a name with '/' or '\0', even if regions are off
    [[nodiscard]] Region operator[](std::string_view name);

    /// Ends measuring. The root appends the record (docs/regions.md) to the file. Collective. Call it before
    /// MPI_Finalize. Does nothing if regions are off or have already ended. Regions that are still open end here and
    /// get the flag `left_open`.
    /// \return an error message, the same on all ranks; empty after success. Does not throw, because a failed record
    ///         must not lose the application's results
    [[nodiscard]] std::string end() noexcept;

private:
    struct State;
    void turn_on(Comm const& comm, RegionsOptions const& options);
    void turn_on_by_environment(Comm const& comm, RegionsOptions options);
    detail::Owned<State> state_;  ///< empty if regions are off
};

}  // namespace measure
#pragma GCC visibility pop
