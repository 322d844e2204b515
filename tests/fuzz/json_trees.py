"""JSON texts that are changed where their trees have places."""

import json
import random

import atheris

ODD = (None, True, 0, -1, 1, 2, 0.5, 2**31, 10**310, 1e300, -1e-300, "", "smooth", [], {}, [0, 1])


def places_in(data):
    """All (container, key) in it, depth first."""
    found, waiting = [], [data] if isinstance(data, (dict, list)) else []
    while waiting:
        inside = waiting.pop()
        keys = inside.keys() if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            found.append((inside, key))
            if isinstance(inside[key], (dict, list)):
                waiting.append(inside[key])
    return found


def mutate(content, most, seed):
    """Now and then the bytes; else up to three places of the tree."""
    chance = random.Random(seed)
    try:
        data = json.loads(content)
        places = places_in(data)
    except (ValueError, AttributeError, TypeError, RecursionError):
        places = []
    if not places or chance.random() < 0.1:
        return atheris.Mutate(content, most)
    for _ in range(chance.randint(1, 3)):
        container, key = chance.choice(places)
        other, name = chance.choice(places)
        how = chance.random()
        if how < 0.15:
            if key in container if isinstance(container, dict) else key < len(container):
                del container[key]
            continue
        old = container.get(key) if isinstance(container, dict) else None
        value = chance.choice(ODD)
        if how < 0.4:
            value = json.loads(json.dumps(other.get(name) if isinstance(other, dict) else value))
        elif how < 0.7 and isinstance(old, (int, float)):
            value = chance.choice([-old, old / 8, old * 8, old + 1]) if abs(old) < 1e300 else 0
        if isinstance(container, dict) or key < len(container):
            container[key] = value
    text = json.dumps(data).encode()
    return text if len(text) <= most else content
