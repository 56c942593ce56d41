"""The prose of the reference as HTML: paragraphs, headings, tables and code: the little of Markdown that it uses."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")


def html(text: str) -> str:
    """Turn Markdown into HTML; whatever it says, it stays text."""
    return "".join(_block(block) for block in re.split(r"\n\n+", text.strip()) if block)


def _block(block: str) -> str:
    if block.startswith("## "):
        return f"<h2>{inline(block[3:])}</h2>"
    if block.startswith("|"):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.split("\n")]
        table = f"<table>{_row(head, 'th')}{''.join(_row(row, 'td') for row in rows)}</table>"
        return f'<div class="wide" tabindex="0">{table}</div>'
    if block.startswith("```"):
        return f'<pre tabindex="0"><code>{escape(block.partition(chr(10))[2].removesuffix("```"))}</code></pre>'
    return f"<p>{inline(block)}</p>"


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in cells) + "</tr>"


def inline(text: str) -> str:
    """Turn a line of Markdown into HTML; whatever it says, it stays text."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
