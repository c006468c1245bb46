"""`pointpng eval pose` and `pointpng bench pose`: the contract, the pairs folder, wrong input."""

import json
import os

import numpy
import pytest

from training import TINY

SHAPES = ("--data", "procedural:6:3")


@pytest.fixture(scope="module")
def model(pointpng, tmp_path_factory):
    """A barely trained model: these tests do not depend on its quality."""
    run = tmp_path_factory.mktemp("pose") / "run"
    process = pointpng("pretrain", "--data", "procedural:8:1", "--out", run, "--epochs", 1, *TINY)
    assert process.returncode == 0, process.stderr
    return run / "model.safetensors"


def evaluated(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_json_is_as_contracted(pointpng, model):
    result = evaluated(
        pointpng("eval", "pose", *SHAPES, "--protocol", "resampled", "--pairs", 3, "--model", model, "--json"))
    assert result["pairs"] == 3 and 0 <= result["rejected"] <= 3
    assert set(result["rotation_deg"]) == {"mean", "median", "max"}
    assert set(result["success"]) == {"5deg", "15deg"}
    assert {"total", "embed", "search", "parts", "refine", "median"} <= set(result["ms_per_pair"])
    assert 0 <= result["surface_ok"] <= 1
    counts = {"accepted_right", "accepted_wrong", "right_rejected", "wrong_rejected"}
    assert sum(result["verdicts"][name] for name in counts) == result["verdicts"]["pairs"] == 3
    assert result["kinds"] == {"resampled": result["verdicts"]}
    assert {"rotation_deg", "success"} <= set(result["search_only"])
    assert result["success"]["5deg"] <= result["if_all_accepted"]["success"]["5deg"]
    assert result["protocol"] == "resampled" and result["seed"] == 0


@pytest.mark.parametrize("protocol", ["same", "noisy", "partial", "view", "plane", "clutter", "absent", "room", "street",
                                      "corridor"])
def test_every_protocol_runs(pointpng, model, protocol):
    process = pointpng("eval", "pose", *SHAPES, "--protocol", protocol, "--pairs", 2, "--model", model, "--quiet")
    assert process.returncode == 0, process.stderr
    assert "2 pairs" in process.stdout and "ms per pair" in process.stdout


def test_the_same_pairs_from_files_give_the_same_figures(pointpng, model, tmp_path):
    made = evaluated(pointpng("eval", "pose", *SHAPES, "--protocol", "view", "--pairs", 3, "--seed", 5, "--model", model,
                              "--save-pairs", tmp_path / "pairs", "--rows", tmp_path / "rows.jsonl", "--json"))
    read = evaluated(pointpng("eval", "pose", "--pairs-dir", tmp_path / "pairs", "--model", model, "--json"))
    for figure in ("pairs", "rejected", "success", "surface_ok"):
        assert made[figure] == read[figure]
    assert made["rotation_deg"]["mean"] == pytest.approx(read["rotation_deg"]["mean"], abs=1e-6)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 3 and sum(not row["accepted"] for row in rows) == made["rejected"]
    assert {"rotation_deg", "confidence", "evidence", "residual", "class", "ms"} <= set(rows[0])
    assert {"kind", "right", "centre_offset", "features", "cpu_ms"} <= set(rows[0])
    assert rows[0]["features"]["one"] == 1


def test_guesses_are_taken_where_they_are_near_and_not_where_they_are_far(pointpng, model, tmp_path):
    def of_guesses(degrees):
        result = evaluated(pointpng("eval", "pose", *SHAPES, "--protocol", "resampled", "--pairs", 12, "--model", model,
                                    "--guess", degrees, "--rows", tmp_path / "rows.jsonl", "--json"))
        assert result["guess"] == degrees and result["search_only"] is None
        return result, [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]

    near, rows = of_guesses(5)
    assert near["success"]["5deg"] == 1
    assert all(not row["evidence"]["searched"] for row in rows)
    far, rows = of_guesses(180)
    wrong = [row for row in rows if row["rotation_deg"] > 15 and not row["surface_ok"]]
    assert len(wrong) >= 4 and sum(row["accepted"] for row in wrong) <= len(wrong) / 4


def test_saved_pairs_can_be_used_by_others(pointpng, model, tmp_path):
    """Read with numpy alone: the ground truth moves the source onto the target."""
    evaluated(pointpng("eval", "pose", *SHAPES, "--protocol", "same", "--pairs", 2, "--model", model, "--save-pairs",
                       tmp_path / "pairs", "--json"))
    for entry in json.loads((tmp_path / "pairs" / "pairs.json").read_text()):
        source, target = (points_of(tmp_path / "pairs" / entry[side]) for side in ("source", "target"))
        truth = numpy.array(entry["target_from_source"]).reshape(4, 4)
        moved = source @ truth[:3, :3].T + truth[:3, 3]
        nearest = numpy.linalg.norm(moved[:, None] - target[None], axis=2).min(1)
        assert nearest.max() < 1e-4


def points_of(path):
    head, _, body = path.read_bytes().partition(b"end_header\n")
    assert b"binary_little_endian" in head
    return numpy.frombuffer(body, "<f4").reshape(-1, 3).astype(float)


def test_the_viewpoint_is_told_only_where_asked_for(pointpng, model, tmp_path):
    view = ("eval", "pose", *SHAPES, "--protocol", "view", "--pairs", 6, "--model", model, "--json")
    results = {}
    for name, options in {"without": (), "with": ("--viewpoint",)}.items():
        results[name] = evaluated(pointpng(*view, *options, "--rows", tmp_path / name))
        rows = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        expected = [row["evidence"]["expected_source_overlap"] for row in rows]
        assert all(share < 1 for share in expected) if options else all(share == 1 for share in expected)
    assert results["with"]["viewpoint"] and not results["without"]["viewpoint"]


def test_pairs_are_never_written_over(pointpng, model, tmp_path):
    process = pointpng("eval", "pose", *SHAPES, "--protocol", "same", "--pairs", 1, "--model", model, "--save-pairs",
                       tmp_path)
    assert process.returncode == 2 and str(tmp_path) in process.stderr
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("arguments", [
    (), ("--data", "procedural:2"), ("--protocol", "same"),
    ("--data", "procedural:2", "--protocol", "same", "--pairs-dir", "."),
])
def test_pairs_come_from_one_place(pointpng, model, arguments):
    process = pointpng("eval", "pose", *arguments, "--model", model)
    assert process.returncode == 2 and process.stdout == ""
    assert "--pairs-dir" in process.stderr and "--protocol" in process.stderr


def test_wrong_names_are_refused_with_the_right_ones(pointpng, model):
    process = pointpng("eval", "pose", *SHAPES, "--protocol", "sideways", "--model", model)
    assert process.returncode == 2 and "resampled" in process.stderr
    process = pointpng("eval", "pose", *SHAPES, "--protocol", "scene", "--model", model)
    assert process.returncode == 2 and "depth frames" in process.stderr
    process = pointpng("eval", "pose", *SHAPES, "--protocol", "same", "--model", "unheard-of")
    assert process.returncode == 2 and "unheard-of" in process.stderr and "shipped" in process.stderr


def test_the_environment_can_name_the_model(pointpng, model, tmp_path):
    arguments = ("eval", "pose", *SHAPES, "--protocol", "same", "--pairs", 1, "--json")
    result = evaluated(pointpng(*arguments, env={**os.environ, "POINTPNG_MODEL": str(model)}))
    assert result["model"] == str(model)
    process = pointpng(*arguments, env={**os.environ, "POINTPNG_MODEL": str(tmp_path / "gone.safetensors")})
    assert process.returncode == 2 and "gone.safetensors" in process.stderr and "POINTPNG_MODEL" in process.stderr


def test_a_broken_list_is_one_sentence(pointpng, model, tmp_path):
    (tmp_path / "pairs.json").write_text("[{")
    process = pointpng("eval", "pose", "--pairs-dir", tmp_path, "--model", model)
    assert process.returncode == 2 and process.stdout == ""
    assert len(process.stderr.strip().splitlines()) == 1 and "pairs.json" in process.stderr


def test_the_bench_has_ours_first_and_the_peers_beside_it(pointpng, model, tmp_path):
    evaluated(pointpng("eval", "pose", *SHAPES, "--protocol", "same", "--pairs", 2, "--model", model, "--save-pairs",
                       tmp_path / "pairs", "--json"))
    result = evaluated(pointpng("bench", "pose", "--pairs-dir", tmp_path / "pairs", "--model", model, "--json"))
    methods = [method["method"] for method in result["methods"]]
    assert methods[0] == "Point-PNG" and any("SAC-IA" in name for name in methods[1:])
    assert any("GICP" in name for name in methods) and result["methods"][0]["times_ours"] == 1
    for method in result["methods"]:
        assert method["pairs"] == 2 and method["ms_per_pair"]["total"] > 0
