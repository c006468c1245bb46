#!/usr/bin/env python3
"""Ours beside other methods on real pairs, each of the others at the best of three voxel sizes per pair.

    bench/real_pairs.py REAL/* [--threads 2] [--tolerance lmo=0.1] [--methods FGR,KISS] [--json]

Each folder has a pairs.json (see `pointpng eval pose --pairs-dir`). Right: within 5° and the source's centre (middle of its
box) within 5 % of its radius (99 % of its points are within it). Ours must also accept what it found. The others run with
voxels of 1/20, 1/40 and 1/80 of the source's radius (point pairs 1/10, 1/15, 1/20) and have point-to-plane ICP behind them;
the best of the three is chosen with the truth in hand, and only its time counts. They accept everything they find. OpenCV's
point pair features (cv2.ppf_match_3d) are for folders named *scene* only: a model in a scene. small_gicp starts from the
truth: its error is what refinement alone can reach. Needs bench/requirements.txt.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from cores import use_cores

ROOT = pathlib.Path(__file__).resolve().parents[1]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tolerance", action="append", default=[], metavar="NAME=SHARE",
                        help="of the centre, for pairs whose names start so")
    parser.add_argument("--methods", default="", help="only methods whose names start so: ours,FGR,…")
    parser.add_argument("--pointpng", default=str(ROOT / "install/bin/pointpng"), help="the program [install/bin/pointpng]")
    parser.add_argument("--effort", default="", help="for pointpng [its default]")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args()


options = parse_arguments()
use_cores(options.threads)

import numpy as np  # noqa: E402
import open3d as o3d  # noqa: E402
from scipy.spatial import cKDTree  # noqa: E402

import peers  # noqa: E402

registration = o3d.pipelines.registration


# Pairs -----------------------------------------------------------------------------------------------------------


class Pair:
    def __init__(self, folder, entry):
        self.entry, self.name = entry, entry.get("name", entry["source"])
        self.source, self.target = (np.asarray(o3d.io.read_point_cloud(str(folder / entry[side])).points)
                                    for side in ("source", "target"))
        self.truth = np.array(entry["target_from_source"]).reshape(4, 4)
        self.in_scene = "scene" in folder.name
        self.tolerance = entry.get("centre_tolerance", 0.05)
        for option in options.tolerance:
            start, share = option.split("=")
            if self.name.startswith(start):
                self.tolerance = float(share)
        self.centre = (self.source.min(0) + self.source.max(0)) / 2
        self.radius = np.quantile(np.linalg.norm(self.source - self.centre, axis=1), 0.99)

    def errors(self, estimated):
        """Degrees, and how far the centre is off: length and share of the radius."""
        if estimated is None or not np.isfinite(estimated).all():
            return 180.0, np.inf, np.inf
        at = [motion[:3, :3] @ self.centre + motion[:3, 3] for motion in (estimated, self.truth)]
        off = float(np.linalg.norm(at[0] - at[1]))
        return float(peers.rotation_error_deg(estimated, self.truth)), off, off / self.radius


def read_pairs(folder):
    return [Pair(folder, entry) for entry in json.loads((folder / "pairs.json").read_text())]


# The others: from a pair and a voxel size to target_from_source -----------------------------------------------------


def downsampled(points, voxel, locally_oriented):
    """With normals that point away from the centroid of the cloud or, in a scene, of the surroundings."""
    cloud = peers.to_open3d(points).voxel_down_sample(voxel)
    cloud.estimate_normals(o3d.geometry.KDTreeSearchParamHybrid(radius=2.5 * voxel, max_nn=30))
    places, normals = np.asarray(cloud.points), np.asarray(cloud.normals)
    if locally_oriented:
        tree = cKDTree(places)
        inside = np.stack([places[near].mean(0) for near in tree.query_ball_point(places, 6 * voxel)])
    else:
        inside = places.mean(0)
    outwards = np.sign(np.einsum("ij,ij->i", normals, places - inside))
    cloud.normals = o3d.utility.Vector3dVector(normals * np.where(outwards == 0, 1, outwards)[:, None])
    return cloud


def refined(source, target, start, voxel):
    """Point-to-plane ICP in two passes."""
    for reach in (3 * voxel, 1.5 * voxel):
        start = registration.registration_icp(
            source, target, reach, start, registration.TransformationEstimationPointToPlane(),
            registration.ICPConvergenceCriteria(1e-7, 1e-7, 50)).transformation
    return start


def with_features(pair, voxel):
    clouds = [downsampled(points, voxel, pair.in_scene) for points in (pair.source, pair.target)]
    search = o3d.geometry.KDTreeSearchParamHybrid(radius=5 * voxel, max_nn=100)
    return clouds, [registration.compute_fpfh_feature(cloud, search) for cloud in clouds]


def fpfh_ransac(pair, voxel):
    (a, b), (features_a, features_b) = with_features(pair, voxel)
    o3d.utility.random.seed(1)
    reach = 1.5 * voxel
    checks = [registration.CorrespondenceCheckerBasedOnEdgeLength(0.9),
              registration.CorrespondenceCheckerBasedOnDistance(reach)]
    found = registration.registration_ransac_based_on_feature_matching(
        a, b, features_a, features_b, not pair.in_scene, reach,
        registration.TransformationEstimationPointToPoint(False), 3, checks,
        registration.RANSACConvergenceCriteria(400000, 0.999))
    return refined(a, b, found.transformation, voxel)


def fgr(pair, voxel):
    (a, b), (features_a, features_b) = with_features(pair, voxel)
    option = registration.FastGlobalRegistrationOption(maximum_correspondence_distance=1.5 * voxel)
    found = registration.registration_fgr_based_on_feature_matching(a, b, features_a, features_b, option)
    return refined(a, b, found.transformation, voxel)


def kiss_matcher(pair, voxel):
    """It has bounds in metres, for LiDAR: the clouds are scaled to its usual voxels of 0.3 m."""
    import kiss_matcher as kiss

    scale = 0.3 / voxel
    found = kiss.KISSMatcher(kiss.KISSMatcherConfig(0.3)).estimate(
        (scale * pair.source).astype(np.float32), (scale * pair.target).astype(np.float32))
    clouds = [downsampled(points, voxel, False) for points in (pair.source, pair.target)]
    start = peers.motion(np.array(found.rotation), np.array(found.translation).ravel() / scale)
    return refined(*clouds, start, voxel)


def point_pairs(pair, voxel):
    """OpenCV's surface matching (Drost et al. 2010); the best of its poses by how much of the model lies on the scene."""
    import cv2

    clouds = [downsampled(points, voxel, True) for points in (pair.source, pair.target)]
    model, scene = (np.hstack([np.asarray(cloud.points), np.asarray(cloud.normals)]).astype(np.float32)
                    for cloud in clouds)
    diameter = 2 * pair.radius
    detector = cv2.ppf_match_3d_PPF3DDetector(voxel / diameter, voxel / diameter)
    detector.trainModel(model)
    found = detector.match(scene, 1 / 10, voxel / diameter)[:8]
    tree = cKDTree(np.asarray(clouds[1].points))

    def fitting(motion):
        moved = np.asarray(clouds[0].points) @ motion[:3, :3].T + motion[:3, 3]
        return (tree.query(moved, distance_upper_bound=voxel)[0] < voxel).mean()

    poses = [refined(*clouds, np.array(candidate.pose), voxel) for candidate in found]
    return max(poses, key=fitting) if poses else None


