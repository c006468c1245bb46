"""Invalid input: one clear sentence, exit status 2, no files left behind."""

import json
import os
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from safetensors.numpy import save_file

from training import TINY, metadata_of, tensors_of


def refused(process, *words):
    """One sentence that contains the words; no abort, no traceback, no result."""
    assert process.returncode == 2, (process.returncode, process.stdout, process.stderr)
    assert process.stdout == ""
    lines = process.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("pointpng error: "), process.stderr
    assert "exception" not in lines[0].lower() and ".cpp" not in lines[0]
    for word in words:
        assert word in lines[0], lines[0]


def all_at_once(pointpng, calls):
    """Runs many calls, one per core at a time; returns the finished processes by name."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip(calls, pool.map(lambda arguments: pointpng(*arguments), calls.values())))


def rows(points):
    return "".join(f"{x} {y} {z}\n" for x, y, z in points)


GOOD = numpy.random.default_rng(1).normal(size=(300, 3))


def ply(count, body, promised=None):
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {promised or count}\n"
    return (head + "property float x\nproperty float y\nproperty float z\nend_header\n").encode() + body


def pcd(promised, body):
    head = (f"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {promised}\nHEIGHT 1\n"
            f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {promised}\nDATA binary\n")
    return head.encode() + body


def npy(promised, body):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({promised}, 3), }}".encode()
    head += b" " * ((64 - (10 + len(head) + 1) % 64) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body


OUT_OF_RANGE = {
    ("pose", "a.ply", "b.ply", "--hypotheses", 70): "hypotheses must be in [1, 64], got 70",
    ("pose", "a.ply", "b.ply", "--hypotheses", "few"): "hypotheses must be a whole number, got 'few'",
    ("pose", "a.ply", "b.ply", "--confidence", 1.5): "confidence must be in [0, 1], got 1.5",
    ("track", "bag", "--second-look", -1): "second-look must be in [0, 100000], got -1",
}


@pytest.mark.parametrize("arguments", OUT_OF_RANGE)
def test_a_number_out_of_range_is_refused_in_the_librarys_words(pointpng, arguments):
    refused(pointpng(*arguments), OUT_OF_RANGE[arguments])


BODY = GOOD.astype("<f4").tobytes()
CLOUDS = {
    "empty.xyz": b"",
    "empty.ply": b"",
    "empty.pcd": b"",
    "empty.npy": b"",
    "empty.off": b"",
    "empty.h5": b"",
    "empty.mcap": b"",
    "one.xyz": b"1 2 3\n",
    "equal.xyz": rows([(1, 2, 3)] * 300).encode(),
    "nan.xyz": b"nan nan nan\n" * 300,
    "inf.xyz": b"inf 0 0\n" * 300,
    "few.xyz": rows(GOOD[:20]).encode(),  # enough for a shape, not for two views with patches of 16
    "words.xyz": b"these are no numbers\n",
    "truncated.ply": ply(300, BODY[:-50]),
    "lying.ply": ply(300, BODY, promised=10**9),
    "truncated.pcd": pcd(300, BODY[:-50]),
    "lying.pcd": pcd(10**9, BODY),
    "truncated.npy": npy(300, BODY[:-50]),
    "lying.npy": npy(10**9, BODY),
    "lying.off": b"OFF\n1000000000 1000000000 0\n0 0 0\n",
    "unknown.docx": b"PK",
}


@pytest.fixture(scope="module")
def training_on_clouds(pointpng, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clouds")
    for name, content in CLOUDS.items():
        (folder / name).write_bytes(content)
    return folder, all_at_once(pointpng, {
        name: ("pretrain", "--data", folder / name, "--out", folder / f"{name}-run", *TINY, "--epochs", 1)
        for name in CLOUDS
    })


@pytest.mark.parametrize("name", CLOUDS)
def test_a_cloud_that_can_not_be_trained_on(training_on_clouds, name):
    folder, processes = training_on_clouds
    refused(processes[name], name)
    assert not (folder / f"{name}-run").exists()


def test_with_json_the_error_is_the_one_object(pointpng, tmp_path):
    process = pointpng("pretrain", "--data", tmp_path / "missing.h5", "--out", tmp_path / "run", "--json")
    assert process.returncode == 2
    told = json.loads(process.stdout)
    assert told["status"] == 2 and "missing.h5" in told["error"]
    assert not (tmp_path / "run").exists()


def test_a_small_shape_that_would_be_held_out_leaves_no_run_either(pointpng, tmp_path):
    (tmp_path / "data").mkdir()
    for i in range(25):
        (tmp_path / "data" / f"{i}.xyz").write_text(rows(GOOD[:20] * (1 + i)))
    refused(pointpng("pretrain", "--data", tmp_path / "data", "--out", tmp_path / "run", *TINY), "20 points")
    assert not (tmp_path / "run").exists()


def test_sources_without_shapes(pointpng, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "readme.md").write_text("no clouds here")
    for source in (tmp_path / "missing", tmp_path / "empty", tmp_path / "other", "procedural:none", "procedural:0"):
        refused(pointpng("pretrain", "--data", source, "--out", tmp_path / "run", *TINY), str(source))
    refused(pointpng("pretrain", "--out", tmp_path / "run", *TINY), "--data")
    assert not (tmp_path / "run").exists()


def test_places_that_can_not_be_written(pointpng, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for out in (tmp_path / "file", tmp_path / "file" / "run", "/proc/pointpng-run"):
        refused(pointpng("pretrain", "--data", "procedural:4", "--out", out, *TINY, "--epochs", 1), str(out))
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(pointpng, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(pointpng("pretrain", "--data", "procedural:4", "--out", tmp_path / "locked" / "run", *TINY), "locked")


SETTINGS = {
    "train.loss.betta=0.5": "betta",
    "loss=1": "loss",
    "train.loss=1": "train.loss",
    "train.loss.beta": "NAME=VALUE",
    "train.loss.beta=much": "much",
    "train.batch=2.5": "2.5",
    "train.batch=true": "true",
    "train.views.same_points=1": "same_points",
    'model.channels=["a"]': "channels",
    "model.channels=4": "channels",
    "a~b=1": "a~b",
    "~=1": "~",
    "=1": "setting",
    "train.loss.beta=1.5": "beta",
    "train.batch=0": "batch",
    "model.heads=3": "heads",
    "model.patches=100000": "patches",
    "model.channels=[4]": "channels",
    "model.backbone=resnet": "transformer, equivariant",
}


OPTIONS = [
    ("--preset", "huge"), ("--epochs", 0), ("--epochs", "inf"), ("--epochs", "nan"), ("--minutes", -1),
    ("--batch", 0), ("--predictor", "oracle"), ("--learning-rate", -1), ("--mask-ratio", 1), ("--workers", 0),
    ("--held-out", 0.9), ("--seed", "x"),
]


@pytest.fixture(scope="module")
def training_with_options(pointpng, tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    start = ("pretrain", "--data", "procedural:4", "--out", folder / "run")
    calls = {options: (*start, *options) for options in OPTIONS}
    calls |= {setting: (*start, *TINY, "--set", setting) for setting in SETTINGS}
    return folder, all_at_once(pointpng, calls)


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_that_make_no_sense(training_with_options, setting):
    folder, processes = training_with_options
    refused(processes[setting], SETTINGS[setting])
    assert not (folder / "run").exists()


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "=".join(map(str, options)))
def test_options_that_make_no_sense(training_with_options, options):
    folder, processes = training_with_options
    refused(processes[options])
    assert not (folder / "run").exists()


@pytest.fixture(scope="module")
def model(pointpng, tmp_path_factory):
    run = tmp_path_factory.mktemp("bad") / "run"
    process = pointpng("pretrain", "--data", "procedural:8", "--out", run, *TINY, "--epochs", 1)
    assert process.returncode == 0, process.stderr
    return run / "model.safetensors"


def rewritten(model, path, tensors=None, **metadata):
    """The model with some of its tensors or metadata changed; None removes one."""
    kept = tensors_of(model) | (tensors or {})
    kept = {name: tensor for name, tensor in kept.items() if tensor is not None}
    about = {name: text for name, text in (metadata_of(model) | metadata).items() if text is not None}
    save_file(kept, path, metadata=about)
    return path


def test_what_python_wrote_is_read(pointpng, model, tmp_path):
    copy = rewritten(model, tmp_path / "copy.safetensors")
    assert pointpng("model", "info", copy).returncode == 0


def test_a_shipped_model_is_known_by_its_name(pointpng):
    shown = json.loads(pointpng("model", "info", "object", "--json").stdout)
    assert shown["config"]["predictor"] == "wigner" and os.path.basename(shown["file"]) == "object.safetensors"
    refused(pointpng("model", "info", "objects"), "'objects' is neither a file nor a shipped model", "object, paper")


def broken_models(model, folder):
    content = model.read_bytes()
    some = next(name for name, tensor in tensors_of(model).items() if tensor.ndim == 2)
    config = json.loads(metadata_of(model)["config"])

    def raw(name, data):
        (folder / name).write_bytes(data)
        return folder / name

    def header(name, entries):
        text = json.dumps(entries).encode()
        return raw(name, struct.pack("<Q", len(text)) + text + b"\0" * 16)

    about = {"__metadata__": metadata_of(model)}
    yield raw("empty", b""), "too short"
    yield raw("short", content[:5]), "too short"
    yield raw("cut", content[:-10]), "cut off"
    yield raw("cut-header", content[:100]), "cut off"
    yield raw("lying", struct.pack("<Q", 2**62) + content[8:]), "cut off"
    yield raw("text", b"this is a shopping list, not a model"), "safetensors"
    yield header("list", []), "JSON"
    yield header("huge", about | {some: {"dtype": "F32", "shape": [10**9, 10**9], "data_offsets": [0, 16]}}), some
    yield header("negative", about | {some: {"dtype": "F32", "shape": [-2, -2], "data_offsets": [0, 16]}}), some
    yield header("outside", about | {some: {"dtype": "F32", "shape": [8], "data_offsets": [0, 32]}}), some
    yield header("backwards", about | {some: {"dtype": "F32", "shape": [0], "data_offsets": [16, 0]}}), some
    yield header("type", about | {some: {"dtype": "F99", "shape": [4], "data_offsets": [0, 16]}}), some
    yield header("entry", about | {some: 7}), some
    yield rewritten(model, folder / "version", format_version="2"), "version '2'"
    yield rewritten(model, folder / "format", format=None), "not written by pointpng"
    yield rewritten(model, folder / "kind", kind="encoder"), "encoder"
    yield rewritten(model, folder / "config", config="{"), "config"
    yield rewritten(model, folder / "types", config=json.dumps(config | {"width": "wide"})), "config"
    yield rewritten(model, folder / "wider", config=json.dumps(config | {"width": 128})), "another architecture"
    yield rewritten(model, folder / "giant", config=json.dumps(config | {"width": 2**40})), "1048576"
    yield rewritten(model, folder / "other", config=json.dumps(config | {"backbone": "transformer"})), "architecture"
    yield rewritten(model, folder / "missing", tensors={some: None}), some
    yield rewritten(model, folder / "shape", tensors={some: numpy.zeros((2, 2), "float32")}), some
    yield folder / "nowhere", "nowhere"
    yield folder, str(folder)


def test_models_that_are_none(pointpng, model, tmp_path):
    expected = dict(broken_models(model, tmp_path))
    processes = all_at_once(pointpng, {path: ("model", "info", path) for path in expected})
    for path, words in expected.items():
        refused(processes[path], path.name, words)


def test_commands_that_take_a_model_refuse_as_well(pointpng, model, tmp_path):
    (tmp_path / "cut").write_bytes(model.read_bytes()[:-10])
    refused(pointpng("eval", "equivariance", "--model", tmp_path / "cut", "--data", "procedural:4"), "cut off")
    refused(pointpng("pretrain", "--data", "procedural:4", "--out", tmp_path / "run", *TINY, "--init",
                     tmp_path / "cut"), "cut off")
    other = rewritten(model, tmp_path / "v2", format_version="2")
    refused(pointpng("pretrain", "--data", "procedural:4", "--out", tmp_path / "run", *TINY, "--init", other), "v2")
    refused(pointpng("pretrain", "--data", "procedural:4", "--out", tmp_path / "run", "--init", model),
            "same preset")  # the model is tiny, the run small
    checkpoint = model.parent / "checkpoint.safetensors"
    refused(pointpng("model", "info", checkpoint), "checkpoint")
    assert not (tmp_path / "run").exists()


def test_evaluation_refuses_what_can_not_be_embedded(pointpng, model, tmp_path):
    for name in ("few.xyz", "equal.xyz", "nan.xyz", "lying.ply"):
        (tmp_path / name).write_bytes(CLOUDS[name])
        refused(pointpng("eval", "equivariance", "--model", model, "--data", tmp_path / name), name)


def test_some_broken_shapes_of_many_are_named_and_skipped(pointpng, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "good.xyz").write_text(rows(GOOD))
    for name in ("empty.xyz", "equal.xyz", "lying.ply"):
        (tmp_path / "data" / name).write_bytes(CLOUDS[name])
    process = pointpng("pretrain", "--data", tmp_path / "data", "--out", tmp_path / "run", *TINY, "--epochs", 1,
                       "--batch", 2)
    assert process.returncode == 0, process.stderr
    for name in ("empty.xyz", "equal.xyz", "lying.ply"):
        assert name in process.stderr
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["shapes"]["train"] == 1


def test_a_report_needs_a_run(pointpng, tmp_path):
    refused(pointpng("report", tmp_path), str(tmp_path))
    refused(pointpng("report", tmp_path / "missing"), "missing")
    assert list(tmp_path.iterdir()) == []
