"""What the titles of columns and the names of attributes say, word by word, in English,
German, French, Spanish and Italian.

`ends_of` finds source and target, `quantity_of` what a column measures, `unit_of` its unit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_NAMES_OF_ENDS = (
    "source-target source-destination source-dest source-sink from-to src-dst "
    "src-dest src-tgt tail-head start-end start-finish begin-end init-term "
    "origin-destination origin-dest orig-dest parent-child von-nach von-zu von-bis "
    "quelle-ziel start-ziel anfang-ende depart-arrivee origine-destination "
    "source-cible origen-destino desde-hasta salida-llegada origine-destinazione "
    "partenza-arrivo"
)
_ENDS = tuple(tuple(pair.split("-")) for pair in _NAMES_OF_ENDS.split())
# too short to be looked for among other words
_WHOLE_ENDS = (("u", "v"), ("i", "j"), ("de", "a"), ("de", "vers"), ("da", "a"))
_NUMBERED_ENDS = (("1", "2"), ("a", "b"), ("i", "j"), ("u", "v"))
_NAMES_OF_PLACES = (
    "id ids node nodes nodeid vertex stop station loc location city town place point "
    "name code key idx index num number no nr junction intersection knoten ort stadt "
    "haltestelle bahnhof noeud ville arret gare nodo ciudad parada estacion citta "
    "fermata stazione user person label osmid airport port zone stopid stationid"
)
_PLACES = frozenset(_NAMES_OF_PLACES.split())
_GLUED = tuple(sorted({word for pair in _ENDS for word in pair}, key=len, reverse=True))
_UNITS = {
    word: unit
    for unit, words in (
        ("km", "km kms kilometer kilometers kilometre kilometres kilometro kilometros chilometri"),
        ("m", "m meter meters metre metres metros metri"),
        ("mi", "mi mile miles"),
        ("ft", "ft feet"),
        ("s", "s sec secs second seconds sekunden secondes segundos secondi"),
        ("min", "min mins minute minutes minuten minutos minuti"),
        ("h", "h hr hrs hour hours stunden heures horas ore"),
    )
    for word in words.split()
}
_OF_LENGTH = frozenset(("km", "m", "mi", "ft"))


class Quantity(Enum):
    """What a column measures."""

    WEIGHT = "weight"
    LENGTH = "length"
    TIME = "time"
    COST = "cost"
    OTHER = "something that is no weight"
    UNKNOWN = "unknown"


_QUANTITIES = {
    Quantity.OTHER: (
        "id ids fid uid osmid key index idx line lines linie ligne linea route routes strecke_nr "
        "capacity capacities cap kapazitaet kapazitat capacite capacidad capacita lane lanes "
        "speed maxspeed geschwindigkeit vitesse velocidad velocita limit type typ kind class "
        "category year date datum timestamp timeset epoch departure arrival abfahrt ankunft lat "
        "lon lng latitude longitude x y z name label oneway bidirectional directed toll_id "
        "layer version link"
    ),
    Quantity.WEIGHT: "weight weights wt wgt gewicht poids peso pesos w value",
    Quantity.LENGTH: (
        "length lengths len distance distances dist laenge lange entfernung distanz strecke "
        "longueur distancia longitud distanza lunghezza"
    ),
    Quantity.TIME: (
        "time times duration traveltime traveltimes triptime zeit dauer fahrzeit reisezeit "
        "fahrtzeit temps duree tiempo duracion tempo durata delay latency"
    ),
    Quantity.COST: "cost costs price fare kosten preis cout prix coste costo precio prezzo",
}
_QUANTITY_OF = {word: quantity for quantity, words in _QUANTITIES.items() for word in words.split()}
_GLUED_QUANTITIES = tuple(
    word
    for word, quantity in _QUANTITY_OF.items()
    if quantity is not Quantity.OTHER and word not in _UNITS and len(word) > 1
)
# what has a length or a time: line_length is a length, though line is none
_MEASURED = frozenset(
    ["line", "lines", "linie", "ligne", "linea", "route", "routes", "link", "lane"]
)
_ALL_ENDS = (*_ENDS, *_WHOLE_ENDS, *_NUMBERED_ENDS)
_SOURCE_WORDS = frozenset(source for source, _ in _ALL_ENDS)
_TARGET_WORDS = frozenset(target for _, target in _ALL_ENDS)
_WHOLE_TITLES = frozenset(((source,), (target,)) for source, target in (*_ENDS, *_WHOLE_ENDS))
_MOST_ENDS = 50  # columns that are looked at for either end: a damaged file may have 100,000
WHOLE_WEIGHTS = tuple((word,) for word in _QUANTITIES[Quantity.WEIGHT].split()[:-2])
"""Titles that name the weights, whatever other columns there are."""


def words_of(title: str) -> tuple[str, ...]:
    """The words of a title in lower case, without accents: ("distance", "km") for
    Distance_km, ("from", "node") for fromnode.
    """
    plain = title.strip().replace("ß", "ss")
    for umlaut, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        plain = plain.replace(umlaut, letters)
    decomposed = unicodedata.normalize("NFKD", plain)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return tuple(part for word in _WORD.findall(bare) for part in _unglued(word.lower()))


def _unglued(word: str) -> tuple[str, ...]:
    """ "fromnode" as from and node, "distancekm" as distance and km."""
    for firsts, seconds in ((_GLUED, _PLACES), (_GLUED_QUANTITIES, _UNITS)):
        for first in firsts:
            if word.startswith(first) and word.removeprefix(first) in seconds:
                return first, word.removeprefix(first)
    return (word,)


def ends_of(titles: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """The pairs of columns that may be source and target, the best only: one pair if the
    titles are clear, none if they say nothing, several if they are ambiguous.
    """
    words = [words_of(title) for title in titles]
    sources, targets = (
        [place for place, own in enumerate(words) if not known.isdisjoint(own)][:_MOST_ENDS]
        for known in (_SOURCE_WORDS, _TARGET_WORDS)
    )
    ranked: dict[int, list[tuple[int, int]]] = {}
    for i in sources:
        for j in targets:
            if i != j and (rank := _rank_of_pair(words[i], words[j])) is not None:
                ranked.setdefault(rank, []).append((i, j))
    return tuple(ranked[min(ranked)]) if ranked else ()


def _rank_of_pair(first: tuple[str, ...], second: tuple[str, ...]) -> int | None:
    """How well two titles name the ends of an edge, 0 the best; None if they do not."""
    if (first, second) in _WHOLE_TITLES:
        return 0
    ranks = []
    for pairs, alone in ((_ENDS, True), (_NUMBERED_ENDS, False)):
        for a, b in pairs:
            if a not in first or b not in second:
                continue
            rest = _without(first, a)
            if rest != _without(second, b) or not (alone or rest):
                continue
            if all(word in _PLACES for word in rest):
                ranks.append(2 if "name" in rest or "label" in rest else 1)
            elif alone and not any(_measures(word) for word in rest):
                ranks.append(3)
    return min(ranks, default=None)


def _without(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    place = words.index(word)
    return words[:place] + words[place + 1 :]


def _measures(word: str) -> bool:
    return word in _QUANTITY_OF or word in _UNITS


def quantity_of(title: str) -> Quantity:
    """What the words of a title say that a column measures."""
    words = words_of(title)
    found = {_QUANTITY_OF[word] for word in words if word in _QUANTITY_OF}
    if Quantity.OTHER in found and not (len(found) > 1 and _MEASURED.issuperset(_others(words))):
        return Quantity.OTHER
    for quantity in (Quantity.TIME, Quantity.LENGTH, Quantity.COST, Quantity.WEIGHT):
        if quantity in found:
            return quantity
    unit = unit_of(title)
    if unit:
        return Quantity.LENGTH if unit in _OF_LENGTH else Quantity.TIME
    return Quantity.UNKNOWN


def _others(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if _QUANTITY_OF.get(word) is Quantity.OTHER]


def possible_weights(titles: Sequence[str], numeric: Sequence[bool]) -> list[int]:
    """The columns that may be the weights: the one so called or, without it, those of a
    length, time or cost, else those of numbers of which the titles say nothing.
    """
    quantities = [quantity_of(title) for title in titles]
    places = range(len(titles))
    weights = [place for place in places if words_of(titles[place]) in WHOLE_WEIGHTS]
    if len(weights) == 1:
        return weights
    unknown = [place for place in places if quantities[place] is Quantity.UNKNOWN]
    named = [
        place for place in places if quantities[place] not in (Quantity.OTHER, Quantity.UNKNOWN)
    ]
    return named or [place for place in unknown if numeric[place]]


def unit_of(title: str) -> str:
    """The unit that the last word of a title names: "km" for distance_km and Length (km)."""
    words = words_of(title)
    return _UNITS.get(words[-1], "") if words else ""


def unit_named(word: str) -> str:
    """The unit that is written so after a number; "" if there is none."""
    return _UNITS.get(word.strip().lower().rstrip("."), "")