def small_gicp_from_truth(pair, voxel):
    import small_gicp

    return small_gicp.align(pair.target, pair.source, init_T_target_source=pair.truth, registration_type="GICP",
                            downsampling_resolution=voxel / 2, max_correspondence_distance=2 * voxel,
                            num_threads=options.threads).T_target_source


OURS, FROM_TRUTH, IN_SCENES = "ours", "small_gicp from the truth", "point pairs (OpenCV) + ICP"
OTHERS = {"FPFH-RANSAC + ICP": fpfh_ransac, "FGR + ICP": fgr, "KISS-Matcher + ICP": kiss_matcher, IN_SCENES: point_pairs,
          FROM_TRUTH: small_gicp_from_truth}


# Voxels as parts of the source's radius. Point pairs get the steps that OpenCV suggests, 0.05 to 0.025 of the diameter: with
# finer ones a scene takes many minutes.
PARTS, PARTS_OF_POINT_PAIRS = (20, 40, 80), (10, 15, 20)


# Measuring -------------------------------------------------------------------------------------------------------


def judged(pair, estimated, cpu_ms, accepted=True, note=""):
    degrees, off, share = pair.errors(estimated)
    return {"name": pair.name, "right": bool(degrees < 5 and share < pair.tolerance), "accepted": accepted,
            "rotation_deg": degrees, "centre": off, "centre_share": share, "cpu_ms": cpu_ms, "note": note,
            "truth": pair.entry.get("gt", "")}


def best_of_sizes(method, pair):
    results = []
    for part in PARTS_OF_POINT_PAIRS if method is point_pairs else PARTS:
        voxel = float(pair.radius / part)
        start = time.process_time()
        try:
            estimated = method(pair, voxel)
        except RuntimeError as problem:
            estimated = None
            print(f"{pair.name}: {problem}", file=sys.stderr)
        results.append(judged(pair, estimated, 1e3 * (time.process_time() - start), note=f"r/{part}"))
    return min(results, key=lambda result: max(result["rotation_deg"] / 5, result["centre_share"] / pair.tolerance))


