"""A made-up run folder in the format of training, with everything that a report shows."""

import json
import math
import random

CONFIG = {
    "command": "pretrain",
    "version": "0.1.0",
    "preset": "tiny",
    "seed": 7,
    "device": "cpu",
    "started": "2025-06-01T12:30:05Z",
    "model": {
        "backbone": "equivariant",
        "predictor": "wigner",
        "points": 512,
        "patches": 32,
        "patch_size": 16,
        "width": 128,
        "depth": 3,
        "channels": [8, 24, 16, 12, 8],
    },
    "train": {
        "epochs": 40,
        "batch": 24,
        "lr": 0.001,
        "weight_decay": 0.05,
        "loss": {"tau": 0.5, "beta": 0.3, "pseudo_negatives": 32, "near_negatives": 8},
        "augmentation": {"jitter": 0.01, "crop": 0.3, "single_view": False},
    },
    "data": [
        {"source": "chairs and sofas.h5", "shapes": 880, "points": 2048},
        {"source": "bags/desk.mcap", "shapes": 312, "points": 2048},
    ],
    "machine": {
        "cpu": "Example CPU at 2.5 GHz",
        "cores": 2,
        "memory_gib": 7.8,
        "torch": "1.13.1",
        "blas": "OpenBLAS",
        "threads": 2,
    },
    "parameters": {"backbone": 1240316, "predictor": 0},
}

DEMO = {
    "title": "Random rotations of held-out objects, recovered by the trained model.",
    "columns": ["object", "true angle (°)", "estimated angle (°)", "error (°)"],
    "rows": [["mug", 143.2, 142.9, 0.7], ["bracket", 88.0, 87.1, 1.4], ["chair", 21.5, 23.0, 2.2]],
}


def metric_line(step, steps, rng):
    """One line of a training that goes well."""
    left = math.exp(-4.0 * step / steps)

    def noise(scale):
        return rng.gauss(0.0, scale)

    align, cope, unif = 1.4 * left + 0.12 + noise(0.05), 2.4 * left + 0.9 + noise(0.08), -1.6 + left + noise(0.04)
    pa = 1.0 - align / 2
    return {
        "step": step,
        "epoch": 40 * step / steps,
        "elapsed_s": 0.031 * step,
        "lr": 1e-3 * min(1.0, step / (0.05 * steps)) * 0.5 * (1 + math.cos(math.pi * step / steps)),
        "loss": align + 0.3 * cope + 0.7 * unif,
        "align": align,
        "cope": cope,
        "unif": unif,
        "pa": pa,
        "ae": pa - left * 0.6 - 0.03 + noise(0.02),
        "grad_norm": math.exp(0.6 + noise(0.5)) * (0.3 + 2 * left) * (40 if step == steps // 3 else 1),
        "clouds_per_s": 770 + noise(25),
        "data_wait_ms": abs(noise(0.2)),
        "temperature": 60 + noise(1.5),
    }


def eval_line(step, steps):
    left = math.exp(-4.0 * step / steps)
    return {
        "step": step,
        "eval": {
            "pa": 0.94 - 0.7 * left,
            "ae": 0.92 - 0.9 * left,
            "rotation_deg_mean": 4.0 + 60 * left,
            "rotation_deg_median": 2.6 + 48 * left,
            "success_15deg": 1.0 - 0.6 * left,
        },
    }


def good_log(steps=4000, every=5, seed=1):
    """A finished run, interrupted and resumed once."""
    rng = random.Random(seed)
    lines = []
    for step in range(every, steps + 1, every):
        lines.append(metric_line(step, steps, rng))
        if step % (steps // 10) == 0:
            lines.append(eval_line(step, steps))
            lines.append({"step": step, "event": "checkpoint", "message": "saved"})
        if step == steps // 2:
            lines += [metric_line(step + i * every, steps, rng) for i in range(1, 8)]
            lines.append({"step": step, "event": "resume", "message": f"from the checkpoint of step {step}"})
    lines.append({"step": steps, "event": "done", "message": "all epochs done"})
    return lines


def write_run(folder, lines, config=None, demo=DEMO, tail=""):
    """Writes the files of a run; `tail` goes behind the last line, as a killed process leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config or CONFIG))
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + tail)
    (folder / "model.safetensors").write_bytes(bytes(5_000_000))
    if demo:
        (folder / "demo.json").write_text(json.dumps(demo))
    return folder
