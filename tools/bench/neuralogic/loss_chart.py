"""Loss by epoch of several trainings, as SVG: a panel each for online and full batch."""

from html import escape

COLOURS = ("#222222", "#d9730d", "#1f77b4", "#2a9d4a", "#8e44ad", "#c0392b", "#7f8c8d")
DASHES = ("none", "2 3", "8 4", "4 2 1 2", "1 2", "10 3 2 3", "5 5")  # curves that are equal show
WIDTH, HEIGHT, LEFT, TOP = 460, 260, 50, 30
PANEL = LEFT + WIDTH + 20


def loss_chart(title, panels):
    """`panels`: (title, [(name, losses)]) each."""
    drawn = "".join(_panel(text, curves, i * PANEL) for i, (text, curves) in enumerate(panels))
    names = [name for name, _ in panels[0][1]]
    height = TOP + HEIGHT + 50 + 16 * len(names)
    width = PANEL * len(panels)
    legend = "".join(_legend(name, i) for i, name in enumerate(names))
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height + 20}' "
            f"viewBox='0 -20 {width} {height + 20}'>\n<style>text{{font:11px sans-serif;"
            "fill:#222}.title{font:bold 13px sans-serif}.grid{stroke:#ddd}.curve{fill:none;"
            "stroke-width:1.6}</style>\n"
            f"<rect y='-20' width='100%' height='100%' fill='white'/>\n"
            f"<text x='{LEFT}' y='-4' class='title'>{escape(title)}</text>\n"
            f"{drawn}{legend}</svg>\n")


def _style(i):
    return f"stroke='{COLOURS[i % len(COLOURS)]}' stroke-dasharray='{DASHES[i % len(DASHES)]}'"


def _panel(title, curves, left):
    losses = [loss for _, curve in curves for loss in curve]
    low, high = min(losses), max(losses)
    high = high if high > low else low + 1
    epochs = max(len(curve) for _, curve in curves)

    def place(epoch, loss):
        x = LEFT + WIDTH * (epoch - 1) / max(epochs - 1, 1)
        return f"{x:.1f},{TOP + HEIGHT * (high - loss) / (high - low):.1f}"

    out = [f"<g transform='translate({left} 0)'><text x='{LEFT}' y='18'>{escape(title)}</text>\n"]
    for step in range(5):
        loss = low + (high - low) * step / 4
        y = TOP + HEIGHT * (high - loss) / (high - low)
        out.append(f"<line x1='{LEFT}' x2='{LEFT + WIDTH}' y1='{y:.1f}' y2='{y:.1f}' class='grid'/>"
                   f"<text x='{LEFT - 6}' y='{y + 4:.1f}' text-anchor='end'>{loss:.3f}</text>\n")
    for i, (_, curve) in enumerate(curves):
        points = " ".join(place(epoch, loss) for epoch, loss in enumerate(curve, 1))
        out.append(f"<polyline class='curve' {_style(i)} points='{points}'/>\n")
    out.append(f"<text x='{LEFT}' y='{TOP + HEIGHT + 16}'>epoch 1</text><text x='{LEFT + WIDTH}' "
               f"y='{TOP + HEIGHT + 16}' text-anchor='end'>{epochs}</text></g>\n")
    return "".join(out)


def _legend(name, i):
    y = TOP + HEIGHT + 40 + 16 * i
    return (f"<line x1='{LEFT}' x2='{LEFT + 40}' y1='{y - 4}' y2='{y - 4}' class='curve' "
            f"{_style(i)}/><text x='{LEFT + 48}' y='{y}'>{escape(name)}</text>\n")
