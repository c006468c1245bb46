#!/usr/bin/env python3
"""Fits the confidence of a pose and writes its weights to src/pointpng_core/src/pose/confidence_weights.h.

    bench/calibrate.py ROWS [--diagrams FOLDER] [--write]

ROWS is a folder that bench/calibration.sh made: ROWS/SET/….jsonl is what `pointpng eval pose --rows` wrote of a data set
with `--confidence 0`, so that nothing is rejected, and with `--guess` as well for tracking. Each row says which weights
judge it (see pose/confidence.cpp); weights without rows stay as they are. A logistic regression of "right" on the features
that the rows hold, in which every weight has the sign that its evidence should have: a better fit never lowers the
confidence.

Every figure that is printed is of rows whose data set was left out of the fit, where there are two or more. The threshold
is the lowest at which the accepted of every kind are right often enough; each kind has its 95 % interval (Wilson).
"""
import argparse
import collections
import json
import math
import pathlib

import numpy as np

HEADER = pathlib.Path(__file__).resolve().parents[1] / "src/pointpng_core/src/pose/confidence_weights.h"
# Of each set of weights, feature → sign of its weight; 0: any. pose/confidence.cpp computes them, the rows hold them.
WEIGHTS = {
    "searched": {"one": 0, "score": 1, "log_score": 1, "clarity": 1, "separation": 1, "log_separation": 1,
                 "log_separation*inside": 1, "inside": 1, "whole": 1, "least_overlap": 1, "fragmentation": -1, "residual": -1,
                 "competitors": -1},
    "detailed": {"one": 0, "log_score": 1, "log_clarity": 1, "log_separation": 1, "inside": 1, "residual": -1,
                 "fragmentation": -1, "competitors": -1},
    "tracked": {"one": 0, "score": 1, "log_score": 1, "inside": 1, "whole": 1, "least_overlap": 1, "fragmentation": -1,
                "residual": -1},
}
# What a user has, and the protocols that stand for it.
KINDS = {"whole": ("same", "resampled", "noisy"), "partial": ("partial",), "one-sided": ("view", "plane"),
         "scene": ("scene", "room", "street", "corridor"), "clutter": ("clutter", "absent")}


def kind_of(protocol: str) -> str:
    return next((kind for kind, protocols in KINDS.items() if protocol in protocols), protocol or "other")


def read(folder: pathlib.Path) -> dict[str, list[dict]]:
    """The rows by the weights that judge them. Every file has the same weight, however many pairs it has."""
    by_weights = collections.defaultdict(list)
    for path in sorted(folder.rglob("*.jsonl")):
        # Those that are rejected without a score, because the surfaces slide, say nothing about it.
        rows = [row for row in map(json.loads, path.read_text().splitlines())
                if row["evidence"]["unconstrained_dof"] < 2]
        for row in rows:
            about = {"set": path.relative_to(folder).parts[0], "share": 1 / len(rows)}
            by_weights[row["weights"]].append(row | about)
    if not by_weights:
        raise SystemExit(f"{folder}: holds no rows; make them with bench/calibration.sh")
    return by_weights


class Rows:
    """What the fit needs of them."""

    def __init__(self, rows: list[dict], signs: dict[str, int]):
        self.inputs = np.array([[row["features"][name] for name in signs] for row in rows])
        self.right = np.array([float(row["right"]) for row in rows])
        self.weights = np.array([row["share"] for row in rows])
        self.weights *= len(rows) / self.weights.sum()
        self.kinds = np.array([kind_of(row["kind"]) for row in rows])
        self.protocols = np.array([row["kind"] for row in rows])
        self.sets = np.array([row["set"] for row in rows])

    def __len__(self) -> int:
        return len(self.right)


def chance_of(inputs: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-inputs @ beta))


