"""Measures a model file with one thread and with more, prints a table, and draws it.

    pip install matplotlib
    python3 plot_local.py --localbench PATH --model FILE.gguf --python PYTHON --out threads.svg

PATH is the built `localbench`, PYTHON has `xllamacpp` and `gguf`. With one thread the time is the
processor's, with more the clock's on the wall; llama.cpp is measured in turns with Espalier.
"""

import argparse
import re
import subprocess

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "threads"
from matplotlib import pyplot  # noqa: E402

LINE = re.compile(r"^(Espalier|llama\.cpp): prompt (\S+) tokens/s, decode (\S+) tokens/s", re.M)


def measure(arguments, threads):
    command = [arguments.localbench, "--model", arguments.model, "--threads", str(threads)]
    command += ["--rounds", str(arguments.rounds), "--python", arguments.python]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: (float(prompt), float(decode)) for name, prompt, decode in LINE.findall(output)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--localbench", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    results = {threads: measure(arguments, threads) for threads in arguments.threads}
    print("threads  engine     prompt tokens/s  decode tokens/s")
    for threads, engines in results.items():
        for name, (prompt, decode) in engines.items():
            print(f"{threads:7}  {name:9}  {prompt:15.0f}  {decode:15.1f}")
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.2))
    for place, (axis, title) in enumerate(zip(axes, ["prompt", "decoding"])):
        for name in ["Espalier", "llama.cpp"]:
            speeds = [results[threads][name][place] for threads in arguments.threads]
            axis.plot(arguments.threads, speeds, marker="o", label=name)
        axis.set_xticks(arguments.threads)
        axis.set_xlabel("threads")
        axis.set_ylim(bottom=0)
        axis.set_title(f"{title}, tokens/s", fontsize=10)
        axis.grid(True, alpha=0.3)
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(arguments.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
