"""`eval equivariance`, `eval retrieval`, `eval compare`, `eval ablate`: results, resumption, wrong input."""

import csv
import json
import random
import signal
import subprocess
import time

import pytest

from training import TINY

# The smallest model that has every part: a run takes seconds.
SMALLEST = ("model.points=64", "model.patches=8", "model.patch_points=8", "model.patch_widths=[8,8,16]",
            "model.width=16", "model.depth=1", "model.heads=2", "model.embedding=16", "model.channels=[2,4,2]",
            "model.cope_hidden=16", "model.cope_mlp=16", "train.batch=4")
SETTINGS = [word for setting in SMALLEST for word in ("--set", setting)]
QUICKLY = ("--pairs", 4, "--shapes", 2, "--views", 5, "--probe-shapes", 3, "--probe-steps", 5)
STUDY = ("--data", "procedural:20:1", "--steps", 3, "--threads", 1, "--json", *QUICKLY, *SETTINGS)
FIGURES = {"pa", "ae", "r2", "mrr", "h1", "h5", "rotation_deg", "within_15deg", "predictor_weights"}


@pytest.fixture(scope="module")
def model(pointpng, tmp_path_factory):
    run = tmp_path_factory.mktemp("study") / "run"
    process = pointpng("pretrain", "--data", "procedural:8:1", "--out", run, "--epochs", 1, *TINY)
    assert process.returncode == 0, process.stderr
    return run / "model.safetensors"


