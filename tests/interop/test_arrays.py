"""HDF5 and NPY files between h5py, NumPy and us."""

import h5py
import numpy as np
import pytest


def shapes(count=4, points=30):
    return np.random.default_rng(0).normal(size=(count, points, 3))


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", ">f4"])
@pytest.mark.parametrize("compression", [None, "gzip"])
def test_h5py_data_types(tool, tmp_path, dtype, compression):
    data = shapes().astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", data=data, compression=compression)
    read = tool("h5-dump", tmp_path / "a.h5")
    assert [shape["label"] for shape in read["shapes"]] == [-1] * 4
    np.testing.assert_array_equal(
        np.float32([shape["points"] for shape in read["shapes"]]), data.astype(np.float32)
    )


@pytest.mark.parametrize("label_type", ["u1", "<i4", "<i8", ">u2"])
@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("text", [h5py.string_dtype("utf-8"), h5py.string_dtype("ascii"), "S12"])
def test_h5py_labels_and_names(tool, tmp_path, label_type, flat, text):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = shapes().astype("f4")
        labels = np.array([1, 0, 2, 1], label_type)
        file["label"] = labels if flat else labels[:, None]
        file.create_dataset("name", data=["a", "bb", "c c", "d"], dtype=text)
        file.create_dataset("shape_names", data=["chair", "mug", "airplane"], dtype=text)
    read = tool("h5-dump", tmp_path / "a.h5")
    assert read["class_names"] == ["chair", "mug", "airplane"]
    assert [shape["label"] for shape in read["shapes"]] == [1, 0, 2, 1]
    assert [shape["name"] for shape in read["shapes"]] == ["a", "bb", "c c", "d"]


@pytest.mark.parametrize(
    ("datasets", "words"),
    [
        ({"points": shapes()}, "no dataset 'data'"),
        ({"data": shapes()[..., :2]}, "is not N x P x 3"),
        ({"data": shapes()[0]}, "is not N x P x 3"),
        ({"data": shapes().astype("i4")}, "does not hold floating point numbers"),
        ({"data": shapes()[:0]}, "is empty"),
        ({"data": shapes(), "label": np.zeros(3, "i4")}, "has 3 labels for 4 shapes"),
        ({"data": shapes(), "label": np.zeros(4, "f4")}, "does not hold integers"),
        ({"data": shapes(), "label": np.full(4, 2**40)}, "impossible label"),
        ({"data": shapes(), "name": np.zeros(4)}, "does not hold text"),
    ],
)
def test_wrong_layouts_are_refused(tool, tmp_path, datasets, words):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, values in datasets.items():
            file[name] = values
    assert words in tool.refusal("h5-dump", tmp_path / "a.h5")


def test_promised_but_missing_data_are_refused(tool, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", (10**9, 1024, 3), dtype="f4", chunks=(1, 1024, 3))
    assert "but the file stores" in tool.refusal("h5-dump", tmp_path / "a.h5")


def test_h5py_reads_ours(tool, tmp_path):
    written = tool("h5-write", tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(
            file["data"], np.float32([shape["points"] for shape in written["shapes"]])
        )
        assert file["label"].shape == (5, 1)
        assert list(file["label"][:, 0]) == [shape["label"] for shape in written["shapes"]]
        assert list(file["name"].asstr()) == [shape["name"] for shape in written["shapes"]]
        assert list(file["shape_names"].asstr()) == written["class_names"]


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f8", "<i2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", [3, 6])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_numpy_arrays(tool, tmp_path, dtype, order, columns, version):
    array = np.asarray(np.arange(20 * columns).reshape(20, columns), dtype=dtype, order=order)
    with (tmp_path / "a.npy").open("wb") as stream:
        np.lib.format.write_array(stream, array, version=version)
    read = tool("cloud-dump", tmp_path / "a.npy")
    np.testing.assert_array_equal(read["points"], array[:, :3].astype("f4"))


def test_numpy_reads_ours(tool, tmp_path):
    points = shapes()[0].astype("f4")
    np.save(tmp_path / "a.npy", points)
    for name in ["b.ply", "c.pcd", "d.xyz", "e.npy"]:
        tool("convert", tmp_path / "a.npy", tmp_path / name)
        np.testing.assert_array_equal(tool("cloud-dump", tmp_path / name)["points"], points)
    np.testing.assert_array_equal(np.load(tmp_path / "e.npy"), points)
