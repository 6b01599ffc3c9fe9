#!/usr/bin/env python3
"""Writes itineraries with the travel companion and says how many are what a reader would accept.

    Benchmarks/Scripts/itineraries.py MODEL.gguf [--count 50] [--destination Kyoto] [--days 3] [--show]

Build `travel-companion` first (`swift build --product travel-companion`). Seeds 1 to COUNT, default settings. An
itinerary is fine where

- destination and number of days are what was asked for;
- no field is empty, holds braces, brackets or quotation marks, or repeats a description of the schema;
- nine of ten fields differ from each other;
- no field has a word three times, but for the smallest ones, or four words that begin alike;
- no field has a word of another language (a list of words that English does not have).
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOREIGN = set(
    "los las una unas unos el del y con para por que de di il lo gli della delle und der die das "
    "le les des du et dans avec pour para uma um nos nas".split())


def fields(value):
    """The texts of a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from fields(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("destination", "travelStyle"):
                yield from fields(item)


def descriptions():
    text = (ROOT / "Examples/TravelCompanion/Types/Itinerary.swift").read_text()
    return [found.lower() for found in re.findall(r'description: "([^"]+)"', text)]


def faults(itinerary, destination, days, told):
    texts = list(fields(itinerary))
    plans = itinerary.get("dailyPlans") or []
    if itinerary.get("destination") != destination or itinerary.get("totalDays") != days:
        yield "not the journey that was asked for"
    if len(plans) != days:
        yield f"{len(plans)} plans"
    for text in texts:
        if not text.strip():
            yield "an empty field"
        if re.search(r'[{}\[\]"\\]', text):
            yield f"a fragment of JSON: {text}"
        if any(len(words) > 12 and words in text.lower() for words in told):
            yield f"a description: {text}"
        words = re.findall(r"[a-zà-ÿ']+", text.lower())
        if any(words.count(word) > 2 for word in words if word not in ("the", "a", "of", "and", "to", "in")):
            yield f"a word again and again: {text}"
        beginnings = [word[:4] for word in words if len(word) > 4]
        if any(beginnings.count(beginning) > 3 for beginning in beginnings):
            yield f"no sentence: {text}"
        if FOREIGN & set(words):
            yield f"another language: {text}"
    if len(set(texts)) < 0.9 * len(texts):
        yield f"{len(set(texts))} of {len(texts)} fields differ"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--destination", default="Kyoto")
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print each itinerary")
    options = parser.parse_args()
    told = descriptions()
    fine = 0
    for seed in range(1, options.count + 1):
        run = subprocess.run(
            [ROOT / ".build/debug/travel-companion", "itinerary", options.destination, "--days",
             str(options.days), "--model", options.model, "--seed", str(seed), "--json"],
            capture_output=True, text=True)
        if run.returncode:
            found = [f"exit code {run.returncode}: {run.stderr.strip()}"]
        else:
            itinerary = json.loads(run.stdout)
            found = list(faults(itinerary, options.destination, options.days, told))
            if options.show:
                print(json.dumps(itinerary, indent=1, ensure_ascii=False))
        fine += not found
        print(f"seed {seed}: {'fine' if not found else '; '.join(found)}", flush=True)
    print(f"{fine} of {options.count} are fine")
    sys.exit(fine < options.count)


main()
