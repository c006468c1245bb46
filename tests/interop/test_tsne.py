"""t-SNE and PCA against scikit-learn's, on the same items."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import squareform
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from sklearn.manifold import _t_sne as theirs
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

PERPLEXITY = 20
# OpenMP threads that spin while waiting are very slow on a busy machine.
ALONE = {**os.environ, "OMP_NUM_THREADS": "1"}


def clusters(groups, each, seed=0):
    random = np.random.default_rng(seed)
    middles = random.normal(scale=3.0, size=(groups, 1, 10))
    return (middles + random.normal(size=(groups, each, 10))).reshape(-1, 10).astype(np.float32)


@pytest.fixture(scope="module")
def ours():
    """Runs `pointpng_tsne_tool`, which is built beside the tool of the other tests."""
    path = Path(os.environ["POINTPNG_IO_TOOL"]).with_name("pointpng_tsne_tool")

    def call(items, places, **config):
        given = {"items": items.tolist(), "map": places.tolist(), "config": {"perplexity": PERPLEXITY, **config}}
        done = subprocess.run([path], input=json.dumps(given), capture_output=True, text=True, timeout=300, env=ALONE)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


def fitted(items, method, iterations):
    """Scikit-learn's map with our defaults, which are the same."""
    steps = "max_iter" if "max_iter" in TSNE().get_params() else "n_iter"
    tsne = TSNE(perplexity=PERPLEXITY, method=method, init="pca", learning_rate="auto", random_state=0,
                **{steps: iterations})
    with threadpool_limits(1):
        return tsne, tsne.fit_transform(items)


@pytest.mark.parametrize("spread", [0.01, 1.0, 20.0])
def test_the_gradient_is_theirs(ours, spread):
    items = clusters(4, 25)
    places = np.random.default_rng(1).normal(scale=spread, size=(len(items), 2))
    distances = pairwise_distances(items, metric="euclidean", squared=True)
    joint = theirs._joint_probabilities(distances, PERPLEXITY, verbose=0)
    assert squareform(joint).shape == (100, 100)
    divergence, gradient = theirs._kl_divergence(places.ravel(), joint, 1, len(items), 2)
    result = ours(items, places, method="exact", iterations=1)
    assert result["divergence_there"] == pytest.approx(divergence, rel=1e-4)
    difference = np.linalg.norm(np.ravel(result["gradient_there"]) - gradient)
    assert difference < 1e-3 * np.linalg.norm(gradient)


@pytest.mark.parametrize("method, their_method, each", [("exact", "exact", 40), ("barnes-hut", "barnes_hut", 60)])
def test_a_map_is_as_good_as_theirs(ours, method, their_method, each):
    items = clusters(5, each)
    tsne, places = fitted(items, their_method, 400)
    result = ours(items, places, method=method, iterations=400)
    found = np.array(result["map"])
    assert result["divergence"] == pytest.approx(tsne.kl_divergence_, rel=0.05)
    assert trustworthiness(items, found) > trustworthiness(items, places) - 0.02
    assert result["trustworthiness"] == pytest.approx(trustworthiness(items, found), abs=1e-3)
    # Our divergence of their map equals theirs.
    assert result["divergence_there"] == pytest.approx(tsne.kl_divergence_, rel=0.01)


def test_principal_components_are_theirs(ours):
    items = clusters(3, 20)
    pca = PCA(2).fit(items)
    result = ours(items, np.zeros((len(items), 2)), iterations=1)
    assert result["explained"] == pytest.approx(pca.explained_variance_ratio_, rel=1e-4)
    found, expected = np.array(result["pca"]), pca.transform(items)
    for axis in range(2):
        sign = np.sign(np.dot(found[:, axis], expected[:, axis]))
        np.testing.assert_allclose(sign * found[:, axis], expected[:, axis], atol=1e-3)