def run_ours(folder, pairs):
    """The command that users call; CPU time is that of `eval pose`, which does not count reading files."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        entries = [pair.entry | {"centre_tolerance": pair.tolerance} for pair in pairs]
        for entry in entries:
            for side in ("source", "target"):
                (place / entry[side]).symlink_to((folder / entry[side]).resolve())
        (place / "pairs.json").write_text(json.dumps(entries))
        command = [options.pointpng, "eval", "pose", "--pairs-dir", str(place), "--threads", str(options.threads),
                   "--device", "cpu", "--quiet", "--json", "--rows", str(place / "rows.jsonl")]
        command += ["--effort", options.effort] if options.effort else []
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        rows = [json.loads(line) for line in (place / "rows.jsonl").read_text().splitlines()]
    return [{"name": pair.name, "right": row["right"], "accepted": row["accepted"], "rotation_deg": row["rotation_deg"],
             "centre": row["centre_offset"] * pair.radius, "centre_share": row["centre_offset"], "cpu_ms": row["cpu_ms"],
             "note": row["reason"], "truth": pair.entry.get("gt", "")} for pair, row in zip(pairs, rows)]


def wanted(name):
    asked = [part.strip().lower() for part in options.methods.split(",") if part.strip()]
    return not asked or any(name.lower().startswith(part) for part in asked)


def measure(folder):
    pairs, results = read_pairs(folder), {}
    if wanted(OURS):
        results[OURS] = run_ours(folder, pairs)
    for name, method in OTHERS.items():
        if wanted(name) and (name != IN_SCENES or pairs[0].in_scene):
            print(f"{folder.name}: {name}", file=sys.stderr)
            results[name] = [best_of_sizes(method, pair) for pair in pairs]
    return results


# Output ----------------------------------------------------------------------------------------------------------


def cell(result):
    verdict = ("right" if result["right"] else "wrong") if result["accepted"] else (
        "right, rejected" if result["right"] else "rejected")
    return f"{verdict} {result['rotation_deg']:.2f}° {100 * min(result['centre_share'], 9.99):.1f} %"


def pair_table(results):
    names = [result["name"] for result in next(iter(results.values()))]
    lines = ["| pair | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for i, name in enumerate(names):
        lines.append(f"| {name} | " + " | ".join(cell(column[i]) for column in results.values()) + " |")
    return "\n".join(lines)


def summary(folders):
    """By group: accepted and right / accepted and wrong / right, but rejected; CPU time."""
    methods = list(dict.fromkeys(name for results in folders.values() for name in results if name != FROM_TRUTH))
    lines = ["| group | pairs | " + " | ".join(methods) + " |", "|---|---|" + "---|" * len(methods)]
    for group, results in [*folders.items(), ("all", {})]:
        row = []
        for method in methods:
            parts = results.get(method) if results else sum((part.get(method, []) for part in folders.values()), [])
            if not parts:
                row.append("–")
                continue
            right = sum(part["right"] and part["accepted"] for part in parts)
            wrong = sum(not part["right"] and part["accepted"] for part in parts)
            lost = sum(part["right"] and not part["accepted"] for part in parts)
            row.append(f"{right} / {wrong} / {lost} · {np.mean([part['cpu_ms'] for part in parts]):.0f} ms")
        count = max((len(part) for part in (results or {"": sum((next(iter(f.values())) for f in folders.values()), [])})
                     .values()), default=0)
        lines.append(f"| {group} | {count} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def precision(folders):
    """Where ours is right and the truth is published: our error beside that of small_gicp started from the truth."""
    both = [(ours, theirs) for results in folders.values() if OURS in results and FROM_TRUTH in results
            for ours, theirs in zip(results[OURS], results[FROM_TRUTH]) if ours["right"] and ours["truth"] == "published"]
    if not both:
        return ""
    lines = ["| pair | ours | small_gicp from the truth |", "|---|---|---|"]
    for ours, theirs in both:
        lines.append(f"| {ours['name']} | {ours['rotation_deg']:.2f}° {ours['centre']:.4g} | {theirs['rotation_deg']:.2f}° "
                     f"{theirs['centre']:.4g} |")
    ratio = [np.median([ours[key] / max(theirs[key], 1e-9) for ours, theirs in both]) for key in ("rotation_deg", "centre")]
    return "\n".join(lines) + f"\n\nmedian ratio of the errors: rotation {ratio[0]:.2f}, centre {ratio[1]:.2f}"


def main():
    folders = {}
    for folder in options.folders:
        if not (folder / "pairs.json").exists():
            continue
        folders[folder.name] = measure(folder)
        if not options.json:
            print(f"\n{folder.name}\n\n{pair_table(folders[folder.name])}", flush=True)
    if not folders:
        raise SystemExit("none of the folders has a pairs.json")
    if options.json:
        print(json.dumps({"threads": options.threads, "folders": folders}, indent=1))
    else:
        print(f"\naccepted and right / accepted and wrong / right, but rejected · mean CPU time of the size that was chosen\n\n"
              f"{summary(folders)}\n\n{precision(folders)}")


if __name__ == "__main__":
    main()
