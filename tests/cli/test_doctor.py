import json
import os


def test_tells_about_the_machine(pointpng):
    process = pointpng("doctor", "--json")
    assert process.returncode == 0, process.stderr
    found = json.loads(process.stdout)
    assert found["ok"] is True and found["problems"] == []
    assert found["libtorch"]["version"] and os.path.exists(found["libtorch"]["library"])
    assert found["blas"]["kind"] != "unknown"
    assert found["matrix_product_gflops"] > 0
    assert found["cores"] == len(os.sched_getaffinity(0)) or found["cores"] < os.cpu_count()
    assert found["memory_bytes"]["total"] > found["memory_bytes"]["available"] > 0
    assert found["cuda"]["usable"] or found["cuda"]["reason"]


def test_computes_with_every_core_or_as_many_as_asked_for(pointpng):
    found = json.loads(pointpng("doctor", "--json").stdout)
    assert found["threads"] == found["cores"]
    assert json.loads(pointpng("doctor", "--json", "--threads", 1).stdout)["threads"] == 1


def test_text_for_people(pointpng):
    process = pointpng("doctor")
    assert process.returncode == 0
    for name in ("LibTorch", "BLAS", "GFLOPS", "memory"):
        assert name in process.stdout


def test_a_folder_for_temporary_files_that_is_missing_is_a_problem(pointpng, tmp_path):
    process = pointpng("doctor", "--json", env={**os.environ, "TMPDIR": str(tmp_path / "missing")})
    assert process.returncode == 1
    found = json.loads(process.stdout)
    assert found["ok"] is False and "TMPDIR" in found["problems"][0]


def test_cuda_without_a_device_says_why(pointpng):
    if json.loads(pointpng("doctor", "--json").stdout)["cuda"]["usable"]:
        assert pointpng("doctor", "--device", "cuda").returncode == 0
    else:
        process = pointpng("doctor", "--device", "cuda")
        assert process.returncode == 2 and "device cuda" in process.stderr
