"""Converter from Markdown to HTML for the texts of the reference: paragraphs, headings, tables and code only."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")


def render(text: str) -> str:
    """Convert Markdown to HTML; HTML in the text is escaped."""
    return "".join(_block(block) for block in re.split(r"\n\n+", text.strip()) if block)


def _block(block: str) -> str:
    if block.startswith("## "):
        return f"<h2>{render_inline(block[3:])}</h2>"
    if block.startswith("|"):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.split("\n")]
        table = f"<table>{_row(head, 'th')}{''.join(_row(row, 'td') for row in rows)}</table>"
        return f'<div class="wide" tabindex="0">{table}</div>'
    if block.startswith("```"):
        return f'<pre tabindex="0"><code>{escape(block.partition(chr(10))[2].removesuffix("```"))}</code></pre>'
    return f"<p>{render_inline(block)}</p>"


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{render_inline(cell)}</{tag}>" for cell in cells) + "</tr>"


def render_inline(text: str) -> str:
    """Convert one line of Markdown to HTML; HTML in the text is escaped."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
