"""`pointpng pose`, `track` and `finetune pose` from end to end, with the shipped model."""

import json

import numpy
import pytest

from training import metadata_of


def rotation(axis, degrees):
    axis = numpy.asarray(axis, float) / numpy.linalg.norm(axis)
    cross = numpy.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    angle = numpy.radians(degrees)
    return numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * cross @ cross


def degrees_between(a, b):
    return numpy.degrees(numpy.arccos(numpy.clip((numpy.trace(a.T @ b) - 1) / 2, -1, 1)))


def chair(points, seed):
    """Seat, back and four legs, one of them shorter: no symmetry."""
    random = numpy.random.default_rng(seed)
    boxes = [((-0.5, -0.5, 0.0), (0.5, 0.5, 0.08)), ((-0.5, 0.42, 0.08), (0.5, 0.5, 1.0)),
             ((-0.5, -0.5, -0.8), (-0.42, -0.42, 0)), ((0.42, -0.5, -0.8), (0.5, -0.42, 0)),
             ((-0.5, 0.42, -0.8), (-0.42, 0.5, 0)), ((0.42, 0.42, -0.5), (0.5, 0.5, 0))]
    faces = []
    for low, high in boxes:
        low, high = numpy.array(low), numpy.array(high)
        for axis in range(3):
            for side in (low, high):
                faces.append((low, high, axis, side[axis]))
    area = numpy.array([numpy.prod(numpy.delete(high - low, axis)) for low, high, axis, _ in faces])
    cloud = numpy.empty((points, 3))
    for i, face in enumerate(random.choice(len(faces), points, p=area / area.sum())):
        low, high, axis, value = faces[face]
        cloud[i] = random.uniform(low, high)
        cloud[i, axis] = value
    return cloud.astype(numpy.float32)


TURN, SHIFT = rotation((1, -2, 0.5), 137.0), numpy.array([0.3, -0.2, 0.4])


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    numpy.save(folder / "source.npy", chair(1500, 1))
    numpy.save(folder / "target.npy", (chair(1500, 2) @ TURN.T + SHIFT).astype(numpy.float32))
    return folder


def test_finds_the_motion_and_writes_what_was_asked_for(pointpng, pair, tmp_path):
    process = pointpng("pose", pair / "source.npy", pair / "target.npy", "--json", "--save-aligned", tmp_path / "moved.npy",
                       "--report", tmp_path / "page.html")
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    found = numpy.array(result["target_from_source"]).reshape(4, 4)
    assert result["accepted"] and result["reason"] == ""
    assert degrees_between(found[:3, :3], TURN) < 2
    assert numpy.linalg.norm(found[:3, 3] - SHIFT) < 0.05
    assert set(result["ms"]) == {"prepare", "embed", "search", "parts", "refine", "total"}
    moved = numpy.load(tmp_path / "moved.npy")
    expected = numpy.load(pair / "source.npy") @ found[:3, :3].T + found[:3, 3]
    assert numpy.abs(moved - expected).max() < 1e-4
    assert "source.npy" in (tmp_path / "page.html").read_text()


def test_speaks_to_people(pointpng, pair):
    process = pointpng("pose", pair / "source.npy", pair / "target.npy")
    assert process.returncode == 0
    assert process.stdout.startswith("accepted, confidence") and "target_from_source" in process.stdout


def test_says_the_same_for_any_number_of_threads(pointpng, pair):
    answers = [json.loads(pointpng("pose", pair / "source.npy", pair / "target.npy", "--json", "--threads", n).stdout)
               for n in (1, 2)]
    assert answers[0]["target_from_source"] == answers[1]["target_from_source"]


def test_rejects_a_sphere_with_a_reason_and_status_1(pointpng, tmp_path):
    random = numpy.random.default_rng(3)
    for name in ("a", "b"):
        points = random.normal(size=(1000, 3))
        numpy.save(tmp_path / f"{name}.npy", (points / numpy.linalg.norm(points, axis=1, keepdims=True)).astype(numpy.float32))
    process = pointpng("pose", tmp_path / "a.npy", tmp_path / "b.npy", "--save-aligned", tmp_path / "moved.ply", "--json")
    assert process.returncode == 1
    result = json.loads(process.stdout)
    assert not result["accepted"] and "slide" in result["reason"]
    assert not (tmp_path / "moved.ply").exists()


