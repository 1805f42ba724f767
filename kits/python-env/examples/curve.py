"""Draws how something grows while an example learns."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

WIDTH, HEIGHT, EDGE = 480, 240, 40


def write_curve(path: Path, points: List[Tuple[float, float]], title: str, across: str) -> None:
    """Writes an SVG file: shares from 0 to 1 over numbers from 0 up."""
    most = max(x for x, _ in points) or 1
    wide, high = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
    line = " ".join(f"{EDGE + x / most * wide:.1f},{HEIGHT - EDGE - y * high:.1f}" for x, y in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{WIDTH / 2}" y="20" text-anchor="middle">{title}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{across}</text>',
        f'<text x="{EDGE}" y="{HEIGHT - EDGE + 15}" text-anchor="middle">0</text>',
        f'<text x="{WIDTH - EDGE}" y="{HEIGHT - EDGE + 15}" text-anchor="middle">{most:,.0f}</text>',
    ]
    for share in (0, 0.5, 1):
        y = HEIGHT - EDGE - share * high
        parts.append(f'<path d="M{EDGE} {y}H{WIDTH - EDGE}" stroke="#ccc"/>')
        parts.append(f'<text x="{EDGE - 5}" y="{y + 4}" text-anchor="end">{share:.0%}</text>')
    parts.append(f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/>')
    path.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")