def result_of(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def refused(process, *words):
    assert process.returncode == 2, process.stderr
    for word in words:
        assert word in process.stderr


def test_equivariance_has_all_figures_and_follows_its_seed(pointpng, model):
    def measured(seed):
        return result_of(pointpng("eval", "equivariance", "--model", model, "--data", "procedural:4:3", "--train",
                                  "procedural:4:4", "--pairs", 4, "--shapes", 3, "--views", 5, "--probe-steps", 5,
                                  "--seed", seed, "--threads", 1, "--json"))

    first = measured(1)
    assert {"pa", "ae", "rotation_deg", "success", "mrr", "h1", "h5", "r2"} <= set(first)
    assert first["retrieval"]["queries"] == 3 * 4 and first["probe"]["train_shapes"] == 4
    assert measured(1) == first
    assert measured(2)["r2"] != first["r2"]


def test_retrieval_prints_its_contract(pointpng, model):
    result = result_of(pointpng("eval", "retrieval", "--model", model, "--data", "procedural:3:3", "--views", 6, "--json"))
    assert result["shapes"] == 3 and result["queries"] == 15
    assert 0 < result["h1"] <= result["mrr"] <= 1 and result["h1"] <= result["h5"] <= 1
    text = pointpng("eval", "retrieval", "--model", model, "--data", "procedural:3:3", "--views", 6).stdout
    assert "MRR" in text and "H@5" in text


def test_a_comparison_gives_the_same_table_twice(pointpng, tmp_path):
    def compared(out):
        return result_of(pointpng("eval", "compare", "--methods", "pointpng,sie,equimod", "--seeds", 2, *STUDY,
                                  "--out", tmp_path / out))

    first = compared("a")
    assert [mean["variant"] for mean in first["means"]] == ["pointpng", "sie", "equimod"]
    assert len(first["rows"]) == 6 and all(FIGURES <= set(row) for row in first["rows"])
    assert all(mean["pa"]["count"] == 2 for mean in first["means"])
    assert {"holds", "seeds_that_hold"} <= set(first["papers_order"]["r2"])
    second = compared("b")
    assert second["means"] == first["means"] and second["rows"] == first["rows"]

    kept = json.loads((tmp_path / "a" / "study.json").read_text())
    assert kept["rows"] == first["rows"]
    with open(tmp_path / "a" / "study.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 and float(rows[0]["pa"]) == pytest.approx(first["rows"][0]["pa"])
    page = (tmp_path / "a" / "study.html").read_text()
    assert "eval compare" in page and "<svg" in page and "order" in page


def test_every_method_can_be_compared(pointpng, tmp_path):
    result = result_of(pointpng("eval", "compare", "--methods", "pointpng-wigner,sen,simclr", "--seeds", 1, *STUDY,
                                "--out", tmp_path / "out"))
    means = {mean["variant"]: mean for mean in result["means"]}
    assert means["simclr"]["ae"]["mean"] == pytest.approx(0, abs=1e-6)
    assert means["pointpng-wigner"]["predictor_weights"]["mean"] == 0


def test_what_is_finished_is_not_done_again(pointpng, tmp_path):
    out = tmp_path / "out"
    one = result_of(pointpng("eval", "compare", "--methods", "sen", "--seeds", 1, *STUDY, "--out", out))
    log = (out / "runs" / "sen_seed0" / "log.jsonl").read_bytes()
    more = result_of(pointpng("eval", "compare", "--methods", "sen,simclr", "--seeds", 2, *STUDY, "--out", out))
    assert (out / "runs" / "sen_seed0" / "log.jsonl").read_bytes() == log
    assert one["rows"][0] in more["rows"] and len(more["rows"]) == 4


def test_an_interrupted_comparison_goes_on(pointpng, tmp_path):
    arguments = ("eval", "compare", "--methods", "sen", "--seeds", 1, "--data", "procedural:20:1", "--threads", 1,
                 "--json", *QUICKLY, *SETTINGS, "--steps", 400)
    process = subprocess.Popen([pointpng.program, *map(str, arguments), "--out", str(tmp_path / "cut")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    log = tmp_path / "cut" / "runs" / "sen_seed0" / "log.jsonl"
    deadline = time.monotonic() + 60
    while not (log.exists() and log.read_text().count("\n") >= 1) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    whole = result_of(pointpng(*arguments, "--out", tmp_path / "whole"))
    if process.returncode == 1:  # it was stopped in the middle, not just after the end
        assert json.loads(output)["finished"] is False
        assert not (tmp_path / "cut" / "study.json").exists()
    assert result_of(pointpng(*arguments, "--out", tmp_path / "cut"))["rows"] == whole["rows"]


def test_training_ablations_vary_what_they_say(pointpng, tmp_path):
    result = result_of(pointpng("eval", "ablate", "beta", "--seeds", 1, *STUDY, "--out", tmp_path / "beta"))
    assert [mean["beta"] for mean in result["means"]] == [0, 0.3, 0.5, 0.7, 0.9]
    for value in (0, 0.9):
        config = json.loads((tmp_path / "beta" / "runs" / f"{value}_seed0" / "config.json").read_text())
        assert config["train"]["loss"]["beta"] == value
    assert 'class="main sparse"' in (tmp_path / "beta" / "study.html").read_text()


def test_an_encoder_is_pretrained_for_the_ablation_of_it(pointpng, tmp_path):
    result = result_of(pointpng("eval", "ablate", "init", "--seeds", 1, *STUDY, "--out", tmp_path / "init"))
    assert [mean["variant"] for mean in result["means"]] == ["none", "mae"]
    config = json.loads((tmp_path / "init" / "runs" / "mae_seed0" / "config.json").read_text())
    assert config["init"].endswith("encoder.safetensors")
    assert result["rows"][0]["pa"] != result["rows"][1]["pa"]


def test_predictors_are_compared_with_their_weights_and_accuracy(pointpng, tmp_path):
    result = result_of(pointpng("eval", "ablate", "predictor", "--seeds", 1, *STUDY, "--test", "procedural:10:2",
                                "--out", tmp_path / "predictor"))
    assert all(0.0 <= row["accuracy"] <= 1.0 for row in result["rows"])
    weights = {row["variant"]: row["predictor_weights"] for row in result["rows"]}
    assert weights["wigner"] == 0 and 0 < weights["cope"] < weights["sie"]


def test_shapes_without_labels_are_not_classified(pointpng, tmp_path):
    shapes = tmp_path / "shapes"
    shapes.mkdir()
    for index in range(12):
        corners = random.Random(index)
        lines = (" ".join(str(corners.uniform(-1, 1)) for _ in range(3)) for _ in range(300))
        (shapes / f"{index}.xyz").write_text("\n".join(lines) + "\n")
    result = result_of(pointpng("eval", "compare", "--methods", "pointpng", "--seeds", 1, "--data", shapes, *STUDY[2:],
                                "--out", tmp_path / "study"))
    assert "accuracy" not in result["rows"][0]
    assert "SO(3)/SO(3)" not in (tmp_path / "study" / "study.html").read_text()


@pytest.mark.parametrize("name", ["grid", "hypotheses"])
def test_ablations_of_the_search_need_no_training(pointpng, model, tmp_path, name):
    arguments = ("eval", "ablate", name, "--model", model, "--data", "procedural:6:3", "--pairs", 6, "--seeds", 2,
                 "--json", "--out")
    result = result_of(pointpng(*arguments, tmp_path / "a"))
    assert {"study.json", "study.csv", "study.html"} == {file.name for file in (tmp_path / "a").iterdir()}
    assert {"rotation_deg", "within_5deg"} <= set(result["rows"][0])
    assert result_of(pointpng(*arguments, tmp_path / "b"))["rows"] == result["rows"]
    if name == "hypotheses":  # the best of more is never worse
        errors = [mean["rotation_deg"]["mean"] for mean in result["means"]]
        assert errors == sorted(errors, reverse=True)


def test_wrong_input_is_a_sentence_and_leaves_nothing(pointpng, model, tmp_path):
    out = tmp_path / "out"
    refused(pointpng("eval", "compare", "--methods", "byol", *STUDY, "--out", out), "'byol'", "simclr")
    refused(pointpng("eval", "compare", "--methods", "sie,sie", *STUDY, "--out", out), "twice")
    refused(pointpng("eval", "compare", "--data", tmp_path / "no.h5", "--out", out), "no.h5")
    refused(pointpng("eval", "compare", "--data", "procedural:3", "--out", out), "too few")
    refused(pointpng("eval", "compare", *STUDY, "--set", "train.batch=0", "--out", out), "batch")
    refused(pointpng("eval", "compare", *STUDY, "--minutes", 1, "--out", out), "--minutes")
    refused(pointpng("eval", "ablate", "colour", *STUDY, "--out", out), "'colour'", "beta")
    refused(pointpng("eval", "ablate", "grid", "--model", tmp_path / "no.safetensors", "--data", "procedural:4",
                     "--out", out), "no.safetensors")
    (tmp_path / "few.xyz").write_text("0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n")
    refused(pointpng("eval", "compare", *STUDY, "--test", tmp_path / "few.xyz", "--out", out), "few.xyz")
    refused(pointpng("eval", "retrieval", "--model", model, "--data", tmp_path / "few.xyz"), "few.xyz")
    refused(pointpng("eval", "equivariance", "--model", model, "--data", "procedural:3", "--train",
                     tmp_path / "missing"), "missing")
    assert not out.exists()


def test_a_folder_holds_one_study(pointpng, tmp_path):
    out = tmp_path / "out"
    result_of(pointpng("eval", "compare", "--methods", "sen", "--seeds", 1, *STUDY, "--out", out))
    before = (out / "study.json").read_bytes()
    refused(pointpng("eval", "compare", "--methods", "sen", "--seeds", 1, *STUDY, "--set", "train.batch=8", "--out", out),
            "other settings")
    assert (out / "study.json").read_bytes() == before
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "file").write_text("mine")
    refused(pointpng("eval", "compare", *STUDY, "--out", tmp_path / "else"), "no study")
    assert [file.name for file in (tmp_path / "else").iterdir()] == ["file"]