def test_a_chiral_thing_is_not_its_mirror_image(pointpng, pair, tmp_path):
    numpy.save(tmp_path / "mirror.npy", chair(1500, 4) * numpy.array([-1, 1, 1], numpy.float32))
    process = pointpng("pose", pair / "source.npy", tmp_path / "mirror.npy", "--json")
    found = numpy.array(json.loads(process.stdout)["target_from_source"]).reshape(4, 4)
    assert numpy.linalg.det(found[:3, :3]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name, content, words", [
    ("three.xyz", "0 0 0\n1 0 0\n0 1 0\n", "points"),
    ("equal.xyz", "1 2 3\n" * 100, "same place"),
    ("nan.xyz", "nan nan nan\n" * 100, "finite"),
])
def test_what_has_no_pose_is_refused(pointpng, pair, tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    process = pointpng("pose", tmp_path / name, pair / "target.npy")
    assert process.returncode == 2 and process.stdout == ""
    assert len(process.stderr.strip().splitlines()) == 1, process.stderr


def test_millimetres_against_metres_is_a_sentence(pointpng, pair, tmp_path):
    numpy.save(tmp_path / "mm.npy", 1000 * numpy.load(pair / "source.npy"))
    process = pointpng("pose", tmp_path / "mm.npy", pair / "target.npy", "--json")
    assert process.returncode == 1
    assert "same unit" in json.loads(process.stdout)["reason"]


def test_a_model_that_is_not_there_is_a_sentence(pointpng, pair):
    process = pointpng("pose", pair / "source.npy", pair / "target.npy", "--model", "nothing")
    assert process.returncode == 2 and "nothing" in process.stderr


def test_tracks_a_turning_object(pointpng, tmp_path):
    folder = tmp_path / "clouds"
    folder.mkdir()
    turns = [rotation((0, 1, 1), 9 * i) for i in range(6)]
    for i, turn in enumerate(turns):
        numpy.save(folder / f"{i:03d}.npy", (chair(1500, 20 + i) @ turn.T + [0.02 * i, 0, 0]).astype(numpy.float32))
    numpy.save(tmp_path / "model.npy", chair(4000, 99))
    process = pointpng("track", folder, "--reference", tmp_path / "model.npy", "--out", tmp_path / "way.tum", "--json")
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    assert result["clouds"] == result["poses"] == 6
    assert [frame["state"] for frame in result["frames"][1:]] == ["tracked"] * 5
    for frame, turn in zip(result["frames"], turns):
        found = numpy.array(frame["reference_from_cloud"]).reshape(4, 4)[:3, :3]
        assert degrees_between(found, turn.T) < 3
    lines = (tmp_path / "way.tum").read_text().splitlines()
    assert len(lines) == 6 and all(len(line.split()) == 8 for line in lines)


def test_tracking_goes_on_after_a_cloud_without_points(pointpng, tmp_path):
    folder = tmp_path / "clouds"
    folder.mkdir()
    for i in range(3):
        numpy.save(folder / f"{i}.npy", chair(1000, i))
    numpy.save(folder / "1b.npy", numpy.ones((50, 3), numpy.float32))
    result = json.loads(pointpng("track", folder, "--json").stdout)
    assert [frame["state"] for frame in result["frames"]] == ["reference", "tracked", "unusable", "tracked"]


@pytest.mark.parametrize("sequence", ["nowhere", "."])
def test_no_sequence_is_a_sentence(pointpng, tmp_path, sequence):
    process = pointpng("track", tmp_path / sequence)
    assert process.returncode == 2 and len(process.stderr.strip().splitlines()) == 1


def test_finetuning_starts_from_the_model_and_leaves_uniformity_out(pointpng, tmp_path):
    process = pointpng("finetune", "pose", "--data", "procedural:24:5", "--out", tmp_path / "run", "--epochs", 1,
                       "--batch", 8, "--threads", 1, "--json")
    assert process.returncode == 0, process.stderr
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["train"]["loss"]["uniformity"] is False
    assert config["finetuned"].endswith("object.safetensors")
    assert json.loads(process.stdout)["finished"]
    assert metadata_of(tmp_path / "run" / "model.safetensors")["kind"] == "model"
