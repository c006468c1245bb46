"""`pretrain` and `mae` from data to a model that others can read."""

import json

import pytest

from training import TINY, events_of, log_of, metadata_of, tensors_of


@pytest.fixture(scope="module")
def trained(pointpng, tmp_path_factory):
    """A finished run of one epoch."""
    run = tmp_path_factory.mktemp("pretrain") / "run"
    process = pointpng("pretrain", "--data", "procedural:40", "--out", run, *TINY, "--epochs", 1, "--json")
    assert process.returncode == 0, process.stderr
    return run, process


def test_writes_the_files_of_a_run(trained):
    run, _ = trained
    assert {path.name for path in run.iterdir()} == {
        "config.json", "log.jsonl", "checkpoint.safetensors", "model.safetensors"
    }
    config = json.loads((run / "config.json").read_text())
    assert config["preset"] == "tiny" and config["train"]["epochs"] == 1 and config["seed"] == 0
    (source,) = config["data"]
    assert len(source.pop("checksum")) == 8
    assert source == {"source": "procedural:40", "shapes": 40, "points": 4096}
    assert config["shapes"] == {"train": 38, "held_out": 2}
    assert config["machine"]["cores"] >= 1 and config["parameters"]["backbone"] > 1000
    assert events_of(run)[-1] == "done"
    figures = [line for line in log_of(run) if "loss" in line]
    assert figures and {"align", "cope", "unif", "pa", "ae", "lr", "clouds_per_s"} <= figures[-1].keys()
    assert [line for line in log_of(run) if "eval" in line]


def test_prints_one_json_object_and_nothing_else(trained):
    run, process = trained
    told = json.loads(process.stdout)
    assert told["finished"] is True and told["steps"] == 2
    assert told["result"] == str(run / "model.safetensors")
    assert set(told["metrics"]) == {"pa", "ae", "pairs", "rotation_deg", "success"}


def test_python_reads_the_checkpoint(trained):
    run, _ = trained
    about = metadata_of(run / "model.safetensors")
    assert about["format"] == "pointpng" and about["format_version"] == "1" and about["kind"] == "model"
    model = json.loads(about["config"])
    assert model["width"] == 64 and json.loads(about["training"])["steps"] == 2
    assert "rotation_deg" in json.loads(about["metrics"])
    tensors = tensors_of(run / "model.safetensors")
    assert all(name.startswith(("backbone.", "predictor.")) for name in tensors)
    assert all(str(tensor.dtype) == "float32" for tensor in tensors.values())
    assert any(tensor.shape == (64, 64) for tensor in tensors.values())
    resumable = tensors_of(run / "checkpoint.safetensors")
    count = sum(tensor.size for name, tensor in tensors.items())
    assert resumable["optimiser.mean"].shape == (count,)
    assert {"module." + name for name in tensors} <= set(resumable)


def test_model_info(pointpng, trained):
    run, _ = trained
    process = pointpng("model", "info", run / "model.safetensors", "--json")
    assert process.returncode == 0, process.stderr
    info = json.loads(process.stdout)
    weights = sum(tensor.size for tensor in tensors_of(run / "model.safetensors").values())
    assert info["parameters"]["backbone"] + info["parameters"]["predictor"] == weights
    assert info["embedding"] == 4 + 12 * 3 + 8 * 5 + 6 * 7 + 4 * 9
    assert info["config"]["backbone"] == "equivariant" and info["training"]["steps"] == 2
    shown = pointpng("model", "info", run / "model.safetensors").stdout
    for word in ("equivariant", "wigner", "procedural:40", "256 points in 16 patches"):
        assert word in shown


def test_eval_equivariance(pointpng, trained):
    run, _ = trained
    call = ("eval", "equivariance", "--model", run / "model.safetensors", "--data", "procedural:20:9", "--pairs", 30)
    process = pointpng(*call, "--json")
    assert process.returncode == 0, process.stderr
    found = json.loads(process.stdout)
    assert found["pairs"] == 30 and -1 <= found["ae"] <= 2 and -1 <= found["pa"] <= 1
    assert 0 <= found["rotation_deg"]["median"] <= found["rotation_deg"]["max"] <= 180
    assert 0 <= found["success"]["5deg"] <= found["success"]["15deg"] <= 1
    assert json.loads(pointpng(*call, "--json").stdout) == found
    shown = pointpng(*call).stdout
    assert "PA" in shown and "AE" in shown and "within 15°" in shown


