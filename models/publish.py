#!/usr/bin/env python3
"""Copies a trained model for release: models/publish.py RUN/model.safetensors models/NAME.safetensors

The weights are unchanged; the metadata keeps the file names of the training data, without their folders.
"""
import json
import os
import sys

from safetensors import safe_open
from safetensors.numpy import save_file


def without_folders(value):
    if isinstance(value, dict):
        return {key: without_folders(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_folders(inner) for inner in value]
    return os.path.basename(value) if isinstance(value, str) and value.startswith("/") else value


def published(text: str) -> str:
    try:
        return json.dumps(without_folders(json.loads(text)))
    except json.JSONDecodeError:
        return text


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with safe_open(sys.argv[1], "numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        metadata = {key: published(value) for key, value in file.metadata().items()}
    save_file(tensors, sys.argv[2], metadata)


if __name__ == "__main__":
    main()