def fit(inputs: np.ndarray, right: np.ndarray, weights: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Coordinate-wise Newton steps on the regularised log-likelihood; weights stay on their side of zero."""
    beta = np.zeros(inputs.shape[1])
    sums = inputs @ beta
    for _ in range(3000):
        largest = 0.0
        for j in range(len(beta)):
            chance = 1 / (1 + np.exp(-sums))
            gradient = inputs[:, j] @ (weights * (right - chance)) - 0.05 * beta[j]
            curvature = (inputs[:, j] ** 2) @ (weights * chance * (1 - chance)) + 0.05
            moved = beta[j] + gradient / curvature
            moved = moved if signs[j] == 0 else signs[j] * max(0.0, signs[j] * moved)
            sums += (moved - beta[j]) * inputs[:, j]
            largest = max(largest, abs(moved - beta[j]))
            beta[j] = moved
        if largest < 1e-6:
            break
    return beta


def left_out_chances(rows: Rows, signs: np.ndarray) -> np.ndarray:
    """The confidence of each row by weights that were fitted without its data set."""
    chance = np.empty(len(rows))
    for name in np.unique(rows.sets):
        out = rows.sets == name
        kept = ~out if not out.all() else out
        chance[out] = chance_of(rows.inputs[out], fit(rows.inputs[kept], rows.right[kept], rows.weights[kept], signs))
    return chance


def wilson(right: int, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    z, share = 1.959964, right / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def threshold_for(chance: np.ndarray, right: np.ndarray, precision: float) -> float:
    """The lowest confidence from which on the accepted are right often enough; above them all where there is none."""
    order = np.argsort(-chance, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.nonzero(shares >= precision)[0]
    return float(chance[order[good[-1]]]) if len(good) else float(np.nextafter(chance.max(), 2))


def describe(name: str, rows: Rows, chance: np.ndarray, threshold: float) -> None:
    print(f"  {'kind':<12} {'protocol':<10} {'pairs':>6} {'right':>7} {'accepted':>9} {'wrong':>6} {'right of these':>15}"
          f" {'95 % interval':>16} {'99 % from':>10}")
    groups = collections.OrderedDict()
    for kind in dict.fromkeys([*KINDS, *rows.kinds]):
        groups[kind, ""] = rows.kinds == kind
        for protocol in sorted(set(rows.protocols[rows.kinds == kind])):
            groups[kind, protocol] = (rows.kinds == kind) & (rows.protocols == protocol)
    groups[name, "all"] = np.ones(len(rows), bool)
    for (kind, protocol), mask in groups.items():
        if not mask.any():
            continue
        taken = mask & (chance >= threshold)
        count, right = int(taken.sum()), int(rows.right[taken].sum())
        low, high = wilson(right, count)
        own = threshold_for(chance[mask], rows.right[mask], 0.99)
        print(f"  {kind if not protocol or protocol == 'all' else '':<12} {protocol:<10} {mask.sum():6} "
              f"{rows.right[mask].mean():7.1%} {taken.sum() / mask.sum():9.1%} {count - right:6} "
              f"{right / count if count else 1:15.2%} {f'{low:.1%} to {high:.1%}':>16} "
              f"{f'{own:.3f}' if (chance[mask] >= own).any() else 'never':>10}")


def reliability_diagram(name: str, rows: Rows, chance: np.ndarray) -> str:
    """Share of right answers over confidence in ten bins, with intervals; on the diagonal is calibrated. SVG."""
    size, margin = 360, 46
    at = lambda share: margin + share * (size - 2 * margin)  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-family="sans-serif" font-size="11">'
             f'<rect width="{size}" height="{size}" fill="white"/>'
             f'<text x="{size / 2}" y="20" text-anchor="middle" font-size="14">{name}, {len(chance)} pairs</text>'
             f'<text x="{size / 2}" y="{size - 8}" text-anchor="middle">confidence</text>'
             f'<text transform="translate(12 {size / 2}) rotate(-90)" text-anchor="middle">share right</text>'
             f'<path d="M{at(0)} {size - at(0)}L{at(1)} {size - at(1)}" stroke="#999" stroke-dasharray="4"/>']
    for tick in (0, 0.5, 1):
        parts.append(f'<path d="M{at(0)} {size - at(tick)}H{at(1)}M{at(tick)} {size - at(0)}V{size - at(1)}" stroke="#eee"/>'
                     f'<text x="{at(0) - 5}" y="{size - at(tick) + 4}" text-anchor="end">{tick:g}</text>'
                     f'<text x="{at(tick)}" y="{size - at(0) + 14}" text-anchor="middle">{tick:g}</text>')
    for low in np.arange(0, 1, 0.1):
        inside = (chance >= low) & (chance < low + 0.1 + 1e-9 * (low > 0.85))
        if not inside.any():
            continue
        count, right = int(inside.sum()), int(rows.right[inside].sum())
        least, most = wilson(right, count)
        x = at(chance[inside].mean())
        parts.append(f'<path d="M{x:.1f} {size - at(least):.1f}V{size - at(most):.1f}" stroke="#30638e"/>'
                     f'<circle cx="{x:.1f}" cy="{size - at(right / count):.1f}" r="4" fill="#30638e"><title>{right} of '
                     f'{count}</title></circle>')
    return "\n".join(parts) + "</svg>\n"


def write_diagrams(folder: pathlib.Path, name: str, rows: Rows, chance: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind in (*KINDS, "all"):
        part = Part(rows, np.ones(len(rows), bool) if kind == "all" else rows.kinds == kind)
        if len(part.right):
            (folder / f"reliability_{name}_{kind}.svg").write_text(
                reliability_diagram(f"{name}: {kind}", part, chance[part.mask]))


class Part:
    """Some of the rows."""

    def __init__(self, rows: Rows, mask: np.ndarray):
        self.mask, self.right = mask, rows.right[mask]


def calibrate(name: str, rows: Rows, signs: dict[str, int], options: argparse.Namespace) -> dict[str, float]:
    sign_list = np.array(list(signs.values()))
    chance = left_out_chances(rows, sign_list)
    threshold = options.threshold or max(
        threshold_for(chance[rows.kinds == kind], rows.right[rows.kinds == kind], options.precision)
        for kind in np.unique(rows.kinds))
    sets = len(np.unique(rows.sets))
    judge = "weights fitted without its data set" if sets > 1 else "the fit itself, there is only one data set"
    print(f"{name}: {len(rows)} pairs of {sets} data sets, {rows.right.mean():.1%} right; each judged by {judge}; accepted "
          f"from {threshold:.3f} on")
    describe(name, rows, chance, threshold)
    if options.diagrams:
        write_diagrams(options.diagrams, name, rows, chance)
    return dict(zip(signs, fit(rows.inputs, rows.right, rows.weights, sign_list)))


def table(name: str, weights: dict[str, float]) -> str:
    lines = "".join(f'    {{"{feature}", {weight:.3f}}},\n' for feature, weight in weights.items() if abs(weight) >= 5e-4)
    return f"inline constexpr Weight k{name.title()}[] = {{\n{lines}}};\n"


def put(text: str, name: str, weights: dict[str, float]) -> str:
    """The header with these weights in the place of the old ones."""
    begin = text.index(f"inline constexpr Weight k{name.title()}[]")
    end = text.index("};\n", begin) + len("};\n")
    return text[:begin] + table(name, weights) + text[end:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path, help="the folder that bench/calibration.sh made")
    parser.add_argument("--precision", type=float, default=0.99, help="share of the accepted that must be right [0.99]")
    parser.add_argument("--threshold", type=float, help="describe this confidence instead of the one for --precision")
    parser.add_argument("--diagrams", type=pathlib.Path, help="write reliability diagrams (SVG) to this folder")
    parser.add_argument("--write", action="store_true", help="write the weights to the header")
    options = parser.parse_args()
    text = HEADER.read_text()
    for name, rows in read(options.rows).items():
        weights = calibrate(name, Rows(rows, WEIGHTS[name]), WEIGHTS[name], options)
        print(table(name, weights))
        text = put(text, name, weights)
    if options.write:
        HEADER.write_text(text)


if __name__ == "__main__":
    main()
