"""`pointpng eval tsne`, `trajectory`, `landscape` and `paper`: what they print and write, and wrong input."""

import csv
import json
import struct
import xml.etree.ElementTree as ElementTree

import h5py
import numpy
import pytest

SHAPES = ("--data", "procedural:24:3")
QUICK = ("--perplexity", 5, "--iterations", 120)


@pytest.fixture(scope="module")
def model():
    """The shipped model, which is equivariant by construction."""
    return "object"


def evaluated(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def size_of_png(path):
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def assert_drawn(folder, name):
    """The same picture as SVG and PNG, of the same shape."""
    root = ElementTree.parse(folder / f"{name}.svg").getroot()
    width, height = size_of_png(folder / f"{name}.png")
    assert width == pytest.approx(2 * float(root.get("width")), abs=1)
    assert height == pytest.approx(2 * float(root.get("height")), abs=1)
    assert len(root) > 20


def test_a_map_of_embeddings(pointpng, model, tmp_path):
    out = tmp_path / "map"
    result = evaluated(pointpng("eval", "tsne", *SHAPES, "--model", model, *QUICK, "--out", out, "--json"))
    assert result["clouds"] == 24 and result["exact"] and result["iterations"] == 120
    assert result["kl_divergence"] > 0 and 0 <= result["trustworthiness"] <= 1
    assert 0 <= result["same_class_neighbour"] <= 1
    assert len(result["items"]) == 24
    assert sorted(path.name for path in out.iterdir()) == [
        "embeddings.npy", "index.html", "tsne.csv", "tsne.png", "tsne.svg"]
    assert sorted(result["written"]) == sorted(str(path) for path in out.iterdir())
    assert_drawn(out, "tsne")
    embeddings = numpy.load(out / "embeddings.npy")
    assert embeddings.shape[0] == 24
    numpy.testing.assert_allclose(numpy.linalg.norm(embeddings, axis=1), 1, atol=1e-4)
    with open(out / "tsne.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["x"]) for row in rows] == pytest.approx([item["x"] for item in result["items"]], rel=1e-4)


def test_the_same_seed_gives_the_same_map_whatever_the_threads(pointpng, model, tmp_path):
    arguments = ("eval", "tsne", *SHAPES, "--model", model, *QUICK, "--poses", "random", "--seed", 4)
    one = pointpng(*arguments, "--threads", 1, "--out", tmp_path / "one")
    two = pointpng(*arguments, "--threads", 2, "--out", tmp_path / "two")
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    for name in ("tsne.svg", "tsne.png", "tsne.csv", "embeddings.npy"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_barnes_hut_comes_near_the_exact_map(pointpng, model):
    arguments = ("eval", "tsne", *SHAPES, "--model", model, *QUICK, "--poses", "steps", "--json")
    exact = evaluated(pointpng(*arguments, "--solver", "exact"))
    tree = evaluated(pointpng(*arguments, "--solver", "barnes-hut"))
    assert exact["exact"] and not tree["exact"]
    assert exact["clouds"] == tree["clouds"] == 24 * 7
    assert tree["kl_divergence"] == pytest.approx(exact["kl_divergence"], rel=0.15)


def test_principal_components(pointpng, model, tmp_path):
    picture = tmp_path / "pca.png"
    result = evaluated(
        pointpng("eval", "tsne", *SHAPES, "--model", model, "--method", "pca", "--out", picture, "--json"))
    assert 0 < result["explained"][1] <= result["explained"][0] < 1
    assert [path.name for path in tmp_path.iterdir()] == ["pca.png"]
    assert size_of_png(picture)[0] > 1000


def test_the_way_of_a_turning_object(pointpng, model, tmp_path):
    out = tmp_path / "turn"
    result = evaluated(pointpng("eval", "trajectory", *SHAPES, "--model", model, "--shapes", 2, "--steps", 12,
                                "--out", out, "--json"))
    assert len(result["shapes"]) == 2
    for shape in result["shapes"]:
        assert shape["angle_deg"][0] == 0 and shape["angle_deg"][-1] == 360
        assert shape["similarity_to_start"][-1] == pytest.approx(1, abs=1e-4)
        assert shape["pa"] > 0.999  # equivariant by construction
        assert min(shape["similarity_to_start"]) < 0.99
    assert_drawn(out, "trajectory")
    other_points = evaluated(pointpng("eval", "trajectory", *SHAPES, "--model", model, "--shapes", 2, "--steps", 12,
                                      "--resample", "--axis", 1, 0, 0, "--json"))
    assert all(shape["pa"] < 0.9999 for shape in other_points["shapes"])


def test_the_landscape_of_a_pair(pointpng, model, tmp_path):
    out = tmp_path / "land"
    result = evaluated(pointpng("eval", "landscape", *SHAPES, "--model", model, "--protocol", "same", "--pair", 2,
                                "--latitudes", 12, "--out", out, "--json"))
    assert result["truth"]["loss"] == pytest.approx(0, abs=1e-2)
    assert result["lowest"] <= result["truth"]["loss"] + 0.05 < result["highest"]
    assert result["hypotheses"][0]["error_deg"] < 2
    for name in ("landscape", "angles", "shells"):
        assert_drawn(out, name)
    maps = json.loads((out / "landscape.json").read_text())["maps"]
    assert len(maps["best_loss"]) == maps["latitudes"] * maps["longitudes"] == 12 * 24


def test_the_landscape_of_clouds_of_ones_own(pointpng, model, tmp_path):
    points = numpy.random.default_rng(2).normal(size=(400, 3)) * (1, 0.6, 0.3)
    numpy.save(tmp_path / "a.npy", points.astype("f4"))
    numpy.save(tmp_path / "b.npy", (points @ numpy.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])).astype("f4"))
    result = evaluated(pointpng("eval", "landscape", "--source", tmp_path / "a.npy", "--target", tmp_path / "b.npy",
                                "--model", model, "--latitudes", 8, "--json"))
    assert result["truth"] is None and result["hypotheses"]


REFUSED = {
    "a class that is not there": (("tsne", *SHAPES, "--class", "unicorn"), "unicorn"),
    "a perplexity for more clouds": (("tsne", *SHAPES, "--perplexity", 30), "perplexity"),
    "too few clouds": (("tsne", "--data", "procedural:2"), "4 items"),
    "a picture that is no picture": (("tsne", *SHAPES, "--out", "map.jpg"), ".jpg"),
    "a folder that is not there": (("tsne", *SHAPES, "--out", "no/such/map.html"), "no/such"),
    "data that are not there": (("tsne", "--data", "missing.h5"), "missing.h5"),
    "an axis without direction": (("trajectory", *SHAPES, "--axis", 0, 0, 0), "axis"),
    "a turn of data that are not there": (("trajectory", "--data", "missing.h5"), "missing.h5"),
    "a pair of nothing": (("landscape",), "--data"),
    "a source without a target": (("landscape", "--source", "a.ply"), "--target"),
    "both kinds of pairs": (("landscape", *SHAPES, "--source", "a.ply", "--target", "b.ply"), "either"),
    "a paper without data": (("paper", "--data", "missing.h5"), "missing.h5"),
    "a paper as a picture": (("paper", *SHAPES, "--out", "paper.png"), "paper.png"),
    "scenes that are not there": (("paper", *SHAPES, "--scenes", "missing"), "missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_input_is_one_sentence_and_leaves_nothing(pointpng, model, tmp_path, name):
    arguments, word = REFUSED[name]
    process = pointpng("eval", *arguments, "--model", model, cwd=tmp_path)
    assert process.returncode == 2, process.stderr
    lines = process.stderr.strip().splitlines()
    assert len(lines) == 1 and word in lines[0], process.stderr
    assert process.stdout == "" and list(tmp_path.iterdir()) == []


def labelled(path, names):
    """Six lopsided shapes of these classes in turn, in the layout of ModelNet40."""
    points = numpy.random.default_rng(3).normal(size=(6, 300, 3)) * (1, 0.7, 0.4)
    with h5py.File(path, "w") as file:
        file["data"] = (points / numpy.abs(points).max()).astype("f4")
        file["label"] = numpy.arange(6)[:, None] % len(names)
        file["shape_names"] = names
    return path


def table(result, name):
    return next(table for table in result["tables"] if table["id"] == name)


def test_the_papers_tables(pointpng, model, tmp_path):
    data = labelled(tmp_path / "test.h5", ["chair", "lamp", "Sofa"])  # two of the paper's five categories
    arguments = ("eval", "paper", "--data", data, "--model", model, "--seed", 3)
    result = evaluated(pointpng(*arguments, "--out", tmp_path / "paper", "--json"))
    assert result["measured"] >= 6
    pose = table(result, "pose")
    assert pose["paper"][-1]["values"][0] == "0.8 / 2.2 / 0.8"
    for row in pose["ours"]:
        assert row["values"][:3] == ["–", "–", "–"] and row["values"][3].count("/") == 2
        assert row["seed"] == "3" and row["data"] == "test.h5"
    assert table(result, "scenes")["ours"][0]["not_run"].startswith("no depth frames")
    page = (tmp_path / "paper" / "index.html").read_text()
    assert "not run: no depth frames" in page and "LocoTrans" in page
    # The command of a row reproduces its figures.
    row = pose["ours"][0]
    again = evaluated(pointpng(*row["command"].split()[1:], "--json"))
    assert again["classes"]["chair"]["rotation_deg"] == row["figures"]["classes"]["chair"]["rotation_deg"]


def test_without_its_categories_poses_are_not_run(pointpng, model, tmp_path):
    data = labelled(tmp_path / "test.h5", ["lamp", "mug"])
    result = evaluated(pointpng("eval", "paper", "--data", data, "--model", model, "--out", tmp_path / "paper.html",
                                "--json"))
    assert all("none of the five" in row["not_run"] for row in table(result, "pose")["ours"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["paper.html", "test.h5"]
