#include "report/page_assets.h"

namespace pointpng {

// Line colours keep a contrast of 3:1 with their ground and stay apart for colour-blind readers.
const std::string_view kPageStyle = R"css(
:root{--ground:#f6f7f9;--card:#fff;--ink:#17202c;--soft:#586473;--rule:#dfe4ea;--accent:#0b62a4;
--line-1:#0b62a4;--line-2:#c2410c;--line-3:#0f7b5f;--line-4:#8b4aa8;--line-5:#8a6100;--line-6:#45556b;
--note:#e8f1fa;--note-edge:#0b62a4;--warning:#fff4dc;--warning-edge:#b87503;--alarm:#fdeaea;--alarm-edge:#c02626;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--ground:#0f141b;--card:#171e27;--ink:#e7ecf2;--soft:#9aa7b6;--rule:#2a3442;--accent:#6cb6ff;
--line-1:#6cb6ff;--line-2:#ff9d5c;--line-3:#4fd1a5;--line-4:#d3a0f0;--line-5:#e8c15a;--line-6:#aab7c8;
--note:#132436;--note-edge:#6cb6ff;--warning:#2e2410;--warning-edge:#e8b13a;--alarm:#361719;--alarm-edge:#ff7b7b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:1160px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
h1{font-size:clamp(1.7rem,4vw,2.4rem);line-height:1.15;margin:.1em 0 .35em;letter-spacing:-.02em;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:0 0 .6em;letter-spacing:-.01em}
h3{font-size:1rem;margin:1.2em 0 .4em}
.kicker{margin:0;color:var(--accent);font-weight:600}
.summary{margin:0;max-width:72ch;font-size:1.08rem;color:var(--soft)}
section{margin:44px 0;scroll-margin-top:60px}
section>p{max-width:72ch;color:var(--soft)}
nav{position:sticky;top:0;z-index:1;background:var(--ground);border-bottom:1px solid var(--rule);margin-top:28px;padding:10px 0;display:flex;gap:4px 20px;flex-wrap:wrap;font-size:.94rem}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px;margin:28px 0 20px}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px;display:flex;flex-direction:column}
.tile span{font-size:.88rem;color:var(--soft)}
.tile strong{overflow-wrap:anywhere;font-size:1.75rem;line-height:1.25;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.tile small{font-size:.95rem;white-space:nowrap;font-weight:500;letter-spacing:0;margin-left:.3em;color:var(--soft)}
.tile em{font-style:normal;font-size:.82rem;line-height:1.4;color:var(--soft)}
.callout{background:var(--note);border-left:4px solid var(--note-edge);border-radius:6px;padding:11px 16px;margin:10px 0;overflow-wrap:anywhere}
.callout.warning{background:var(--warning);border-color:var(--warning-edge)}
.callout.alarm{background:var(--alarm);border-color:var(--alarm-edge)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,460px),1fr));gap:16px;margin:12px 0}
.chart{margin:0;background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px 8px;position:relative;min-width:0;display:flex;flex-direction:column}
.chart h3{margin:0}
.chart figcaption{flex:1}
.chart figcaption p{margin:2px 0 6px;font-size:.86rem;line-height:1.45;color:var(--soft)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 18px;margin:0;padding:0;font-size:.88rem}
.legend i{display:inline-block;width:18px;border-top:3px solid currentColor;vertical-align:middle;margin-right:6px}
.legend i.sparse{border-top-style:dashed}
.legend span{color:var(--ink)}.legend .remark,.legend .bad{font-size:.84rem}
.legend b{color:var(--ink);font-variant-numeric:tabular-nums}
.at{position:absolute;right:16px;top:14px;margin:0;font-size:.84rem;color:var(--soft);background:var(--card);padding-left:8px;font-variant-numeric:tabular-nums}
svg{display:block;width:100%;height:auto;max-height:460px;touch-action:pan-y;border-radius:6px}
svg:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
svg text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
svg .y{text-anchor:end}svg .x{text-anchor:middle}
.grid line{stroke:var(--rule);stroke-width:1}.grid .base{stroke:var(--soft)}
.line path,.cursor path,.markers path{fill:none;stroke:currentColor;vector-effect:non-scaling-stroke}
.main{stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.main.sparse{stroke-dasharray:6 5}
.measured{stroke-width:1;opacity:.28}
.dot{fill:currentColor}
.line-1{color:var(--line-1)}.line-2{color:var(--line-2)}.line-3{color:var(--line-3)}.line-4{color:var(--line-4)}.line-5{color:var(--line-5)}.line-6{color:var(--line-6)}
.cursor{pointer-events:none}.cursor path{stroke:var(--soft)}.cursor circle{fill:currentColor;stroke:var(--card);stroke-width:1.5}
.markers path{stroke-dasharray:3 4}.markers polygon{fill:currentColor}
.picture{margin:12px 0;background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px 8px;position:relative}
.picture h3{margin:0}.picture figcaption p{margin:2px 0 6px;max-width:84ch;font-size:.86rem;line-height:1.45;color:var(--soft)}
.picture .drawing{overflow-x:auto}.picture svg{max-height:none;min-width:620px}
.picture .tip{min-height:1.5em;margin:4px 0 0;font-size:.9rem;font-variant-numeric:tabular-nums}
.picture [data-legend]{cursor:default}.picture svg.one [data-group]:not(.shown){opacity:.08}
.picture .ring{fill:none;stroke:var(--ink);stroke-width:1.6;pointer-events:none}
.paper td:first-child{min-width:16ch}.paper .group th{padding-top:14px;color:var(--ink)}
.paper .proposed td{font-weight:650}.paper .ours td{background:var(--note);font-weight:650}.paper .not-run td{color:var(--soft);font-style:italic}
.measured-how{margin:10px 0;padding:10px 16px;border-left:3px solid var(--note-edge);font-size:.92rem}
.measured-how span{margin-left:1.2em;color:var(--soft);overflow-wrap:anywhere}.measured-how p{margin:4px 0;color:var(--soft)}.measured-how pre{margin:6px 0 0;padding:8px 12px}
.remark{color:var(--soft)}.bad{color:var(--alarm-edge)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--rule);border-radius:10px;margin:10px 0}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;padding:8px 14px;border-bottom:1px solid var(--rule);vertical-align:top}
tr:last-child td{border-bottom:0}
th{font-size:.84rem;color:var(--soft);font-weight:600;white-space:nowrap}
td{overflow-wrap:anywhere;min-width:8ch}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,320px),1fr));gap:0 28px;margin:8px 0}
.facts div{display:flex;justify-content:space-between;gap:16px;border-bottom:1px solid var(--rule);padding:5px 0;font-size:.93rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums;font-weight:500}
pre{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px;white-space:pre-wrap;overflow-wrap:anywhere;font:.9rem/1.5 var(--mono)}
details{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:0 16px;margin:10px 0}
summary{cursor:pointer;padding:10px 0;font-weight:600}
details[open]{padding-bottom:14px}
footer{padding-top:16px;padding-bottom:40px;color:var(--soft);font-size:.86rem}
@media (max-width:620px){header,main,footer{padding-left:16px;padding-right:16px}header{padding-top:24px}
.tiles{grid-template-columns:1fr 1fr;gap:8px}.tile{padding:11px 12px}.tile strong{font-size:1.45rem}
.chart{padding:12px 12px 8px}svg text{font-size:19px}svg .odd{display:none}nav{position:static}}
@media print{:root{--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--rule:#ccc;--accent:#000;--line-1:#0b62a4;--line-2:#c2410c;--line-3:#0f7b5f;--line-4:#8b4aa8;--line-5:#8a6100;--line-6:#45556b;--note:#fff;--warning:#fff;--alarm:#fff}
body{font-size:11pt}nav{display:none}.chart,.tile,.callout,tr,.facts div{break-inside:avoid}section{margin:24px 0}.charts{grid-template-columns:1fr 1fr}}
)css";

}  // namespace pointpng
