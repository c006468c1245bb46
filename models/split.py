#!/usr/bin/env python3
"""Splits HDF5 files of shapes into training and test data: every tenth shape of each file is held out.

    models/split.py OUT FILE.h5 …

writes OUT/train/FILE.h5 and OUT/test/FILE.h5 in the layout of the input.
"""
import argparse
import pathlib

import h5py
import numpy as np

HOLD_OUT_EVERY = 10  # every n-th shape


def split(source: pathlib.Path, out: pathlib.Path) -> tuple[int, int]:
    with h5py.File(source) as file:
        count = len(file["data"])
        test = np.arange(count) % HOLD_OUT_EVERY == HOLD_OUT_EVERY - 1
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
        print(f"{file.name}: {train} for training, {test} held out")


if __name__ == "__main__":
    main()
