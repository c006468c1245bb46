#!/usr/bin/env python3
"""Splits HDF5 files of shapes in two: every tenth shape of each is kept back to measure with.

    models/split.py OUT FILE.h5 …

writes OUT/train/FILE.h5 and OUT/test/FILE.h5, in the layout of what it read.
"""
import argparse
import pathlib

import h5py
import numpy as np

KEPT_BACK = 10  # one of so many


def split(source: pathlib.Path, out: pathlib.Path) -> tuple[int, int]:
    with h5py.File(source) as file:
        count = len(file["data"])
        test = np.arange(count) % KEPT_BACK == KEPT_BACK - 1
        for part, chosen in (("train", ~test), ("test", test)):
            (out / part).mkdir(parents=True, exist_ok=True)
            with h5py.File(out / part / source.name, "w") as written:
                for name, values in file.items():
                    of_shapes = len(values) == count and name != "shape_names"
                    written[name] = values[:][chosen] if of_shapes else values[:]
        return int((~test).sum()), int(test.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    for file in options.files:
        train, test = split(file, options.out)
        print(f"{file.name}: {train} to train with, {test} kept back")


if __name__ == "__main__":
    main()
