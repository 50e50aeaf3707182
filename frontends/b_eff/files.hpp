// SPDX-License-Identifier: BSD-3-Clause
/// Files: what a run leaves. A file that cannot be written does not end the run: its first fault is told at the end.
#pragma once

#include "frontend/files.hpp"
#include "llcbench/result_file.hpp"

#include <measure/comm.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace b_eff {

/// Everything but the constructor is local and acts on the root.
class Files {
public:
    /// Collective: opens all. \throws measure::UsageError on all ranks where one cannot be written
    Files(measure::Comm const& world, std::string const& prefix)
        : protocol{frontend::open_file(world, prefix + ".prot")},
          analysis{frontend::open_file(world, prefix + ".short")}, sum{frontend::open_file(world, prefix + ".sum")},
          plot{world, prefix + ".plot"}, script{world, prefix + ".gps"}, latex{world, prefix + ".tex"} {}

    /// Writes through to the file.
    void write(frontend::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.flush();
        });
    }
    /// The whole content of a file that is there only when it has one.
    void fill(llcbench::ResultFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.keep();
        });
    }
    /// Names the file; empty where all went well.
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    frontend::OutputFile protocol;
    frontend::OutputFile analysis;
    frontend::OutputFile sum;
    llcbench::ResultFile plot;
    llcbench::ResultFile script;
    llcbench::ResultFile latex;

private:
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (std::exception const& error) {
            if (fault_.empty())
                fault_ = error.what();
        }
    }

    std::string fault_;
};

}  // namespace b_eff
