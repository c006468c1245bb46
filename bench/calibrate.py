#!/usr/bin/env python3
"""Fits the confidence of a pose and writes its weights to src/pointpng_core/src/pose/confidence_weights.h.

    bench/calibrate.py --searched ROWS.jsonl … --tracked ROWS.jsonl … [--write]

The rows are what `pointpng eval pose --rows` wrote for each protocol with `--confidence 0`, so that nothing is
rejected; the tracked ones with `--guess` as well. A logistic regression of "right" (within 5°, or on the true surface)
on the evidence, in which every weight has the sign that its evidence should have: a better fit never lowers the
confidence. Prints the threshold for 99 % right among the accepted and what it accepts of each protocol.
"""
import argparse
import json
import math
import pathlib

import numpy as np

HEADER = pathlib.Path(__file__).resolve().parents[1] / "src/pointpng_core/src/pose/confidence_weights.h"
# Feature → sign of its weight; 0: any. The features are those of pose/confidence.cpp.
SEARCHED = {"one": 0, "score": 1, "log_score": 1, "clarity": 1, "separation": 1, "log_separation": 1,
            "log_separation*inside": 1, "inside": 1, "whole": 1, "least_overlap": 1, "fragmentation": -1, "residual": -1,
            "competitors": -1}
TRACKED = {"one": 0, "score": 1, "log_score": 1, "inside": 1, "whole": 1, "least_overlap": 1, "fragmentation": -1,
           "residual": -1}


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return min(high, max(low, value))


def features(row: dict) -> dict[str, float]:
    """As `Features` in confidence.cpp computes them."""
    seen = row["evidence"]
    most, least = (pick(seen["source_overlap"], seen["target_overlap"]) for pick in (max, min))
    separation = clamp(seen["separation"], 0, 10)
    single = {"one": 1.0, "score": seen["score"], "log_score": math.log(max(0.0, seen["score"]) + 0.02),
              "clarity": clamp(seen["margin"] / max(0.05, seen["score"]) / 0.3), "separation": separation,
              "log_separation": math.log(separation + 0.3), "inside": clamp((most - 0.9) / 0.08),
              "whole": clamp((least - 0.85) / 0.1), "most_overlap": most, "least_overlap": least,
              "fragmentation": seen["fragmentation"], "residual": seen["residual"], "competitors": seen["competitors"]}
    return single | {name: math.prod(single[part] for part in name.split("*"))
                     for name in (*SEARCHED, *TRACKED) if "*" in name}


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


def threshold_for(chance: np.ndarray, right: np.ndarray, weights: np.ndarray, precision: float) -> float:
    """The lowest confidence above which the accepted are right often enough."""
    order = np.argsort(-chance)
    shares = np.cumsum((weights * right)[order]) / np.cumsum(weights[order])
    good = np.nonzero(shares >= precision)[0]
    return float(chance[order[good[-1]]]) if len(good) else 1.0


def read(paths: list[pathlib.Path]) -> dict[str, list[dict]]:
    """Rows by file; those that are rejected without a score, because the surfaces slide, are left out."""
    rows = {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in paths}
    return {name: [row for row in group if row["evidence"]["unconstrained_dof"] < 2] for name, group in rows.items()}


def calibrate(groups: dict[str, list[dict]], signs: dict[str, int], precision: float) -> dict[str, float]:
    rows = [row for group in groups.values() for row in group]
    inputs = np.array([[features(row)[name] for name in signs] for row in rows])
    right = np.array([float(row["rotation_deg"] < 5 or row["surface_ok"]) for row in rows])
    # Every protocol counts alike, however many pairs it has.
    weights = np.concatenate([np.full(len(group), len(rows) / len(groups) / len(group)) for group in groups.values()])
    beta = fit(inputs, right, weights, np.array(list(signs.values())))
    chance = 1 / (1 + np.exp(-inputs @ beta))
    accepted = chance >= threshold_for(chance, right, weights, precision)
    print(f"{len(rows)} pairs, {right.mean():.1%} right; {precision:.0%} of the accepted are right from confidence "
          f"{chance[accepted].min():.3f} on, which accepts {accepted.mean():.1%}")
    first = 0
    for name, group in groups.items():
        part = slice(first, first + len(group))
        taken = accepted[part]
        print(f"  {name:<28} {len(group):5} pairs, {right[part].mean():6.1%} right, {taken.mean():6.1%} accepted, "
              f"of these {right[part][taken].mean() if taken.any() else 1:6.1%} right")
        first += len(group)
    return dict(zip(signs, beta))


def table(name: str, weights: dict[str, float]) -> str:
    lines = "".join(f'    {{"{feature}", {weight:.3f}}},\n' for feature, weight in weights.items() if weight != 0)
    return f"inline constexpr Weight {name}[] = {{\n{lines}}};\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searched", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--tracked", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--precision", type=float, default=0.99)
    parser.add_argument("--write", action="store_true", help="write the weights to the header")
    options = parser.parse_args()
    tables = [table(name, calibrate(read(paths), signs, options.precision)) for name, paths, signs in
              (("kSearched", options.searched, SEARCHED), ("kTracked", options.tracked, TRACKED))]
    text = HEADER.read_text()
    text = text[: text.index("inline constexpr Weight")] + "\n".join(tables) + "\n}  // namespace pointpng::confidence_weights\n"
    print(text) if not options.write else HEADER.write_text(text)


if __name__ == "__main__":
    main()
