// The style sheets of the page and of its pictures. Kinds of ops have a colour each, in a light and
// in a dark scheme; the pictures (class k-KIND) and the legend share them.
#pragma once

namespace vecc::tools {

/// Custom properties, for a rule of the caller's choice.
inline constexpr const char* kLightColours = R"(
--page:#fff;--text:#1d1f24;--pale:#5f6672;--line:#dfe2e8;
--panel:#f8f9fb;--edge:#8b93a3;--bar:#5b8fc9;--gone:#e1e6ee;--more:#d9822b;
--constant:#f4e3c3;--move:#f6cfcf;--join:#dde4ee;--product:#c6e3c2;--sum:#c9d9f6;
--function:#e5d6f4;--out:#fff)";
inline constexpr const char* kDarkColours = R"(
--page:#16181d;--text:#e4e7ec;--pale:#9aa3b2;
--line:#343a45;--panel:#1d2026;--edge:#788196;--bar:#5b8fc9;--gone:#2b313c;--more:#d9822b;
--constant:#5a4a26;--move:#632f33;--join:#3a4352;--product:#2c5530;--sum:#2c4370;
--function:#4d3767;--out:#16181d)";

/// Of what draw_graph() draws, and of legends of it.
inline constexpr const char* kGraphStyle = R"(
svg.graph{display:block;margin:0 auto;font:11px system-ui,"DejaVu Sans",sans-serif}
svg.graph text{fill:var(--text)}svg.graph .size{text-anchor:end;fill:var(--pale)}
svg.graph .title text{font-weight:600}
svg.graph .box{fill:var(--page);stroke:var(--edge)}
svg.graph .edges path{fill:none;stroke:var(--edge)}
svg.graph .edges .back{stroke-dasharray:4 3;stroke:var(--more)}
.k-fact,.k-weight,.k-state{fill:var(--constant);background:var(--constant)}
.k-gather{fill:var(--move);background:var(--move)}
.k-concat{fill:var(--join);background:var(--join)}
.k-linear,.k-contract{fill:var(--product);background:var(--product)}
.k-segment{fill:var(--sum);background:var(--sum)}
.k-transform,.k-map{fill:var(--function);background:var(--function)}
.k-output,.k-update{fill:var(--out);background:var(--out)}
)";

/// Of the rest of the page.
inline constexpr const char* kPageStyle = R"(
body{font:14px/1.45 system-ui,"DejaVu Sans",sans-serif;margin:2em auto;padding:0 1.5em;
max-width:1560px;color:var(--text);background:var(--page)}
h1{font-size:1.45em;margin:0 0 .2em;overflow-wrap:anywhere}
h2{font-size:1.15em;margin:2em 0 .5em}h3{font-size:1em;margin:0 0 .4em}
nav a{margin-right:1.2em}a{color:var(--bar)}
p{margin:.5em 0}.note{color:var(--pale);max-width:60em}
table{border-collapse:collapse}
td,th{padding:2px 12px 2px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{font-weight:600;vertical-align:bottom}td.l,th.l{text-align:left}
td.code{font:12px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;white-space:normal;
overflow-wrap:anywhere;min-width:22em;max-width:56em}
td.group{white-space:normal;overflow-wrap:anywhere;max-width:22em;color:var(--pale)}
.wide{overflow-x:auto}.two{display:flex;flex-wrap:wrap;gap:1em 4em}
figure{margin:0;flex:1 1 640px;min-width:0;max-width:100%}
.scroll{overflow:auto;border:1px solid var(--line);border-radius:4px;background:var(--panel)}
.track{display:inline-flex;width:420px;height:11px;vertical-align:middle}
.bar{background:var(--bar);height:11px;display:inline-block;vertical-align:middle}
.gone{background:var(--gone);height:11px}.more{background:var(--more);height:11px}
.chip{display:inline-block;width:1.1em;height:.9em;border:1px solid var(--edge);border-radius:2px;
vertical-align:middle;margin-right:.5em}
svg.chart{font:11px system-ui,"DejaVu Sans",sans-serif;max-width:100%;height:auto}
svg.chart text{fill:var(--text)}svg.chart .tick{text-anchor:end;fill:var(--pale)}
svg.chart .below{text-anchor:middle;fill:var(--pale)}
svg.chart .grid{stroke:var(--line);fill:none}svg.chart .axis{stroke:var(--edge);fill:none}
svg.chart .curve{stroke:currentColor;stroke-width:1.6;fill:none;stroke-linejoin:round}
svg.chart circle{fill:transparent}svg.chart .few circle,svg.chart circle:hover{fill:currentColor}
svg.chart .best path{stroke:var(--pale);stroke-dasharray:4 3;fill:none}
svg.chart .best .ring{stroke:var(--text);stroke-dasharray:none;stroke-width:1.4}
svg.chart .to-left{text-anchor:end}
.s-train{color:var(--bar)}.s-validation{color:var(--more)}
)";

}  // namespace vecc::tools
