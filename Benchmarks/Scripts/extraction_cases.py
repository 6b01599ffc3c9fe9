#!/usr/bin/env python3
"""Makes texts and the values that are to be found in them, for `espalier evaluate`.

    extraction_cases.py FOLDER [--count 60] [--seed 1]

writes for each of three tasks `TASK.schema.json` and `TASK.cases.jsonl`:

- booking: one flat object, with a choice and a date;
- delivery: objects within an object;
- meeting: lists of objects, choices, a boolean.

The same seed makes the same files.
"""
import argparse
import json
import pathlib
import random

FIRST = "Maria John Aiko Omar Lena Peter Sofia Ivan Chloe Raj Nina Tom Elif Paul Greta Luis".split()
LAST = "Rossi Miller Tanaka Haddad Novak Schmidt Garcia Petrov Martin Patel Olsen Baker".split()
CITIES = "Rome Paris Tokyo Cairo Vienna Lisbon Oslo Madrid Athens Dublin Prague Boston".split()
STREETS = ["Oak Street", "Main Street", "Hill Road", "Park Avenue", "River Lane", "Mill Road"]
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
MONTHS = ("January February March April May June July August September October November "
          "December").split()


def text(description, **more):
    return {"type": "string", "description": description, **more}


def one_of(*cases):
    return {"enum": list(cases)}


def thing(properties):
    return {"type": "object", "properties": properties, "required": list(properties),
            "additionalProperties": False}


def day(random):
    year, month, day = random.choice([2025, 2026, 2027]), random.randint(1, 12), random.randint(1, 28)
    return f"{year}-{month:02}-{day:02}", f"{day} {MONTHS[month - 1]} {year}"


def number(random, value):
    return random.choice([str(value), WORDS.get(value, str(value))])


def person(random):
    return f"{random.choice(FIRST)} {random.choice(LAST)}"


BOOKING = thing({
    "guest": text("name of the guest"),
    "city": text("city of the hotel"),
    "nights": {"type": "integer", "minimum": 1, "maximum": 14},
    "room": one_of("single", "double", "suite"),
    "arrival": text("first day of the stay", format="date"),
})


def booking(random):
    guest, city, nights = person(random), random.choice(CITIES), random.randint(1, 8)
    room = random.choice(["single", "double", "suite"])
    date, spoken = day(random)
    article = "suite" if room == "suite" else f"{room} room"
    prompt = random.choice([
        "Please book a {room} in {city} for {guest}, {nights} nights from {day}.",
        "{guest} will be in {city} for {nights} nights and needs a {room}, arriving on {day}.",
        "Hello, this is {guest}. I need a {room} in {city} from {day} for {nights} nights.",
        "A {room} for {guest} in {city}: arrival {day}, {nights} nights.",
    ]).format(room=article, city=city, guest=guest, nights=number(random, nights),
              day=random.choice([date, spoken]))
    return prompt, {"guest": guest, "city": city, "nights": nights, "room": room, "arrival": date}


DELIVERY = thing({
    "customer": thing({"name": text("name of the customer"), "phone": text("phone number")}),
    "address": thing({"street": text("street and house number"), "city": text("city")}),
    "item": thing({"product": text("what is delivered"),
                   "quantity": {"type": "integer", "minimum": 1, "maximum": 50}}),
    "speed": one_of("standard", "express"),
})
PRODUCTS = ["chairs", "lamps", "books", "tables", "mirrors", "plates", "bottles", "shelves"]


def delivery(random):
    name, city = person(random), random.choice(CITIES)
    street = f"{random.randint(1, 99)} {random.choice(STREETS)}"
    phone = f"555-{random.randint(1000, 9999)}"
    product, quantity = random.choice(PRODUCTS), random.randint(2, 30)
    speed = random.choice(["standard", "express"])
    prompt = random.choice([
        "Send {quantity} {product} to {name}, {street}, {city}. Phone {phone}. {speed} delivery.",
        "{name} ({phone}) ordered {quantity} {product}, {speed} delivery, to {street} in {city}.",
        "{speed} order: {quantity} {product} for {name}, who lives at {street}, {city}; call "
        "{phone}.",
        "Please deliver {quantity} {product} by {speed} mail to {street}, {city}, for {name}, "
        "phone {phone}.",
    ]).format(quantity=quantity, product=product, name=name, street=street, city=city,
              phone=phone, speed=speed)
    return prompt[0].upper() + prompt[1:], {
        "customer": {"name": name, "phone": phone}, "address": {"street": street, "city": city},
        "item": {"product": product, "quantity": quantity}, "speed": speed}


MEETING = thing({
    "topic": text("what the meeting is about"),
    "kind": one_of("in person", "video call", "phone call"),
    "people": {"type": "array", "minItems": 1, "maxItems": 4, "items": thing({
        "name": text("name of the person"),
        "role": one_of("engineer", "designer", "manager", "lawyer")})},
    "tags": {"type": "array", "minItems": 1, "maxItems": 3,
             "items": one_of("urgent", "weekly", "secret", "external")},
    "minutes": {"type": "integer", "minimum": 5, "maximum": 240},
    "needsRoom": {"type": "boolean"},
})
TOPICS = ["the new website", "the budget", "hiring", "the summer party", "the data centre",
          "the product launch", "travel costs", "the office move"]


def meeting(random):
    topic, minutes = random.choice(TOPICS), random.choice([15, 20, 30, 45, 60, 90])
    kind = random.choice(["in person", "video call", "phone call"])
    names = random.sample(FIRST, random.randint(1, 3))
    people = [{"name": name, "role": random.choice(["engineer", "designer", "manager", "lawyer"])}
              for name in names]
    tags = random.sample(["urgent", "weekly", "secret", "external"], random.randint(1, 2))
    needs = kind == "in person"
    said = [f"{one['name']} (a{'n' if one['role'] == 'engineer' else ''} {one['role']})"
            for one in people]
    who = said[0] if len(said) == 1 else ", ".join(said[:-1]) + " and " + said[-1]
    how = {"in person": "We meet in person", "video call": "It is a video call",
           "phone call": "It is a phone call"}[kind]
    room = "We need a room." if needs else "No room is needed."
    prompt = (f"A meeting about {topic} with {who}, {minutes} minutes. {how}. {room} "
              f"It is {' and '.join(tags)}.")
    return prompt, {"topic": {"$oneOf": sorted({topic, topic.removeprefix("the ")})}, "kind": kind,
                    "people": people, "tags": tags, "minutes": minutes, "needsRoom": needs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, schema, make in [("booking", BOOKING, booking), ("delivery", DELIVERY, delivery),
                               ("meeting", MEETING, meeting)]:
        generator = random.Random(f"{name} {options.seed}")
        (options.folder / f"{name}.schema.json").write_text(json.dumps(schema, indent=1) + "\n")
        with open(options.folder / f"{name}.cases.jsonl", "w") as file:
            for _ in range(options.count):
                prompt, expected = make(generator)
                file.write(json.dumps({"prompt": prompt, "expected": expected}) + "\n")


if __name__ == "__main__":
    main()
