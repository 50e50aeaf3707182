// SPDX-License-Identifier: BSD-3-Clause
/// Pages: imports the building blocks of reports that all programs share.
#pragma once

#include "page/document.hpp"
#include "page/html.hpp"
#include "page/plot.hpp"

namespace skampi::report {

using page::can_be_drawn;
using page::Curve;
using page::dat_text;
using page::Document;
using page::Element;
using page::Figure;
using page::gp_text;
using page::has_points;
using page::Heading;
using page::html_text;
using page::Paragraph;
using page::Plot;
using page::PlotPoint;
using page::Table;

}  // namespace skampi::report
