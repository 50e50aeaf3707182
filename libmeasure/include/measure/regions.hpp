// SPDX-License-Identifier: BSD-3-Clause
/// Regions: named stretches of an application's own code, left in it for good and timed when a user asks for it.
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

/// Handle of a region, made by `Regions`: a copyable value that must not be used after its `Regions` is gone. All
/// members are local, cost one comparison where regions are off, and may be called from any thread.
class Region {
public:
    /// A region that is never measured.
    Region() = default;

    /// In the region from now until the scope dies, by whatever way its block is left.
    [[nodiscard]] Scope enter() const noexcept;
    /// The same for code that cannot have scopes. Ending a region ends the regions inside it; ending one that is not
    /// open does nothing. Either is counted, and the record warns of it.
    void begin() const noexcept {
        if (slot_ != nullptr)
            detail::enter_region(*slot_);
    }
    /// Ends the region, see `begin`.
    void end() const noexcept {
        if (slot_ != nullptr)
            detail::leave_region(*slot_);
    }

private:
    friend class Regions;
    explicit Region(detail::RegionSlot& slot) noexcept : slot_{&slot} {}
    detail::RegionSlot* slot_ = nullptr;
};

/// One stay in a region. Made by `Region::enter`, in the thread in which it also dies.
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

/// How regions are measured. The same on all ranks.
struct RegionsOptions {
    std::string name{};  ///< tells this value's record from others of the program
    /// The root appends its record to it; empty: regions are off. Nothing: the environment decides.
    std::optional<std::string> file{};
    AnyTimer timer = MonotonicRawTimer{};  ///< an own one costs an indirect call per reading
    std::size_t samples = 0;               ///< so many entries of each path and rank are kept; at most 1000000
};

/// The regions of an application, or of a library in it: a value. There is no global state, and several of them do not
/// know of each other.
///
/// They are off unless the environment variable MEASURE_REGIONS names a file when the value is created; then a scope is
/// two clock readings and an addition to running sums, in constant memory however often it is entered.
/// MEASURE_REGIONS_TIMER chooses the clock ("monotonic_raw" by default), MEASURE_REGIONS_SAMPLES how many single times
/// are kept. The variables of rank 0 count.
///
/// Regions nest. A region is told from the same region inside other ones: what is recorded is the path, "step/halo".
/// Scopes count in the thread that created the value, which is the one that calls MPI under MPI_THREAD_FUNNELED;
/// scopes of other threads are ignored and counted.
class Regions {
public:
    /// Collective. Off or on as the options say, or else the environment, which then also goes before the options'
    /// timer and samples. A variable that asks for something impossible is no error: the root warns on standard error,
    /// and regions are off.
    /// \throws UsageError on all ranks: a `file` of the options that cannot be written, too many `samples`
    explicit Regions(Comm const& comm, RegionsOptions options = {});
    /// The same for a communicator that is not the library's; it is duplicated. Collective.
    explicit Regions(MPI_Comm comm, RegionsOptions options = {}) : Regions(Comm{comm}, std::move(options)) {}

    /// Local. What is moved from is off.
    Regions(Regions&& other) noexcept;
    /// What was here before ends as by the destructor.
    Regions& operator=(Regions&& other) noexcept;
    Regions(Regions const&) = delete;
    Regions& operator=(Regions const&) = delete;
    /// Writes nothing: regions that are not ended leave no record. Frees the communicator, which is collective, unless
    /// MPI is finalised already.
    ~Regions();

    /// Whether anything is measured: from the creation to `end`, where regions are on. Local.
    [[nodiscard]] bool on() const noexcept;

    /// The region of that name; the same name is the same region. Local, from any thread; looks the name up, so do it
    /// once and keep the handle. Ranks need neither the same names nor the same order: they are united by name.
    /// \throws UsageError for an empty name and one with a '/', whether regions are on or not
    [[nodiscard]] Region operator[](std::string_view name);

    /// Ends measuring and appends the record (docs/regions.md) to the file, which the root does. Collective; before
    /// MPI_Finalize. Does nothing where regions are off or ended. A region that is still open ends here, and is marked.
    /// \return what went wrong, the same text on all ranks; empty where nothing did. It never throws: a record that
    ///         cannot be written is no reason to lose what the application computed
    [[nodiscard]] std::string end() noexcept;

private:
    struct State;
    void turn_on(Comm const& comm, RegionsOptions const& options);
    void turn_on_by_environment(Comm const& comm, RegionsOptions options);
    detail::Owned<State> state_;  ///< nothing where regions are off
};

}  // namespace measure
#pragma GCC visibility pop
