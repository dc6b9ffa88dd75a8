"""How far numbers are apart: |a - b| / max(1, |b|), infinity and NaN in the same places."""

import numpy as np

TOLERANCE = {"f32": 1e-5, "f64": 1e-10}
GRADIENT_TOLERANCE = {"f32": 1e-4, "f64": 1e-8}


def largest_difference(found, expected):
    """The largest difference and where it is; inf where shapes or special values differ."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if found.shape != expected.shape:
        return np.inf, None
    if not found.size:
        return 0.0, None
    special = ~np.isfinite(found) | ~np.isfinite(expected)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        difference = np.abs(found - expected) / np.maximum(1, np.abs(expected))
    difference = np.where(special, np.where(same, 0.0, np.inf), difference)
    place = np.unravel_index(np.argmax(difference), difference.shape)
    return float(difference[place]), tuple(int(i) for i in place)


def compare_gradients(found, expected):
    """Dicts of arrays by table name: the largest difference of all, and where."""
    worst, place = 0.0, ""
    for name in sorted(set(found) | set(expected)):
        if name not in found or name not in expected:
            return np.inf, f"table {name} is missing"
        value, at = largest_difference(found[name], expected[name])
        if value > worst:
            worst, place = value, f"gradient of {name}{list(at or ())}"
    return worst, place
