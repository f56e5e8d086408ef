/// The page's style sheet: light and dark, on screens and on paper. Zoom is its work alone: the page runs nothing.
enum ReportStyle {
  static let sheet: String = """
    :root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2327;--soft:#5d676e;--line:#dfe3e5;--band:#3b7dd826;--average:#1f62bd;--r0:#7c8a94;
    --r1:#c0762c;--r2:#5b8f3c;--r3:#9160a8;--threshold:#7d6018;--fire:#12813f;--leave:#8a949b;--other:#c07a10;--differs:#fff0d6}
    @media (prefers-color-scheme:dark){:root{--page:#14181b;--card:#1b2125;--ink:#e4e8ea;--soft:#99a4ab;--line:#333b40;--band:#6aa5f52e;--average:#7db4ff;
    --r0:#87949d;--r1:#e0a060;--r2:#93c572;--r3:#c39bd6;--threshold:#d8b95a;--fire:#4ccf81;--leave:#79848c;--other:#f0b050;--differs:#3d3115}}
    *{box-sizing:border-box}body{margin:0 auto;max-width:1080px;padding:2rem 1.25rem 3rem;background:var(--page);color:var(--ink);
    font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    h1{font-size:1.5rem;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2.25rem 0 .75rem}header p,footer,.legend,small{color:var(--soft)}header p{margin:.25rem 0 0}
    code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.85em;overflow-wrap:anywhere}
    a{color:inherit;display:inline-block;min-height:24px;min-width:24px;text-underline-offset:3px}summary{cursor:pointer;padding:.4rem 0}
    :focus-visible,label:has(:focus-visible){outline:3px solid var(--average);outline-offset:1px}
    table{width:100%;border-collapse:separate;border-spacing:0;background:var(--card);border:1px solid var(--line);border-radius:8px;font-variant-numeric:tabular-nums}
    th,td{text-align:left;padding:.45rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600;color:var(--soft);font-size:.85em}
    tbody tr:last-child td{border-bottom:0}tr.differs{background:var(--differs)}
    fieldset{position:sticky;top:0;z-index:1;border:0;margin:0;padding:.3rem 0;background:var(--page);display:flex;gap:.4rem}legend{float:left;padding:.25rem .5rem .25rem 0}
    label{position:relative;padding:.25rem .8rem;border:1px solid var(--line);border-radius:6px;background:var(--card)}label:has(:checked){background:var(--ink);color:var(--page)}
    input{position:absolute;inset:0;opacity:0;width:100%;height:100%;margin:0;cursor:pointer}
    .beside,text{scroll-margin:4rem}figure{margin:0 0 1rem;padding:.8rem .9rem .4rem;background:var(--card);border:1px solid var(--line);border-radius:8px;break-inside:avoid}
    figcaption small{display:block}.chart{position:relative;overflow:hidden}.bare{margin-top:-2.5rem}figcaption{position:relative;z-index:1}.time{margin-left:40px;overflow-x:auto}svg{display:block;width:100%;height:300px}
    .levels{position:absolute;top:0;left:0;pointer-events:none}
    .d1,.d2,.d3{display:none}section:has(#z1:checked) .d1,section:has(#z2:checked) :is(.d1,.d2),section:has(#z3:checked) :is(.d1,.d2,.d3){display:inline}
    @media (min-width:700px){.d1,section:has(#z1:checked) .d2,section:has(#z2:checked) .d3{display:inline}}
    section:has(#z1:checked) .time>svg{width:400%}section:has(#z2:checked) .time>svg{width:1600%}section:has(#z3:checked) .time>svg{width:6400%}
    path{fill:none;vector-effect:non-scaling-stroke}text{font-size:12px;fill:var(--soft);paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}
    text.label{fill:var(--ink)}text:target{font-weight:700}.end{text-anchor:end}.middle{text-anchor:middle}.grid{stroke:var(--line)}
    .band{fill:var(--band)}.average{stroke:var(--average);stroke-width:1.8;stroke-linejoin:round}path.far{stroke-width:1}
    .a1{stroke:var(--r1);stroke-dasharray:9 3}.a2{stroke:var(--r2);stroke-dasharray:5 3}.a3{stroke:var(--r3);stroke-dasharray:2 2}
    .r0,.r1,.r2,.r3{stroke-width:3px;stroke-linecap:round;opacity:.6}.r0{stroke:var(--r0)}.r1{stroke:var(--r1);stroke-linecap:square}.r2{stroke:var(--r2);stroke-width:1.5px}.r3{stroke:var(--r3);stroke-width:1.5px}.range{stroke-width:1px}
    path.threshold{stroke:var(--threshold);stroke-dasharray:5 4}text.threshold{fill:var(--threshold)}
    .event{stroke-width:1.5}.fire{stroke:var(--fire);stroke-width:2.5}.leave{stroke:var(--leave)}.other{stroke:var(--other);stroke-dasharray:2 3}
    .legend span{display:inline-block;margin:0 .15rem 0 .8rem;vertical-align:middle}.dot{width:7px;height:7px}.legend .k0{margin-left:0}.k0{border-radius:50%;background:var(--r0)}.k1{background:var(--r1)}
    .k2{width:2px;background:var(--r2)}.k3{width:2px;height:12px;background:var(--r3)}
    .stroke{width:20px;border-top:2px solid var(--average)}.stroke.far{border-width:1px}.s1{border-top:2px dashed var(--r1)}.s2{border-top:2px dashed var(--r2)}.s3{border-top:2px dotted var(--r3)}.area{width:20px;height:10px;background:var(--band)}.dashed{width:20px;border-top:2px dashed var(--threshold)}
    .shares,.shares svg{height:84px}.here{fill:var(--fire);background:var(--fire)}.rival{fill:var(--r1);background:var(--r1);opacity:.5}.v1{fill:var(--r2)}.v2{fill:var(--r3)}.rest{fill:var(--line);background:var(--line)}
    pre{padding:.9rem;background:var(--card);border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;margin:0}footer{margin-top:2rem;font-size:.85em}
    @media screen and (min-width:1500px){.two{max-width:2100px}.two .beside{display:grid;grid-template-columns:1fr 1fr;gap:0 1.25rem;align-items:start}}
    @media screen and (max-width:640px){body{padding:1rem .75rem 2rem}thead{display:none}table,tbody,tr,td{display:block}tr{padding:.5rem .7rem;border-bottom:1px solid var(--line)}tr:last-child{border:0}td{border:0;padding:0 0 0 6.5rem;text-indent:-6.5rem}td *{text-indent:0}td:empty{display:none}
    td::before{content:attr(data-h);display:inline-block;width:6.5rem;text-indent:0;color:var(--soft);font-size:.85em}figure{padding:.6rem .5rem .3rem}}
    @media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--average:#1f62bd;--fire:#12813f;--threshold:#6d5512;--differs:#f4ead6;color-scheme:light}
    body{max-width:none;padding:0;font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}fieldset{display:none}tr{break-inside:avoid}h2{break-after:avoid;margin-top:1.25rem}.beside:has(figure){break-inside:avoid}}
    """
}
