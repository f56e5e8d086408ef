/// The page's style sheet: light and dark, on screens and on paper.
enum ReportStyle {
  static let sheet: StaticString = """
    :root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2327;--soft:#5d676e;--line:#dfe3e5;--band:#3b7dd826;--average:#1f62bd;--r0:#7c8a94;
    --r1:#c0762c;--r2:#5b8f3c;--r3:#9160a8;--threshold:#8a6d1a;--fire:#12813f;--leave:#8a949b;--other:#c07a10;--differs:#fff0d6}
    @media (prefers-color-scheme:dark){:root{--page:#14181b;--card:#1b2125;--ink:#e4e8ea;--soft:#99a4ab;--line:#333b40;--band:#6aa5f52e;--average:#7db4ff;
    --r0:#87949d;--r1:#e0a060;--r2:#93c572;--r3:#c39bd6;--threshold:#d8b95a;--fire:#4ccf81;--leave:#79848c;--other:#f0b050;--differs:#3d3115}}
    *{box-sizing:border-box}body{margin:0 auto;max-width:1080px;padding:2rem 1.25rem 3rem;background:var(--page);color:var(--ink);
    font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    h1{font-size:1.5rem;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2.25rem 0 .75rem}header p,footer,.legend,small{color:var(--soft)}header p{margin:.25rem 0 0}
    code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.85em;overflow-wrap:anywhere}
    table{width:100%;border-collapse:separate;border-spacing:0;background:var(--card);border:1px solid var(--line);border-radius:8px;font-variant-numeric:tabular-nums}
    th,td{text-align:left;padding:.45rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600;color:var(--soft);font-size:.85em}
    tbody tr:last-child td{border-bottom:0}tr.differs{background:var(--differs)}
    figure{margin:0 0 1rem;padding:.8rem .9rem .4rem;background:var(--card);border:1px solid var(--line);border-radius:8px;break-inside:avoid}
    figcaption small{display:block}svg{display:block;width:100%;height:auto}
    .grid{stroke:var(--line);stroke-width:1;fill:none}.axis,.label{font-size:11px;fill:var(--soft)}.label{fill:var(--ink)}.label{paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}.end{text-anchor:end}.middle{text-anchor:middle}
    .band{fill:var(--band)}.average{fill:none;stroke:var(--average);stroke-width:1.8;stroke-linejoin:round}.r0{fill:var(--r0)}.r1{fill:var(--r1)}.r2{fill:var(--r2)}.r3{fill:var(--r3)}
    .range{stroke:var(--r0);stroke-width:1;opacity:.6}circle{opacity:.55}
    .threshold{stroke:var(--threshold);stroke-dasharray:5 4;fill:none}text.label.end{fill:var(--threshold)}
    .event{stroke-width:1.5;fill:none}.fire{stroke:var(--fire);stroke-width:2.5}.leave{stroke:var(--leave)}.other{stroke:var(--other);stroke-dasharray:2 3}
    .legend span{display:inline-block;margin:0 .15rem 0 .8rem;vertical-align:middle}.dot{width:7px;height:7px;border-radius:50%;background:var(--r0)}
    .stroke{width:20px;border-top:2px solid var(--average)}.area{width:20px;height:10px;background:var(--band)}.dashed{width:20px;border-top:2px dashed var(--threshold)}
    pre{padding:.9rem;background:var(--card);border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;margin:0}footer{margin-top:2rem;font-size:.85em}
    @media screen and (min-width:1500px){.two{max-width:2100px}.two .beside{display:grid;grid-template-columns:1fr 1fr;gap:0 1.25rem;align-items:start}}
    @media (max-width:640px){th,td{padding:.3rem;font-size:.75rem}}
    @media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--average:#1f62bd;--fire:#12813f;--threshold:#6d5512;--differs:#f4ead6;color-scheme:light}
    body{max-width:none;padding:0;font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}tr{break-inside:avoid}h2{break-after:avoid;margin-top:1.25rem}.beside:has(figure){break-inside:avoid}}
    """
}
