// SPDX-License-Identifier: BSD-3-Clause
/// Style: how pages look.
#pragma once

#include <string_view>

namespace page {

/// On a dark page each colour of a line in a picture has a lighter counterpart.
inline constexpr std::string_view style = R"css(:root { color-scheme: light dark;
  --ink: #1a1a1a; --paper: #fff; --soft: #4a4a4a; --line: #ddd; --strong: #555; --grid: #d0d0d0; --link: #0b57a4;
  --mark: #fff1c2; --warn: #b45309; --warn-paper: #fff7e8; --better: #00694d; --worse: #a83200; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181b; --soft: #b4b8bd; --line: #33373c; --strong: #8a8f96; --grid: #3a3f45;
    --link: #8ec2ff; --mark: #4a3c0d; --warn: #f5b14c; --warn-paper: #2b2416; --better: #2fd0a0; --worse: #ff8c42; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem;
  margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
h3 { margin-top: 2.5rem; }
h4 { margin-top: 1.5rem; }
p, li { max-width: 50rem; }
a { color: var(--link); }
nav { columns: 18rem; font-size: 0.9rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { overflow-wrap: anywhere; }
.l1 { margin-top: 0.5rem; font-weight: 600; break-after: avoid; }
.l2 { padding-left: 1rem; }
.warnings { margin: 1rem 0; padding: 0.6rem 1rem 0.6rem 2.2rem; border: 1px solid var(--warn); border-left-width: 6px;
  background: var(--warn-paper); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.15rem 0.7rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 1.5px solid var(--strong); vertical-align: bottom; }
td, tbody th { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-weight: 400; }
td.m { background: var(--mark); font-weight: 600; }
td.better { color: var(--better); }
td.worse { color: var(--worse); }
.n { text-align: right; white-space: nowrap; }
.s { white-space: nowrap; }
td.w { min-width: 12rem; }
figure { margin: 1.5rem 0; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; max-width: 50rem; }
figcaption, summary { font-size: 0.9rem; color: var(--soft); max-width: 50rem; }
summary { cursor: pointer; }
summary h2, summary h3, summary h4 { display: inline-block; color: var(--ink); margin: 0.6rem 0; border: 0; }
svg [color="black"], svg [color="#000000"] { color: var(--ink); }
svg [stroke="black"], svg [stroke="#000000"] { stroke: var(--ink); }
svg [fill="black"], svg [fill="#000000"] { fill: var(--ink); }
svg .gridline { stroke: var(--grid); }
@media screen and (prefers-color-scheme: dark) {
  svg [stroke="#0072b2"] { stroke: #4aa3ff; } svg [color="#0072b2"] { color: #4aa3ff; }
  svg [fill="#0072b2"] { fill: #4aa3ff; }
  svg [stroke="#d55e00"] { stroke: #ff8c42; } svg [color="#d55e00"] { color: #ff8c42; }
  svg [fill="#d55e00"] { fill: #ff8c42; }
  svg [stroke="#009e73"] { stroke: #2fd0a0; } svg [color="#009e73"] { color: #2fd0a0; }
  svg [fill="#009e73"] { fill: #2fd0a0; }
  svg [stroke="#56b4e9"] { stroke: #a5dcff; } svg [color="#56b4e9"] { color: #a5dcff; }
  svg [fill="#56b4e9"] { fill: #a5dcff; }
  svg [stroke="#666666"] { stroke: #b0b0b0; } svg [color="#666666"] { color: #b0b0b0; }
  svg [fill="#666666"] { fill: #b0b0b0; }
}
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  nav a { color: inherit; text-decoration: none; }
  h2, h3, h4 { break-after: avoid; }
  h2 { margin-top: 1.5rem; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  table { font-size: 7.5pt; }
  th, td { padding: 0.1rem 0.35rem; }
  td.w { min-width: 0; }
  .s, .n { white-space: normal; overflow-wrap: normal; }
  tbody th.s { white-space: nowrap; }
  summary { break-after: avoid; }
  figure svg { max-width: 14cm; }
  details:not(.numbers)::details-content { content-visibility: visible; }
  td.m { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .scroll { overflow-x: visible; }
  details.numbers { display: none; }
}
)css";

}  // namespace page
