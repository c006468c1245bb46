"""`pointpng pose` with more than two clouds: several copies, the sensors' places, gravity, effort."""

import json

import numpy
import pytest

from test_pose import chair, degrees_between, rotation

PLACES = [(0.0, 0.0), (2.0, 0.4), (-0.3, 2.2)]


def scene(places):
    """Chairs that stand at these places, and a ball beside them."""
    random = numpy.random.default_rng(7)
    ball = random.normal(size=(600, 3))
    parts = [0.4 * ball / numpy.linalg.norm(ball, axis=1, keepdims=True) + [-2.0, -1.5, 0]]
    for i, (x, y) in enumerate(places):
        parts.append(chair(1500, 30 + i) @ rotation((0, 0, 1), 70 * i).T + [x, y, 0])
    return numpy.vstack(parts).astype(numpy.float32)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "chair.npy"
    numpy.save(file, chair(3000, 9))
    return file


@pytest.mark.parametrize("places", [[], PLACES[1:2], PLACES])
def test_every_copy_is_found_once(pointpng, model, tmp_path, places):
    numpy.save(tmp_path / "scene.npy", scene(places))
    process = pointpng("pose", model, tmp_path / "scene.npy", "--instances", 5, "--json", "--save-aligned", tmp_path / "moved.ply")
    assert process.returncode == (0 if places else 1), process.stderr
    result = json.loads(process.stdout)
    found = [numpy.array(instance["target_from_source"]).reshape(4, 4) for instance in result["instances"]]
    assert len(found) == len(places), result["reason"]
    assert not result["rejected"]["accepted"]
    for i, (x, y) in enumerate(places):
        nearest = min(found, key=lambda pose: numpy.linalg.norm(pose[:2, 3] - [x, y]))
        assert numpy.linalg.norm(nearest[:3, 3] - [x, y, 0]) < 0.05
        assert degrees_between(nearest[:3, :3], rotation((0, 0, 1), 70 * i)) < 5
    assert len(list(tmp_path.glob("moved*.ply"))) == len(places)


def test_copies_are_told_to_people(pointpng, model, tmp_path):
    numpy.save(tmp_path / "scene.npy", scene(PLACES[:1]))
    process = pointpng("pose", model, tmp_path / "scene.npy", "--instances", 2)
    assert process.stdout.startswith("1 instances\n"), process.stdout


def test_a_known_viewpoint_is_evidence(pointpng, model, tmp_path):
    numpy.save(tmp_path / "view.npy", chair(3000, 4)[chair(3000, 4)[:, 1] < 0.45])
    process = pointpng("pose", model, tmp_path / "view.npy", "--json", "--target-viewpoint", 0, -4, 1)
    evidence = json.loads(process.stdout)["evidence"]
    assert evidence["contradiction"] < 0.1
    assert 0 < evidence["expected_source_overlap"] < 1 and evidence["expected_target_overlap"] == 1


def test_what_lies_is_not_turned_upright(pointpng, model, tmp_path):
    numpy.save(tmp_path / "lies.npy", (chair(3000, 4) @ rotation((1, 0, 0), 90).T).astype(numpy.float32))
    free = json.loads(pointpng("pose", model, tmp_path / "lies.npy", "--json").stdout)
    assert free["accepted"], free["reason"]
    upright = pointpng("pose", model, tmp_path / "lies.npy", "--json", "--up", 0, 0, 1)
    assert upright.returncode == 1
    assert "tilted by 90°" in json.loads(upright.stdout)["reason"]
    other = pointpng("pose", model, tmp_path / "lies.npy", "--json", "--source-up", 0, 0, 1, "--target-up", 0, -1, 0)
    assert json.loads(other.stdout)["accepted"]


@pytest.mark.parametrize("arguments, words", [
    (("--up", 0, 0, 0), "the up direction must be a vector other than 0"),
    (("--instances", 0), "instances"),
    (("--target-viewpoint", 1, 2), "3"),
    (("--up", 0, 0, 1, "--source-up", 0, 0, 1), "--up"),
    (("--effort", "endless"), "fast"),
])
def test_wrong_options_are_a_sentence(pointpng, model, arguments, words):
    process = pointpng("pose", model, model, *arguments)
    assert process.returncode == 2 and process.stdout == ""
    assert words in process.stderr
