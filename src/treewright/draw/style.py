"""The style sheet of drawings, light and dark, with CSS variables.

Drawings follow the system's colour scheme. A page with its own switch sets `data-theme` on its root
element; the notebooks of Jupyter and Visual Studio Code have marks of their own. Colour is never
the only sign: wrong items are dashed, missing ones dotted.
"""

import re

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d232b",
    "soft": "#69727d",
    "line": "#9aa4af",
    "accent": "#0b62b8",
    "wrong": "#c02b1d",
    "missed": "#0a7040",
    "differs": "#8a3fb0",
    "doubt": "#ffb000",
}
DARK = {
    "paper": "#14181d",
    "ink": "#e7ebf0",
    "soft": "#9aa5b1",
    "line": "#5d6874",
    "accent": "#6cb4ff",
    "wrong": "#ff7f70",
    "missed": "#58d394",
    "differs": "#d39bf2",
    "doubt": "#a86c00",
}
DARK_PAGES = (
    '[data-theme="dark"] .treewright',
    '[data-jp-theme-light="false"] .treewright',
    ".vscode-dark .treewright",
)
LIGHT_PAGES = (
    '[data-theme="light"] .treewright',
    '[data-jp-theme-light="true"] .treewright',
    ".vscode-light .treewright",
)
RULES = """
.treewright text{font-family:"Helvetica Neue",Helvetica,Arial,"Segoe UI",Roboto,"Noto Sans",\
"DejaVu Sans",sans-serif;fill:var(--tw-ink)}
.treewright .ground{fill:var(--tw-paper)}
.treewright .word{font-size:15px;font-weight:500}
.treewright .tag,.treewright .heading,.treewright .label,.treewright .category{font-size:13px}
.treewright .tag,.treewright .heading{fill:var(--tw-soft)}
.treewright .category{fill:var(--tw-accent)}
.treewright .feature{font-size:10px}
.treewright .rule,.treewright .relation,.treewright .small{font-size:11px;fill:var(--tw-soft)}
.treewright path,.treewright line{stroke:var(--tw-line);stroke-width:1.2;fill:none}
.treewright .head{stroke:none;fill:var(--tw-line)}
.treewright .curve{stroke:var(--tw-accent);stroke-width:1.8}
.treewright .heat{fill:var(--tw-accent)}
.treewright .shade{fill:var(--tw-doubt)}
.treewright .shade+text{fill:var(--tw-ink)}
.treewright .stub .category,.treewright .stub .word{font-style:italic}
.treewright .wrong path,.treewright .wrong line{stroke:var(--tw-wrong);stroke-width:1.8;\
stroke-dasharray:6 3}
.treewright .missed path,.treewright .missed line{stroke:var(--tw-missed);stroke-width:1.8;\
stroke-dasharray:2 3}
.treewright .differs path,.treewright .differs line{stroke:var(--tw-differs);stroke-width:2}
.treewright .wrong .head{fill:var(--tw-wrong)}
.treewright .missed .head{fill:var(--tw-missed)}
.treewright .differs .head{fill:var(--tw-differs)}
.treewright .wrong .mark{fill:var(--tw-wrong);font-weight:700}
.treewright .missed .mark{fill:var(--tw-missed);font-weight:700}
.treewright .differs .mark{fill:var(--tw-differs);font-weight:700}
.treewright .head,.treewright .wrong .head,.treewright .missed .head,.treewright .differs .head\
{stroke:none;stroke-dasharray:none}
"""


def _plain_first(rules: str) -> str:
    """The light colour before each variable, for programs that know no CSS variables."""

    def both(found: re.Match[str]) -> str:
        return f"{found[1]}:{LIGHT[found[2]]};{found[0]}"

    return re.sub(r"(fill|stroke):var\(--tw-(\w+)\)", both, rules)


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--tw-{name}:{colour};" for name, colour in colours.items())


def _style() -> str:
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f".treewright{{{light}color-scheme:light dark}}"
        f"@media (prefers-color-scheme:dark){{.treewright{{{dark}}}}}"
        f"{','.join(DARK_PAGES)}{{{dark}}}{','.join(LIGHT_PAGES)}{{{light}}}"
        f"@media print{{.treewright.treewright.treewright{{{light}}}}}" + _plain_first(RULES)
    )


STYLE = _style()


PAGE_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:min(96vw,90rem);padding:0 1rem}
figure{margin:0 0 2rem}
figcaption{margin:0 0 .4rem}
.drawing{overflow-x:auto}
.facts{opacity:.75;font-size:.85em}
@media print{.drawing svg{max-width:100%;height:auto}figure{break-inside:avoid}}
"""
