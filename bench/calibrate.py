#!/usr/bin/env python3
"""Fits the confidence of a pose to what became of many pairs.

    bench/calibrate.py ROWS.jsonl …

reads what `pointpng eval pose --rows` wrote for each protocol (with `--confidence 0`, so that nothing is
rejected), fits a logistic model of "right" (within 5°, or on the true surface) to the evidence, and prints the
weights that src/pointpng_core/src/pose/verdict.cpp holds, the threshold for 99 % right among the accepted, and
what it accepts of each protocol. Rows of a search and rows of guesses (`--guess`) have models of their own: give
one kind at a time.
"""
import argparse
import json
import math
import pathlib

import numpy as np

SEARCHED = ("one", "score", "clarity", "clarity * score", "preference", "log_preference", "log_preference * inside",
            "preference * score", "inside", "whole", "most_overlap", "least_overlap", "raggedness", "residual", "rivals")
FOLLOWED = ("one", "log_score", "inside", "whole", "least_overlap", "raggedness", "residual")


def evidence(row: dict) -> dict[str, float]:
    """As `confidence_of` in verdict.cpp sees it."""
    seen = row["evidence"]
    score, most = seen["score"], max(seen["source_overlap"], seen["target_overlap"])
    least = min(seen["source_overlap"], seen["target_overlap"])
    clarity = clamp(seen["margin"] / max(0.05, score) / 0.3, 0, 1)
    preference = clamp(seen["preference"], 0, 10)
    log_preference = math.log(preference + 0.3)
    whole, inside = clamp((least - 0.85) / 0.1, 0, 1), clamp((most - 0.9) / 0.08, 0, 1)
    return {"one": 1, "score": score, "log_score": math.log(score + 0.02), "clarity": clarity,
            "clarity * score": clarity * score, "preference": preference, "log_preference": log_preference,
            "log_preference * inside": log_preference * inside, "preference * score": preference * score,
            "inside": inside, "whole": whole, "most_overlap": most, "least_overlap": least,
            "raggedness": seen["raggedness"], "residual": seen["residual"], "rivals": seen["rivals"]}


def clamp(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


def fit(inputs: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Newton's method on the regularised log-likelihood."""
    beta = np.zeros(inputs.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-inputs @ beta))
        gradient = inputs.T @ (weights * (right - chance)) - 0.05 * beta
        curvature = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + 0.05 * np.eye(len(beta))
        beta += np.linalg.solve(curvature, gradient)
    return beta


def threshold_for(chance: np.ndarray, right: np.ndarray, weights: np.ndarray, precision: float) -> float:
    """The lowest confidence from which on the accepted are right often enough."""
    order = np.argsort(-chance)
    shares = np.cumsum((weights * right)[order]) / np.cumsum(weights[order])
    good = np.nonzero(shares >= precision)[0]
    return float(chance[order[good[-1]]]) if len(good) else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path, nargs="+")
    parser.add_argument("--precision", type=float, default=0.99)
    options = parser.parse_args()
    groups = {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in options.rows}
    # What is rejected without a score, such as clouds that slide, is none of the confidence's business.
    groups = {name: [row for row in group if row["evidence"]["free_directions"] < 2] for name, group in groups.items()}
    rows = [row for group in groups.values() for row in group]
    kinds = {row["evidence"]["searched"] for row in rows}
    if len(kinds) != 1:
        parser.error("rows of searches and rows of guesses are mixed, or there are none")
    names = SEARCHED if kinds == {True} else FOLLOWED
    inputs = np.array([[evidence(row)[name] for name in names] for row in rows])
    right = np.array([float(row["rotation_deg"] < 5 or row["surface_ok"]) for row in rows])
    # Every protocol counts alike, however many pairs it has.
    weights = np.concatenate([np.full(len(group), len(rows) / len(groups) / len(group)) for group in groups.values()])
    beta = fit(inputs, right, weights)
    chance = 1 / (1 + np.exp(-inputs @ beta))
    for name, value in zip(names, beta):
        print(f"{name:20s} {value:8.3f}")
    limit = threshold_for(chance, right, weights, options.precision)
    print(f"\naccept from confidence {limit:.3f} on\n\n{'protocol':40s} pairs  right  accepted  right of these")
    first = 0
    for name, group in groups.items():
        part = slice(first, first + len(group))
        first += len(group)
        taken = chance[part] >= limit
        among = right[part][taken].mean() if taken.any() else 1.0
        print(f"{name:40s} {len(group):5d} {right[part].mean():6.1%} {taken.mean():9.1%} {among:9.1%}")


if __name__ == "__main__":
    main()
