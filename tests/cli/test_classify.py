"""`eval classify` and `finetune classify`: from labelled shapes to accuracies, and rejected input."""

import json

import h5py
import numpy
import pytest

from test_bad_input import refused
from training import TINY, assert_same_weights, events_of, log_of, metadata_of

QUICK = ("--epochs", 4, "--views", 1, "--threads", 1)


def write_h5(path, classes, seed, *, names=None, labelled=True, points=200, shapes=6, mask=None):
    """Ellipsoids with a different flatness per class; classes are numbers here."""
    random = numpy.random.default_rng(seed)
    data, labels = [], []
    for label in classes:
        for _ in range(shapes):
            cloud = random.normal(size=(points, 3))
            cloud /= numpy.linalg.norm(cloud, axis=1, keepdims=True)
            data.append(cloud * [1, 1, 0.1 + 0.4 * label])
            labels.append(label)
    with h5py.File(path, "w") as file:
        file["data"] = numpy.array(data, dtype="f4")
        if labelled:
            file["label"] = numpy.array(labels, dtype="u1")[:, None]
        if names:
            file["shape_names"] = names
        if mask is not None:
            file["mask"] = numpy.repeat(mask[None], len(data), 0)
    return path


@pytest.fixture(scope="module")
def model(pointpng, tmp_path_factory):
    """The smallest encoder, hardly trained."""
    run = tmp_path_factory.mktemp("encoder") / "run"
    process = pointpng("pretrain", "--data", "procedural:8", "--out", run, *TINY, "--epochs", 1)
    assert process.returncode == 0, process.stderr
    return run / "model.safetensors"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Training shapes in two files and test shapes, three classes."""
    folder = tmp_path_factory.mktemp("data")
    write_h5(folder / "train0.h5", (0, 1), 1, names=["plate", "egg", "ball"])
    write_h5(folder / "train1.h5", (2, 1), 2, names=["plate", "egg", "ball"])
    write_h5(folder / "test.h5", (0, 1, 2), 3, names=["plate", "egg", "ball"])
    (folder / "train_files.txt").write_text("data/train0.h5\ndata/train1.h5\n")
    return folder


def classify(pointpng, model, data, *options, epochs=4):
    return pointpng("eval", "classify", "--model", model, "--train", data / "train_files.txt",
                    "--test", data / "test.h5", "--json", "--epochs", epochs, "--views", 1, "--threads", 1, *options)


def result_of(process):
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_the_contract_of_json(pointpng, model, data):
    found = result_of(classify(pointpng, model, data, "--protocol", "z/so3"))
    assert 0 <= found["accuracy"] <= 1
    assert set(found["per_class"]) == {"plate", "egg", "ball"}
    assert all(0 <= accuracy <= 1 for accuracy in found["per_class"].values())
    counts = numpy.array(found["confusion"]["counts"])
    assert counts.shape == (3, 3) and counts.sum() == 18 == found["shapes"]
    assert found["accuracy"] == pytest.approx(counts.trace() / 18)
    assert found["train_shapes"] == 24 and found["protocol"] == "z/so3" and found["head"] == "mlp"
    assert found["training"]["steps"] > 0 and "--protocol z/so3" in found["command"]


def test_a_fixed_seed_gives_the_same_table_twice(pointpng, model, data):
    for head in ("linear", "finetune"):
        tables = [result_of(classify(pointpng, model, data, "--head", head, "--seed", 5)) for _ in range(2)]
        for table in tables:
            del table["training"]
        assert tables[0] == tables[1]


def test_shapes_that_anyone_tells_apart_are_told_apart(pointpng, model, data):
    found = result_of(classify(pointpng, model, data, "--votes", 2, epochs=60))
    assert found["accuracy"] >= 0.8


def test_few_shot_episodes(pointpng, model, data):
    found = result_of(classify(pointpng, model, data, "--head", "linear", "--ways", 2, "--shots", 3, "--queries", 2,
                               "--episodes", 3))
    assert len(found["few_shot"]["accuracies"]) == 3
    assert found["accuracy"] == pytest.approx(numpy.mean(found["few_shot"]["accuracies"]))
    assert found["few_shot"]["deviation"] == pytest.approx(numpy.std(found["few_shot"]["accuracies"], ddof=1))


def test_the_baseline_gets_the_same_time(pointpng, model, data, tmp_path):
    page = tmp_path / "page.html"
    found = result_of(classify(pointpng, model, data, "--baseline", "pointnet", "--report", page))
    baseline = found["baseline"]
    assert set(baseline["per_class"]) == set(found["per_class"]) and baseline["training"]["steps"] >= 1
    # It stops after the first step past the time limit; such a step takes about a second at worst.
    assert baseline["training"]["seconds"] <= found["training"]["seconds"] + 5
    html = page.read_text()
    for word in ("plate", "PointNet", "Confusion matrix", "pointpng eval classify"):
        assert word in html


def test_text_for_people(pointpng, model, data):
    process = pointpng("eval", "classify", "--model", model, "--train", data / "train0.h5", data / "train1.h5",
                       "--test", data / "test.h5", *QUICK)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("accuracy ") and "plate" in process.stdout


def test_scanobjectnn_with_and_without_background(pointpng, model, tmp_path):
    """Its files have no names of classes, labels of N numbers, and a mask that is -1 on the background."""
    mask = numpy.where(numpy.arange(200) < 60, -1, 3).astype("i4")
    for name, seed in (("train.h5", 1), ("test.h5", 2)):
        path = write_h5(tmp_path / name, (0, 1), seed, mask=mask)
        with h5py.File(path, "a") as file:
            labels = file["label"][:, 0].astype("i8")
            del file["label"]
            file["label"] = labels
    call = ("eval", "classify", "--model", model, "--train", tmp_path / "train.h5", "--test", tmp_path / "test.h5",
            "--head", "linear", "--json", *QUICK)
    whole = result_of(pointpng(*call))
    assert set(whole["per_class"]) == {"class 0", "class 1"} and whole["background"] is True
    assert result_of(pointpng(*call, "--no-background"))["background"] is False
    with h5py.File(tmp_path / "test.h5", "a") as file:
        del file["mask"]
    refused(pointpng(*call[:-len(QUICK) - 1], *QUICK, "--no-background"), "test.h5", "mask")


def test_what_can_not_be_classified(pointpng, model, data, tmp_path):
    bad = {
        "unlabelled.h5": (write_h5(tmp_path / "unlabelled.h5", (0, 1), 1, labelled=False), "no label"),
        "one.h5": (write_h5(tmp_path / "one.h5", (1,), 1, names=["plate", "egg"]), "only 'egg'"),
        "few.h5": (write_h5(tmp_path / "few.h5", (0, 1, 2), 1, names=["plate", "egg", "ball"], points=9), "9 points"),
    }
    start = ("eval", "classify", "--model", model, "--report", tmp_path / "page.html", *QUICK)
    for path, words in bad.values():
        refused(pointpng(*start, "--train", path, "--test", data / "test.h5"), path.name.removesuffix(".h5"), words)
    refused(pointpng(*start, "--train", data / "train0.h5", "--test", data / "test.h5"), "test.h5", "'ball'")
    refused(pointpng(*start, "--train", data / "train_files.txt", "--test", bad["unlabelled.h5"][0]), "no label")
    refused(pointpng(*start, "--test", data / "test.h5"), "--train")
    refused(pointpng(*start, "--train", data / "train_files.txt", "--test", data / "test.h5", "--ways", 9), "9")
    refused(pointpng(*start, "--train", data / "train_files.txt", "--test", data / "test.h5", "--minutes", 1),
            "finetune")
    for option in (("--protocol", "so3/z"), ("--head", "svm"), ("--votes", 0), ("--views", 0)):
        refused(pointpng(*start, "--train", data / "train0.h5", "--test", data / "test.h5", *option))
    assert not (tmp_path / "page.html").exists()


@pytest.fixture(scope="module")
def classifier(pointpng, model, data, tmp_path_factory):
    run = tmp_path_factory.mktemp("classifier") / "run"
    process = pointpng("finetune", "classify", "--model", model, "--data", data / "train0.h5", data / "train1.h5",
                       "--out", run, "--epochs", 2, "--batch", 8, "--threads", 1, "--json")
    assert process.returncode == 0, process.stderr
    return run, json.loads(process.stdout)


def test_finetune_classify_leaves_a_run(classifier):
    run, told = classifier
    assert {path.name for path in run.iterdir()} == {
        "config.json", "log.jsonl", "checkpoint.safetensors", "classifier.safetensors"
    }
    assert told["finished"] is True and told["result"] == str(run / "classifier.safetensors")
    assert 0 <= told["metrics"]["accuracy"] <= 1
    about = metadata_of(run / "classifier.safetensors")
    assert about["kind"] == "classifier" and json.loads(about["classifier"])["classes"] == ["plate", "egg", "ball"]
    assert events_of(run)[-1] == "done" and any("accuracy" in line for line in log_of(run))


def test_a_trained_classifier_is_only_tested(pointpng, classifier, data):
    file = classifier[0] / "classifier.safetensors"
    found = result_of(pointpng("eval", "classify", "--model", file, "--test", data / "test.h5", "--json"))
    assert found["shapes"] == 18 and found["head"] == "trained"
    refused(pointpng("eval", "classify", "--model", file, "--test", data / "test.h5", "--train", data / "train0.h5"),
            "trained classifier")
    refused(pointpng("pose", data / "test.h5", data / "test.h5", "--model", file), "classifier")


def test_a_stopped_run_goes_on_to_the_same_weights(pointpng, classifier, model, data, tmp_path):
    run = tmp_path / "run"
    call = ("finetune", "classify", "--model", model, "--data", data / "train0.h5", data / "train1.h5", "--out", run,
            "--epochs", 2, "--batch", 8, "--threads", 1)
    assert pointpng(*call).returncode == 0
    (run / "classifier.safetensors").unlink()
    (run / "checkpoint.safetensors").unlink()
    process = pointpng("finetune", "classify", "--resume", "--out", run, "--threads", 1)
    assert process.returncode == 0, process.stderr
    assert_same_weights(run / "classifier.safetensors", classifier[0] / "classifier.safetensors")


def test_finetune_classify_refuses_and_leaves_nothing(pointpng, model, tmp_path):
    start = ("finetune", "classify", "--model", model, "--out", tmp_path / "run", "--epochs", 1)
    refused(pointpng(*start, "--data", write_h5(tmp_path / "a.h5", (0, 1), 1, labelled=False)), "no label")
    refused(pointpng(*start, "--data", write_h5(tmp_path / "b.h5", (1,), 1)), "at least two classes")
    refused(pointpng(*start, "--data", write_h5(tmp_path / "c.h5", (0, 1), 1, points=9)), "9 points")
    assert not (tmp_path / "run").exists()


def test_report_of_a_classifiers_run(pointpng, classifier):
    process = pointpng("report", classifier[0])
    assert process.returncode == 0, process.stderr
    assert "finetune classify" in (classifier[0] / "report.html").read_text()
