"""Draws how long masks take, for each engine: the share of masks that are done after a time.

    pip install matplotlib
    python3 plot_masks.py --out masks.svg "this engine=OURS.json" "llguidance=LLGUIDANCE.json"

The results are those of `maskbench` and of other engines in the same form (`mask_ns` of each schema).
Only schemas that all engines compile are counted.
"""

import argparse
import json

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "masks"
from matplotlib import pyplot  # noqa: E402


def read(path):
    with open(path) as file:
        schemas = json.load(file)["schemas"]
    return {s["id"]: s["mask_ns"] for s in schemas if s.get("mask_ns")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    engines = [result.split("=", 1) for result in arguments.results]
    masks = {name: read(path) for name, path in engines}
    shared = set.intersection(*(set(found) for found in masks.values()))
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, found in masks.items():
        times = sorted(ns / 1000 for id in shared for ns in found[id])
        # Two hundred points say as much as all.
        places = [i * (len(times) - 1) // 200 for i in range(201)]
        axes.plot([max(times[i], 0.01) for i in places], [i / len(times) for i in places], label=name)
    axes.set_xscale("log")
    axes.set_xlabel("time for a mask (µs)")
    axes.set_ylabel("share of the masks")
    axes.set_title(f"{len(shared)} schemas, 128,256 tokens", fontsize=10)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(arguments.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
