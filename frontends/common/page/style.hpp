// SPDX-License-Identifier: BSD-3-Clause
/// Style: the style sheet of pages.
#pragma once

#include <string_view>

namespace page {

/// CSS rules for pages. Pictures need `svg_style` too.
inline constexpr std::string_view style = R"css(:root { color-scheme: light dark;
  --ink: #1a1a1a; --paper: #fff; --soft: #4a4a4a; --line: #ddd; --strong: #555; --grid: #d8d8d8; --link: #0b57a4;
  --mark: #fff1c2; --warn: #b45309; --warn-paper: #fff7e8; --good: #0a6b45; --bad: #b3261e; --tile: #f4f5f7; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181b; --soft: #b4b8bd; --line: #33373c; --strong: #8a8f96; --grid: #3a3f45;
    --link: #8ec2ff; --mark: #4a3c0d; --warn: #f5b14c; --warn-paper: #2b2416; --good: #5fd3a0; --bad: #ff8a80;
    --tile: #212428; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem;
  margin: 1.5rem auto; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.2; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 0.4rem; }
h2 { margin-top: 2.5rem; border-bottom: 2px solid var(--line); }
h3 { margin-top: 2rem; }
h4 { margin-top: 1.5rem; }
p, li { max-width: 50rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.way { float: right; margin: 0.3rem 0 0 1rem; font-size: 0.85rem; }
nav > ul, nav > details > ul { columns: 18rem; font-size: 0.9rem; margin: 0; padding: 0; list-style: none; }
nav li { overflow-wrap: anywhere; }
.l1 { margin-top: 0.5rem; font-weight: 600; break-after: avoid; }
.l2 { padding-left: 1rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.6rem; margin: 1rem 0; }
.tiles div { background: var(--tile); border-radius: 0.4rem; padding: 0.5rem 0.7rem; min-width: 0; }
.tiles dt, .tiles dd { margin: 0; font-size: 0.8rem; line-height: 1.35; color: var(--soft); overflow-wrap: anywhere; }
.tiles .number { font-size: 1.35rem; font-weight: 600; line-height: 1.3; color: var(--ink);
  font-variant-numeric: tabular-nums; }
.tiles .good { color: var(--good); font-weight: 600; }
.tiles .bad { color: var(--bad); font-weight: 600; }
.warnings { margin: 1rem 0; padding: 0.3rem 1rem 0.3rem 0; border: 1px solid var(--warn); border-left-width: 6px;
  background: var(--warn-paper); }
.warnings ul { margin: 0.3rem 0; padding-left: 1.8rem; }
.warnings summary { padding-left: 0.8rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.15rem 0.7rem; text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0.2rem; }
thead th { border-bottom: 1.5px solid var(--strong); vertical-align: bottom; }
td, tbody th { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; font-weight: 400; }
td.m { background: var(--mark); font-weight: 600; }
td.good { color: var(--good); }
td.bad { color: var(--bad); }
.n { text-align: right; white-space: nowrap; }
.s { white-space: nowrap; }
td.w { min-width: 12rem; }
.heat { width: 100%; max-width: 44rem; font-size: 8px; fill: var(--ink); }
.heat .none { stroke: var(--soft); stroke-width: 0.08; fill: none; }
.heat .found { stroke: var(--bad); stroke-width: 0.16; }
.swatch { width: 1rem; height: 0.8rem; margin-left: 0.6rem; vertical-align: baseline; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 0 1.5rem; }
figure { margin: 1rem 0; min-width: 0; break-inside: avoid; }
figure.wide { grid-column: 1 / -1; }
figure .title { margin: 0 0 0.3rem; font-weight: 600; }
figcaption, summary { font-size: 0.9rem; color: var(--soft); max-width: 50rem; overflow-wrap: anywhere; }
figcaption { margin-top: 0.3rem; }
summary { cursor: pointer; }
summary h2, summary h3, summary h4 { display: inline-block; color: var(--ink); margin: 0.6rem 0; border: 0; }
@media (max-width: 34rem) {
  body { margin: 0.8rem auto; padding: 0 0.8rem; }
  h1 { font-size: 1.3rem; }
  h2 { font-size: 1.25rem; margin-top: 2rem; }
  .tiles { gap: 0.4rem; grid-template-columns: repeat(2, 1fr); }
  .tiles .number { font-size: 1.2rem; }
  .tiles div { padding: 0.35rem 0.6rem; }
  td.w { min-width: 9rem; }
}
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  nav a { color: inherit; text-decoration: none; }
  .way { display: none; }
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
  .plot { max-width: 14cm; }
  details:not(.numbers)::details-content { content-visibility: visible; }
  td.m, .tiles div { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .scroll { overflow-x: visible; }
  details.numbers { display: none; }
}
)css";

}  // namespace page
