"""Style sheet and script of the report: light and dark on screen, light on paper."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--muted:#5f6872;--line:#d9dce0;--soft:#f5f6f7;--accent:#0067a3;
--good:#007f5c;--bad:#b54708;--none:#5f6872}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ec;--muted:#9ba5b0;--line:#343b43;
--soft:#1e2328;--accent:#66bdf0;--good:#2cc79a;--bad:#f0803c;--none:#9ba5b0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:1000px;margin:0 auto;padding:48px 32px 80px}
h1{font-size:34px;line-height:1.2;margin:4px 0 10px;letter-spacing:-.01em}
h2{font-size:21px;margin:48px 0 12px;padding-top:14px;border-top:1px solid var(--line)}
h3{font-size:16px;margin:26px 0 8px}
p{margin:8px 0;max-width:75ch}
.kicker,.muted{color:var(--muted)}
.kicker{font-size:14px;letter-spacing:.02em}
.lead{font-size:19px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--muted);font-weight:600}
.n{text-align:right;white-space:nowrap}
.verdict{white-space:nowrap;font-weight:600}
.holds{color:var(--good)}.fails{color:var(--bad)}.none{color:var(--none)}
.tally{display:flex;gap:12px;flex-wrap:wrap;margin:22px 0}
.tally div{background:var(--soft);border:1px solid var(--line);border-radius:10px;padding:12px 18px;min-width:150px}
.tally b{display:block;font-size:28px;line-height:1.1}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:8px 0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:20px 0 30px}
figure svg{width:100%;height:auto;display:block}
.graphs{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:18px 24px;margin:14px 0 26px}
.graphs figure{margin:0;break-inside:avoid}.graphs img{display:block;width:100%;height:210px;object-fit:contain;
object-position:left;margin-bottom:6px}
figcaption{color:var(--muted);font-size:13px}
code,pre{font:13px/1.5 ui-monospace,Consolas,Menlo,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;
white-space:pre-wrap}
.lit{filter:drop-shadow(0 0 4px var(--ink)) drop-shadow(0 0 1px var(--ink))}
.key{cursor:pointer}.key.hidden{opacity:.35}
@media print{@page{margin:16mm}body{font-size:10.5pt}main{max-width:none;padding:0}h1{font-size:22pt}
h2{margin-top:22pt;break-after:avoid}h3{break-after:avoid}figure,tr,.tally{break-inside:avoid}.screen{display:none}
pre{border-color:#bbb}table{font-size:9pt}}
@media(max-width:640px){main{padding:28px 16px 60px}h1{font-size:27px}}
"""

SCRIPT = """
for(const key of document.querySelectorAll(".key"))key.addEventListener("click",()=>{
const line=key.closest("svg").querySelector('[data-line="'+key.dataset.key+'"]');
const off=line.classList.toggle("off");key.classList.toggle("hidden",off)});
for(const mark of document.querySelectorAll("[data-point]"))for(const [name,on] of [["mouseenter",1],["mouseleave",0]])
mark.addEventListener(name,()=>{for(const same of document.querySelectorAll("[data-point]"))
if(same.dataset.point===mark.dataset.point)same.classList.toggle("lit",!!on)});
"""
