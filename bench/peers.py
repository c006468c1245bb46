#!/usr/bin/env python3
"""Compares our poses with those of other methods: same pairs, same run, same cores.

    pip install -r bench/requirements.txt
    pointpng eval pose --data test.h5 --protocol view --save-pairs view
    bench/peers.py view [more folders] [--threads 1] [--plots plots] [--json]

Every method is configured as well as we know how: lengths follow from the point spacing, normals point away from the
centroid (FPFH does much worse with normals of random sign), and each result is refined by the same ICP.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from cores import use_cores

ROOT = pathlib.Path(__file__).resolve().parents[1]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders with pairs.json")
    parser.add_argument("--threads", type=int, default=1, help="cores for every method [1]")
    parser.add_argument("--methods", default="", help="only methods whose names start so: ours,FGR,…")
    parser.add_argument("--model", default="", help="for pointpng [the shipped one]")
    parser.add_argument("--pointpng", default="", help="the program [install/bin/pointpng]")
    parser.add_argument("--plots", type=pathlib.Path, help="write SVG plots (success rate over time) to this folder")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args()


options = parse_arguments() if __name__ == "__main__" else argparse.Namespace(threads=1)
if __name__ == "__main__":
    use_cores(options.threads)

import numpy as np  # noqa: E402
import open3d as o3d  # noqa: E402
from scipy.spatial import cKDTree  # noqa: E402

registration = o3d.pipelines.registration
o3d.utility.set_verbosity_level(o3d.utility.VerbosityLevel.Error)
MAX_POINTS = 2500  # larger clouds are downsampled first, as is common


# Clouds ----------------------------------------------------------------------------------------------------------


class Cloud:
    """Points and what the methods need to know about them."""

    def __init__(self, points):
        size = 0.02 * np.linalg.norm(points - points.mean(0), axis=1).max()
        full, cloud = to_open3d(points), to_open3d(points)
        while len(cloud.points) > MAX_POINTS:
            cloud, size = full.voxel_down_sample(size), size * 1.25
        self.open3d, self.points = cloud, np.asarray(cloud.points)
        self.centroid = self.points.mean(0)
        self.tree = cKDTree(self.points)
        self.spacing = self.tree.query(self.points, k=2)[0][:, 1].mean()
        self.radius = np.linalg.norm(self.points - self.centroid, axis=1).max()

    def with_normals(self):
        cloud = o3d.geometry.PointCloud(self.open3d)
        cloud.estimate_normals(o3d.geometry.KDTreeSearchParamKNN(16))
        normals = np.asarray(cloud.normals)
        outwards = np.sign(np.einsum("ij,ij->i", normals, self.points - self.centroid))
        cloud.normals = o3d.utility.Vector3dVector(normals * np.where(outwards == 0, 1, outwards)[:, None])
        return cloud


def to_open3d(points):
    return o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points.astype(float)))


def spacing_of(source, target):
    return max(source.spacing, target.spacing)


def motion(rotation, translation):
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, translation
    return result


# Refinement, the same for every method ---------------------------------------------------------------------------


def icp(source, target, start, reach, iterations=50):
    criteria = registration.ICPConvergenceCriteria(1e-7, 1e-7, iterations)
    estimation = registration.TransformationEstimationPointToPoint()
    return registration.registration_icp(
        source, target, reach, start, estimation, criteria).transformation


def refined(source, target, start):
    """Two passes with decreasing match distance, so that non-overlapping parts do not pull on the result."""
    spacing = spacing_of(source, target)
    coarse = icp(source.open3d, target.open3d, start, 6 * spacing)
    return icp(source.open3d, target.open3d, coarse, 3 * spacing)


def misfit(source, target, transform):
    """Mean distance in both directions, truncated at three spacings."""
    most = 3 * spacing_of(source, target)
    there = source.points @ transform[:3, :3].T + transform[:3, 3]
    back = (target.points - transform[:3, 3]) @ transform[:3, :3]
    return (np.minimum(target.tree.query(there)[0], most).mean()
            + np.minimum(source.tree.query(back)[0], most).mean())


def best_of(source, target, transforms):
    return min(transforms, key=lambda transform: misfit(source, target, transform))


# Methods: from two clouds to target_from_source ------------------------------------------------------------------


def features(source, target):
    radius = 9 * spacing_of(source, target)  # about a quarter of the object's radius
    parameters = o3d.geometry.KDTreeSearchParamHybrid(radius=radius, max_nn=100)
    clouds = source.with_normals(), target.with_normals()
    return clouds, [registration.compute_fpfh_feature(cloud, parameters) for cloud in clouds]


def fpfh_ransac(source, target):
    (a, b), (features_a, features_b) = features(source, target)
    o3d.utility.random.seed(1)
    reach = 2.5 * spacing_of(source, target)
    checks = [registration.CorrespondenceCheckerBasedOnEdgeLength(0.9),
              registration.CorrespondenceCheckerBasedOnDistance(reach)]
    found = registration.registration_ransac_based_on_feature_matching(
        a, b, features_a, features_b, True, reach, registration.TransformationEstimationPointToPoint(False), 3,
        checks, registration.RANSACConvergenceCriteria(50000, 0.999))
    return refined(source, target, found.transformation)


def fgr(source, target):
    (a, b), (features_a, features_b) = features(source, target)
    reach = 2.5 * spacing_of(source, target)
    option = registration.FastGlobalRegistrationOption(maximum_correspondence_distance=reach)
    found = registration.registration_fgr_based_on_feature_matching(a, b, features_a, features_b, option)
    return refined(source, target, found.transformation)


def kiss_matcher(source, target):
    import kiss_matcher as kiss

    matcher = kiss.KISSMatcher(kiss.KISSMatcherConfig(2 * spacing_of(source, target)))
    found = matcher.estimate(source.points.astype(np.float32), target.points.astype(np.float32))
    return refined(source, target, motion(np.array(found.rotation), np.array(found.translation).ravel()))


def pca_flips(source, target):
    """Principal axes are known up to their signs; four of the eight combinations are rotations."""
    axes = [np.linalg.svd(cloud.points - cloud.centroid, full_matrices=False)[2] for cloud in (source, target)]
    found = []
    for signs in np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T:
        rotation = axes[1].T @ np.diag(signs) @ axes[0]
        if np.linalg.det(rotation) > 0:
            start = motion(rotation, target.centroid - rotation @ source.centroid)
            found.append(refined(source, target, start))
    return best_of(source, target, found)


def spread_rotations(count):
    """Nearly uniform over SO(3): super-Fibonacci spirals (Alexa 2022)."""
    s = np.arange(count) + 0.5
    r, big = np.sqrt(s / count), np.sqrt(1 - s / count)
    alpha, beta = 2 * np.pi * s / np.sqrt(2), 2 * np.pi * s / 1.533751168755204288118041
    x, y, z, w = r * np.sin(alpha), r * np.cos(alpha), big * np.sin(beta), big * np.cos(beta)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, -1).reshape(-1, 3, 3)


def icp_many_starts(source, target, starts=72, sample=256, finalists=6):
    step = max(1, len(source.points) // sample)
    few = to_open3d(source.points[::step])
    reach, found = 0.5 * max(source.radius, target.radius), []
    for rotation in spread_rotations(starts):
        start = motion(rotation, target.centroid - rotation @ source.centroid)
        found.append(icp(few, target.open3d, start, reach, 12))
    found.sort(key=lambda transform: misfit(source, target, transform))
    return best_of(source, target, [refined(source, target, transform) for transform in found[:finalists]])


PEERS = {
    "PCA x 4 flips + ICP": pca_flips,
    "FPFH-RANSAC + ICP": fpfh_ransac,
    "FGR + ICP": fgr,
    "KISS-Matcher + ICP": kiss_matcher,
    "ICP x 72 starts": icp_many_starts,
}
OURS = "ours"


# Measuring -------------------------------------------------------------------------------------------------------


def read_pairs(folder):
    for entry in json.loads((folder / "pairs.json").read_text()):
        source, target = (np.asarray(o3d.io.read_point_cloud(str(folder / entry[side])).points)
                          for side in ("source", "target"))
        yield source, target, np.array(entry["target_from_source"]).reshape(4, 4)


def rotation_error_deg(estimated, truth):
    difference = np.linalg.norm(estimated[:3, :3] - truth[:3, :3])
    return np.degrees(2 * np.arcsin(min(1, difference / (2 * np.sqrt(2)))))


def on_surface(points, estimated, truth):
    """As in `pointpng eval pose`: mean distance below the point spacing plus 2 % of the radius."""
    astray = np.linalg.inv(truth) @ estimated
    tree, some = cKDTree(points), points[::max(1, len(points) // 1024)]
    radius = np.linalg.norm(points - points.mean(0), axis=1).max()
    distance = tree.query(some @ astray[:3, :3].T + astray[:3, 3])[0].mean()
    return distance < tree.query(some, k=2)[0][:, 1].mean() + 0.02 * radius


def run_peer(method, pairs):
    errors, surface, milliseconds, processor, failures = [], [], [], [], 0
    for source, target, truth in pairs:
        start, cpu_start = time.perf_counter(), time.process_time()
        try:
            estimated = method(Cloud(source), Cloud(target))
        except RuntimeError:
            estimated, failures = np.full((4, 4), np.nan), failures + 1
        milliseconds.append(1e3 * (time.perf_counter() - start))
        processor.append(1e3 * (time.process_time() - cpu_start))
        found = np.isfinite(estimated).all()
        errors.append(rotation_error_deg(estimated, truth) if found else 180.0)
        surface.append(bool(found and on_surface(source, estimated, truth)))
    errors = np.array(errors)
    return {"pairs": len(pairs), "rejected": failures,
            "rotation_deg": {"mean": errors.mean(), "median": float(np.median(errors)), "max": errors.max()},
            "success": {"5deg": float((errors < 5).mean()), "15deg": float((errors < 15).mean())},
            "surface_ok": float(np.mean(surface)),
            "ms_per_pair": {"total": float(np.mean(milliseconds)), "median": float(np.median(milliseconds)),
                            "cpu": float(np.mean(processor))}}


def run_ours(folder):
    program = options.pointpng or str(ROOT / "install" / "bin" / "pointpng")
    program = program if os.path.exists(program) else shutil.which("pointpng") or program
    command = [program, "eval", "pose", "--pairs-dir", str(folder), "--threads", str(options.threads), "--device",
               "cpu", "--quiet", "--json"]
    command += ["--model", options.model] if options.model else []
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout)


def wanted(name):
    asked = [part.strip().lower() for part in options.methods.split(",") if part.strip()]
    return not asked or any(name.lower().startswith(part) for part in asked)


def measure(folder):
    pairs, results = list(read_pairs(folder)), {}
    if wanted(OURS):
        results[OURS] = run_ours(folder)
    for name, method in PEERS.items():
        if wanted(name):
            print(f"{folder.name}: {name}", file=sys.stderr)
            run_peer(method, pairs[:1])  # warm-up
            results[name] = run_peer(method, pairs)
    return results


# Output ----------------------------------------------------------------------------------------------------------


def table(results):
    ours = results.get(OURS, {}).get("ms_per_pair", {}).get("total")
    lines = [f"{'method':<22} {'<5° %':>7} {'<15° %':>7} {'median°':>8} {'surface %':>10} {'ms':>8} {'CPU ms':>8} "
             f"{'x ours':>7}"]
    for name, result in results.items():
        milliseconds = result["ms_per_pair"]["total"]
        ratio = f"{milliseconds / ours:7.1f}" if ours else "      -"
        lines.append(f"{name:<22} {100 * result['success']['5deg']:7.1f} {100 * result['success']['15deg']:7.1f} "
                     f"{result['rotation_deg']['median']:8.2f} {100 * result['surface_ok']:10.1f} "
                     f"{milliseconds:8.1f} {result['ms_per_pair']['cpu']:8.1f} {ratio}")
    return "\n".join(lines)


def plot(results, title):
    """Share within 5° over time per pair (logarithmic): top left is best."""
    width, height, left, bottom, top, right = 640, 400, 60, 50, 40, 150
    times = [result["ms_per_pair"]["total"] for result in results.values()]
    low, high = np.floor(np.log10(min(times))), np.ceil(np.log10(max(times)) + 1e-9)
    across = lambda ms: left + (np.log10(ms) - low) / max(high - low, 1) * (width - left - right)  # noqa: E731
    up = lambda share: height - bottom - share * (height - bottom - top)  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="12"><rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="22" font-size="15">{title}</text>',
             f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">'
             f'ms per pair, {options.threads} core{"s" if options.threads > 1 else ""}</text>',
             f'<text transform="translate(16 {height / 2}) rotate(-90)" text-anchor="middle">within 5°, %</text>']
    for share in np.linspace(0, 1, 6):
        parts.append(f'<path d="M{left} {up(share):.1f}H{width - right}" stroke="#ddd"/><text x="{left - 8}" '
                     f'y="{up(share) + 4:.1f}" text-anchor="end">{100 * share:.0f}</text>')
    for power in np.arange(low, high + 1):
        x = across(10 ** power)
        parts.append(f'<path d="M{x:.1f} {top}V{height - bottom}" stroke="#ddd"/><text x="{x:.1f}" '
                     f'y="{height - bottom + 18}" text-anchor="middle">{10 ** power:g}</text>')
    for name, result in results.items():
        x, y = across(result["ms_per_pair"]["total"]), up(result["success"]["5deg"])
        colour = "#d1495b" if name == OURS else "#30638e"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}"/>'
                     f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{name}</text>')
    return "\n".join(parts) + "</svg>\n"


def main():
    results = {}
    for folder in options.folders:
        results[folder.name] = measure(folder)
        if not options.json:
            print(f"\n{folder.name}, {options.threads} core{'s' if options.threads > 1 else ''}\n"
                  f"{table(results[folder.name])}", flush=True)
        if options.plots:
            options.plots.mkdir(parents=True, exist_ok=True)
            (options.plots / f"{folder.name}.svg").write_text(plot(results[folder.name], folder.name))
    if options.json:
        print(json.dumps({"threads": options.threads, "folders": results}, indent=1))


if __name__ == "__main__":
    main()
