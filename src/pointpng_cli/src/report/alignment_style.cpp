#include "report/alignment_assets.h"

namespace pointpng {

// Colours of the drawing are read by the script: six hexadecimal digits each.
const std::string_view kAlignmentStyle = R"css(
:root{--screen:#fdfdfe;--source:#d9480f;--target:#1c6fb5;--faint:#b9c2cd;--near:#1767a8;--between:#d3a11a;--far:#c4281c;--good:#e6f4ee;--good-edge:#0f7b5f}
@media (prefers-color-scheme:dark){:root{--screen:#121820;--source:#ff9d5c;--target:#5aa9f5;--faint:#475363;--near:#4fa3f0;--between:#f0cd62;--far:#ff6a5e;--good:#10281f;--good-edge:#4fd1a5}}
[hidden]{display:none!important}
.choice{margin:24px 0 0;display:flex;align-items:center;gap:12px}
.choice label{color:var(--soft)}
select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:8px 12px;min-width:0;flex:0 1 460px}
.verdict{display:flex;gap:16px;align-items:flex-start;margin:28px 0 0;padding:18px 20px;border-radius:12px;background:var(--good)}
.verdict.rejected{background:var(--alarm)}
.verdict>b{flex:none;width:34px;height:34px;border-radius:50%;background:var(--good-edge);color:var(--card);display:grid;place-items:center;font-size:1.05rem}
.verdict.rejected>b{background:var(--alarm-edge)}
.verdict strong{font-size:1.3rem;letter-spacing:-.01em}
.verdict span{font-weight:500;font-size:1rem;letter-spacing:0;color:var(--soft);margin-left:.5em;white-space:nowrap}
.verdict p{margin:2px 0 0;max-width:72ch;overflow-wrap:anywhere}
.verdict+.tiles{margin-top:12px}
.stage{display:grid;grid-template-columns:minmax(0,1fr) 300px;gap:16px;align-items:start}
.viewer{background:var(--card);border:1px solid var(--rule);border-radius:12px;overflow:hidden}
.screen{position:relative;background:var(--screen)}
.screen canvas{display:block;width:100%;height:min(62vh,560px);min-height:300px;touch-action:none;cursor:grab}
.screen canvas:active{cursor:grabbing}
.screen canvas:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
#reset{position:absolute;top:12px;right:12px;font:inherit;font-size:.86rem;color:inherit;cursor:pointer;background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:5px 11px;min-height:34px}
.axes{position:absolute;left:10px;bottom:10px;width:64px;height:64px;pointer-events:none}
.axes line{stroke:var(--soft);stroke-width:1.5}.axes text{font-size:10px;text-anchor:middle}
.scale{position:absolute;right:14px;bottom:12px;width:220px;max-width:calc(100% - 100px);font-size:.8rem;line-height:1.35;color:var(--soft);pointer-events:none}
.scale i{display:block;height:8px;border-radius:4px;margin:4px 0 2px;background:linear-gradient(90deg,var(--near),var(--between),var(--far))}
.scale p{display:flex;justify-content:space-between;margin:0}
.scale b{font-weight:500;color:var(--ink);font-variant-numeric:tabular-nums}
.empty{position:absolute;inset:0;display:grid;place-items:center;margin:0;color:var(--soft);pointer-events:none}
.controls{display:flex;flex-wrap:wrap;align-items:center;gap:10px 14px;padding:12px 14px 4px;border-top:1px solid var(--rule);font-size:.92rem}
.controls button,.hypotheses button{font:inherit;color:inherit;cursor:pointer;background:var(--card);border:1px solid var(--rule);border-radius:8px}
.controls button{padding:6px 11px;min-height:36px}
button:focus-visible,select:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
button:disabled{opacity:.5;cursor:default}
.switch{display:flex}
.switch button{border-radius:0;margin-left:-1px;position:relative}
.switch button:first-child{border-radius:8px 0 0 8px;margin-left:0}.switch button:last-child{border-radius:0 8px 8px 0}
.switch [aria-pressed=true]{background:var(--note);border-color:var(--accent);z-index:1;font-weight:600}
.cloud{display:flex;align-items:center;gap:6px;cursor:pointer;min-height:36px}
.cloud i{width:11px;height:11px;border-radius:50%}
.cloud.source i{background:var(--source)}.cloud.target i{background:var(--target)}
.cloud input,.size input{accent-color:var(--accent)}
.size{display:flex;align-items:center;gap:8px}
.size input{width:84px}
.hint{margin:0;padding:2px 14px 12px;font-size:.84rem;color:var(--soft)}
.hint .shown{color:var(--ink);margin-right:.6em}
aside h3{margin:2px 0 8px}
aside p{color:var(--soft);margin:0}
.hypotheses{list-style:none;margin:0;padding:0;display:grid;gap:8px;max-height:640px;overflow-y:auto}
.hypotheses button{width:100%;text-align:left;padding:10px 12px;display:grid;grid-template-columns:auto 1fr auto;gap:2px 10px;font-variant-numeric:tabular-nums}
.hypotheses button:focus-visible{outline-offset:-2px}
.hypotheses button[aria-pressed=true]{border-color:var(--accent);background:var(--note)}
.hypotheses b{color:var(--soft)}
.hypotheses .score{font-weight:650}
.hypotheses i{grid-column:1/-1;height:4px;border-radius:2px;background:var(--rule);overflow:hidden;margin:3px 0}
.hypotheses em{display:block;height:100%;background:var(--accent)}
.hypotheses .rest{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:0 12px;font-size:.82rem;color:var(--soft)}
[data-pose-of] pre{overflow-x:auto;white-space:pre}
.times{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:16px}
.times p{margin:6px 0 0;color:var(--soft);font-size:.88rem}
.bar{display:flex;height:22px;border-radius:6px;overflow:hidden;gap:2px;margin-bottom:10px}
.bar i{background:currentColor;min-width:2px}
@media (max-width:860px){.stage{grid-template-columns:minmax(0,1fr)}.screen canvas{height:56vh}.hypotheses{max-height:none}}
@media (max-width:620px){.controls{gap:8px 12px;padding:10px 12px 2px}.hint{padding:2px 12px 10px}.verdict{padding:14px;gap:12px}.verdict span{display:block;margin:0}[data-pose-of] pre{font-size:.72rem;padding:10px 8px}}
@media print{.controls,.hint{display:none}}
)css";

}  // namespace pointpng