def test_report(pointpng, trained):
    run, _ = trained
    process = pointpng("report", run, "--json")
    assert process.returncode == 0, process.stderr
    page = (run / "report.html").read_text()
    assert json.loads(process.stdout)["report"] == str(run / "report.html")
    assert "<svg" in page and "procedural:40" in page


def test_the_same_seed_gives_the_same_weights(pointpng, trained, tmp_path):
    run, _ = trained
    for seed in (0, 1):
        pointpng("pretrain", "--data", "procedural:40", "--out", tmp_path / str(seed), *TINY, "--epochs", 1,
                 "--seed", seed, "--workers", 2)
    first = tensors_of(run / "model.safetensors")
    same, other = (tensors_of(tmp_path / seed / "model.safetensors") for seed in ("0", "1"))
    assert all((first[name] == same[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


@pytest.mark.parametrize("method", ["mae", "point2vec"])
def test_pretraining_starts_from_a_masked_autoencoder(pointpng, tmp_path, method):
    masked = pointpng("mae", "--data", "procedural:16", "--out", tmp_path / "m", *TINY, "--method", method,
                      "--epochs", 1, "--json")
    assert masked.returncode == 0, masked.stderr
    encoder = tmp_path / "m" / "encoder.safetensors"
    assert json.loads(masked.stdout)["result"] == str(encoder)
    assert metadata_of(encoder)["kind"] == "encoder"
    process = pointpng("pretrain", "--data", "procedural:16", "--out", tmp_path / "p", *TINY, "--epochs", 1,
                       "--init", encoder, "--learning-rate", 1e-9, "--json")
    assert process.returncode == 0, process.stderr
    assert f"took {len(tensors_of(encoder))} tensors" in process.stderr
    started = tensors_of(tmp_path / "p" / "model.safetensors")
    for name, tensor in tensors_of(encoder).items():  # hardly trained: still the encoder's
        assert abs(started[name] - tensor).max() < 1e-6, name


def test_any_setting_can_be_named(pointpng, tmp_path):
    process = pointpng("pretrain", "--data", "procedural:16", "--out", tmp_path / "run", *TINY, "--epochs", 1,
                       "--set", "train.loss.beta=1", "--set", "model.channels=[2,4]", "--set",
                       "model.backbone=equivariant", "--set", "train.views.same_points=true")
    assert process.returncode == 0, process.stderr
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["train"]["loss"]["beta"] == 1 and config["model"]["channels"] == [2, 4]
    assert config["train"]["views"]["same_points"] is True


def test_a_folder_of_clouds_is_trained_on(pointpng, tmp_path):
    numpy = pytest.importorskip("numpy")
    random = numpy.random.default_rng(1)
    for name in ("cup/a.xyz", "cup/b.xyz", "jug/c.npy"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        points = random.normal(size=(300, 3)) * (1, 2, 3)
        numpy.save(path, points) if path.suffix == ".npy" else numpy.savetxt(path, points)
    process = pointpng("pretrain", "--data", tmp_path / "data", "--out", tmp_path / "run", *TINY, "--epochs", 1,
                       "--batch", 3, "--json")
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["steps"] == 1


def test_demo(pointpng, tmp_path):
    process = pointpng("demo", "--minutes", 0.05, "--out", tmp_path / "demo", "--json")
    assert process.returncode == 0, process.stderr
    told = json.loads(process.stdout)
    assert len(told["recovered"]) == 12 and told["metrics"]["pairs"] > 0
    for row in told["recovered"]:
        assert 0 <= row["error_deg"] <= 180 and row["object"]
    assert "error if untrained" in (tmp_path / "demo" / "report.html").read_text()
    again = pointpng("demo", "--minutes", 0.02, "--out", tmp_path / "demo")  # replaces the last demo's run
    assert again.returncode == 0 and "true angle" in again.stdout


def test_demo_removes_nothing_of_others(pointpng, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("years of work")
    process = pointpng("demo", "--minutes", 0.02, "--out", tmp_path)
    assert process.returncode == 2 and "--out" in process.stderr
    assert (tmp_path / "run" / "thesis.txt").exists()
