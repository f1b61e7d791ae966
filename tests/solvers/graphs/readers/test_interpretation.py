"""What a reading takes for ends and weights, how sure it is, and what it asks instead of
guessing.
"""

from __future__ import annotations

import math
from importlib import import_module
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.errors import ColumnsUnknown, FileFormatError, UnknownVertex
from solvers.graphs import edge_columns, titles
from solvers.graphs.graph import Graph
from solvers.graphs.interpretation import Certainty
from solvers.graphs.quantities import number_of
from solvers.graphs.readers import TableOptions, read_graph
from solvers.graphs.readers.formats import FORMATS_READ
from solvers.graphs.readers.parse import table_preview
from solvers.graphs.reading import ReadingOptions


def read(folder: Path, text: str, name: str = "t.csv", **options: Any) -> Graph:
    (folder / name).write_text(text, encoding="utf-8")
    return read_graph(folder / name, ReadingOptions(**options)).graph


def distances(graph: Graph) -> dict[tuple[str, str], float]:
    """Between all vertices that reach one another, by Floyd and Warshall."""
    table = np.full((graph.n, graph.n), np.inf)
    np.fill_diagonal(table, 0)
    np.minimum.at(table, (graph.tails, graph.indices), graph.weights.astype(np.float64))
    for k in range(graph.n):
        table = np.minimum(table, table[:, k, None] + table[k])
    names = [str(graph.vertex_id(vertex)) for vertex in range(graph.n)]
    return {
        (a, b): table[i, j]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i != j and math.isfinite(table[i, j])
    }


_CHAIN = {("P", "Q"): 4.0, ("Q", "R"): 3.0, ("P", "R"): 7.0}


@pytest.mark.parametrize(
    ("titles", "unit"),
    [
        ("From,To,Miles", "mi"),
        ("begin_stop,end_stop,length_m", "m"),
        ("Source,Destination,Distance (km)", "km"),
        ("init_node,term_node,travel_time_min", "min"),
        ("fromNode,toNode,cost", ""),
        ("stop1,stop2,duration_s", "s"),
        ("von,nach,Länge", ""),
        ("départ,arrivée,durée", ""),
        ("origen,destino,distancia_km", "km"),
        ("partenza,arrivo,lunghezza", ""),
        ("Quelle,Ziel,Fahrzeit_min", "min"),
        ("from_id,to_id,line_length", ""),
        ("from,to,distancekm", "km"),
        ("from,to,traveltimemin", "min"),
    ],
)
def test_titles_are_matched_by_words(tmp_path, titles, unit) -> None:
    graph = read(tmp_path, f"{titles}\nP,Q,4\nQ,R,3\nP,R,9\n")
    assert distances(graph) == _CHAIN
    assert graph.weight_unit == unit
    assert graph.interpretation is not None
    assert graph.interpretation.weights.certainty is Certainty.KNOWN


@pytest.mark.parametrize("numbers", ["1,2,5\n2,3,6\n", "P,Q,5\nQ,R,6\n"])
@pytest.mark.parametrize(
    "title", ["id", "line", "route_id", "capacity", "Linie", "lanes", "maxspeed", "osmid"]
)
def test_ids_lines_and_capacities_are_no_weights(tmp_path, title, numbers) -> None:
    graph = read(tmp_path, f"from,to,{title}\n{numbers}")
    assert graph.weights.tolist() == [1, 1]
    assert graph.interpretation is not None
    assert graph.interpretation.kept == (title,)


def test_the_number_of_a_line_before_the_time(tmp_path) -> None:
    graph = read(tmp_path, "station1,station2,line,time\n1,2,11,4\n2,3,11,3\n1,3,7,9\n")
    assert distances(graph) == {("1", "2"): 4, ("2", "3"): 3, ("1", "3"): 7}
    assert graph.interpretation is not None
    assert graph.interpretation.line == (
        "weights: column “time”, known by its title; from “station1” to “station2”; "
        "kept for paths: line"
    )


_QUANTITIES = ("length", "travel_time", "cost", "distance_km", "Fahrzeit", "toll_price")


@pytest.mark.parametrize("names", list(combinations(_QUANTITIES, 3)))
@pytest.mark.parametrize("numbers", ["1,2,{}\n2,3,{}\n", "P,Q,{}\nQ,R,{}\n"])
def test_three_possible_weights_are_asked_for(tmp_path, names, numbers) -> None:
    text = f"from,to,{','.join(names)}\n" + numbers.format("4,5,6", "7,8,9")
    with pytest.raises(ColumnsUnknown, match=f"{names[0]}.*{names[2]}.*may each be the weights"):
        read(tmp_path, text)
    for place, name in enumerate(names):
        chosen = read(tmp_path, text, columns=f"from,to,{name}")
        assert chosen.weights.tolist() == [4 + place, 7 + place]
        assert chosen.interpretation is not None
        assert chosen.interpretation.weights.certainty is Certainty.STATED
    assert read(tmp_path, text, weights="unit").weights.tolist() == [1, 1]


_THREE_WEIGHTS = """
from,to,length_m,time_s,price
length,travel time (min),cost,from node,to node
id,from,miles,to,minutes,fare
tail,head,cost,length,time
FromStop,ToStop,TripCount,AvgTimeSec,DistanceMeters
u,v,km,min,eur
i;j;d;t;c
from|to|travel_time_am|travel_time_pm|travel_time_night
from;to;score;similarity;correlation
from,to,start_time,end_time,duration
Start;Ziel;Entfernung (km);Fahrzeit (min);Kosten (EUR)
Dauer_min;Strecke_km;Von;Nach;Preis
Anfang;Ende;Länge;Reisezeit;Kosten
départ;arrivée;distance (m);durée (s);coût
Prix;source;cible;longueur;temps
origen,destino,distancia_km,tiempo_min,costo
desde;precio;hasta;longitud;duración
partenza;arrivo;lunghezza;durata;costo
distanza_km|tempo_h|prezzo|origine|destinazione
Von;Nach;Linie;Fahrzeit;Kapazität>Fahrzeit
Kapazität;Länge_m;Von;Nach;Spuren>Länge_m
Quelle;Ziel;Gewicht;Länge;Zeit>Gewicht
Anfang;Ende;Höchstgeschwindigkeit;Länge;Baujahr>Länge
origine,destination,ligne,durée,capacité>durée
source|cible|poids|longueur|temps>poids
de;vers;vitesse;longueur;voies>longueur
salida;llegada;longitud;velocidad;carriles>longitud
nodo_origen,nodo_destino,año,duración,capacidad>duración
partenza|arrivo|peso|distanza|tempo>peso
da;a;velocità;lunghezza;corsie>lunghezza
src,dst,latency,bandwidth,hops>latency
from_lat,from_lon,from,to,length_ft>length_ft
"""
"""Titles of tables with three columns of numbers, and what these make known; else it is asked."""


@pytest.mark.parametrize("prefix", ["", "P"])
@pytest.mark.parametrize("line", _THREE_WEIGHTS.split("\n")[1:-1])
def test_of_three_weights_one_is_known_or_it_is_asked(tmp_path, line, prefix) -> None:
    text, _, known = line.partition(">")
    separator = next(mark for mark in ";|," if mark in text)
    names = text.split(separator)
    (ends,) = titles.ends_of(names)
    rows = [
        separator.join(
            f"{prefix}{k + ends.index(place)}" if place in ends else str(7 * place + 3 * k + 20)
            for place in range(len(names))
        )
        for k in range(4)
    ]
    table = "\n".join([text, *rows, ""])
    if not known:
        with pytest.raises(ColumnsUnknown, match="may each be the weights"):
            read(tmp_path, table)
        return
    graph = read(tmp_path, table)
    assert graph.weights.tolist() == [7 * names.index(known) + 3 * k + 20 for k in range(4)]
    assert graph.interpretation is not None
    assert graph.interpretation.weights.what == f"column “{known}”"


@pytest.mark.parametrize("order", list(permutations(("capacity", "b", "length"))))
def test_an_unknown_title_beside_a_known_one(tmp_path, order) -> None:
    cells = {"capacity": "900", "b": "0.15", "length": "4"}
    row = ",".join(cells[name] for name in order)
    graph = read(tmp_path, f"from,to,{','.join(order)}\n1,2,{row}\n")
    assert graph.weights.tolist() == [4]


@pytest.mark.parametrize("text", ["a,b,time\n1,2,5\n", "from,to,time\n1,2,1300000000\n"])
def test_what_is_not_clear_is_asked(tmp_path, text) -> None:
    with pytest.raises(ColumnsUnknown):
        read(tmp_path, text + "2,3,1300000001\n")


@pytest.mark.parametrize("between", [" ", "\t", ",", ", "])
@pytest.mark.parametrize(
    ("rows", "unclear"),
    [
        ("1 2 5 7|2 3 6 8", "columns 3 and 4 may each be the weights"),
        ("1 2 5 7 9|2 3 6 8 9", "columns 3, 4 and 5 may each be the weights"),
        ("0 1 2 5|1 2 3 7", "columns 3 and 4 may each be the weights"),
        ("1 2 1 7|2 3 1 8", "column 4 holds the weights"),
        ("1 2 road 7|2 3 way 8", "column 4 holds the weights"),
        ("1 2 5 road 7|2 3 6 way 8", "columns 3 and 5 may each be the weights"),
        ("1 2 5 1|" + "2 3 6 1|" * 30 + "3 4 7 2", "columns 3 and 4 may each be the weights"),
        ("1 2 1300000000|2 3 1300000005|3 4 1300000009", "may hold moments"),
    ],
)
def test_columns_of_numbers_without_titles_are_asked_about(tmp_path, rows, unclear, between):
    text = rows.replace(" ", between).replace("|", "\n") + "\n"
    with pytest.raises(ColumnsUnknown, match=unclear):
        read(tmp_path, text, "t.txt")
    preview = table_preview(tmp_path / "t.txt", TableOptions())
    assert preview is not None
    assert preview.guess is None or "3 4 7 2" in rows  # what comes later is not in the preview
    assert read(tmp_path, text, "t.txt", weights="unit").weights.max() == 1
    chosen = read(tmp_path, text, "t.txt", columns="1,2,3" if "road" not in rows else "1,2")
    assert chosen.interpretation is not None
    assert chosen.interpretation.weights.certainty is Certainty.STATED


def test_columns_of_numbers_beside_names_are_asked_about(tmp_path) -> None:
    with pytest.raises(ColumnsUnknown, match="columns 3 and 4 may each be the weights"):
        read(tmp_path, "P,Q,5,7\nQ,R,6,8\n")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1 2 5 1|2 3 6 1", "column 3, known by its place, as column 4 is 1 in every row"),
        (
            "1 2 5 1300000000|2 3 6 1300000007.5|3 4 6 1300000008",
            "column 3, known by its place, as column 4 holds moments",
        ),
        ("1 2 5 road|2 3 6 way", "column 3, known by its place"),
        ("% asym weighted|% 2 4 4|1 2 5 7|2 3 6 8", "column 3; direction: directed"),
        ("% sym positive|1 2 5 1300000000|2 3 6 7", "column 3; direction: undirected"),
    ],
)
def test_a_fourth_column_that_holds_no_weights(tmp_path, rows, line) -> None:
    graph = read(tmp_path, rows.replace("|", "\n"), "t.txt")
    assert graph.weights[: graph.row(0).stop].tolist() == [5]
    assert graph.interpretation is not None
    assert graph.interpretation.line == f"weights: {line}; ignored: column 4"


def test_two_kinds_of_vertices_of_konect_are_not_merged(tmp_path) -> None:
    with pytest.raises(FileFormatError, match="different vertices"):
        read(tmp_path, "% bip unweighted\n1 1\n1 2\n2 2\n", "out.actors")


@pytest.mark.parametrize(
    "text", ["2,3,4,1\n1,2,,7\n", "2,3,4\n1,,7\n", "1,2\n1,,3\n", "2,3,4\n,2,7\n", "1,,2\n1,2,7\n"]
)
def test_the_cell_after_an_empty_one_is_not_taken_for_it(tmp_path, text) -> None:
    with pytest.raises(FileFormatError, match="is missing") as caught:
        read(tmp_path, text)
    assert caught.value.line == text[: text.index(",,") if ",," in text else -1].count("\n") + 1


@pytest.mark.parametrize(
    ("rows", "unit"),
    [
        ("P;Q;4 km\nQ;R;3 km\nP;R;9 km\n", "km"),
        ("P;Q;4 km\nQ;R;3000 m\nP;R;9 km\n", "km"),
        ("P;Q;4min\nQ;R;180 s\nP;R;9min\n", "min"),
        ("P;Q;00:00:04\nQ;R;00:00:03\nP;R;00:01:00\n", "s"),
        ("P;Q;4,0\nQ;R;3\nP;R;9,25\n", ""),
    ],
)
def test_quantities_of_a_whole_column_are_read(tmp_path, rows, unit) -> None:
    graph = read(tmp_path, "from;to;weight\n" + rows)
    assert distances(graph) == _CHAIN
    assert graph.weight_unit == unit


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from,to,weight\nP,Q,4 km\nQ,R,3\n", 2),
        ("from,to,weight\nP,Q,4 km\nQ,R,3 min\n", 3),
        ("from,to,weight\nP,Q,\nQ,R,3\n", 2),
        ("from,to,weight\nP,Q,00:04\nQ,R,00:05\n", 2),
        ('from,to,weight\nP,Q,"1,234"\nQ,R,"2,500"\n', 2),
        ("from,to,weight\nP,Q,4\n# closed\nQ,R,3\n", 3),
        ("from,to,kind,weight\nP,Q,x,4\nP-Q,x,4\n", 3),
        ("from,to,weight\nP,Q,4,\nQ,R,3,5\n", 3),
        ("P,Q,4\nQ,R\nP,R,9\n", 2),
        ("source,target,Type,weight\n1,2,Directed,4\n2,3,maybe,3\n", 3),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path, text, line) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


@pytest.mark.parametrize("letter", "acpv")
def test_a_first_vertex_that_begins_lines_of_dimacs(tmp_path, letter) -> None:
    graph = read(tmp_path, f"{letter},x,4\nx,y,3\n")
    assert distances(graph)[letter, "y"] == 7


def test_names_with_leading_zeros_stay_apart(tmp_path) -> None:
    graph = read(tmp_path, "01001,1001,4\n1001,7,3\n")
    assert graph.n == 3
    assert distances(graph)["01001", "7"] == 7


def test_a_name_with_leading_zeros_after_many_numbers_is_told_apart(tmp_path) -> None:
    text = "".join(f"{k},{k + 1},2\n" for k in range(1, 60)) + "007,1,5\n"
    with pytest.raises(FileFormatError, match="“007” begins with 0") as caught:
        read(tmp_path, text)
    assert caught.value.line == 60
    named = read(tmp_path, text, columns="1,2,3", separator="comma")
    assert distances(named)["007", "7"] == 17


def test_a_trailing_separator(tmp_path) -> None:
    assert distances(read(tmp_path, "from,to,weight\nP,Q,4,\nQ,R,3,\n"))["P", "R"] == 7


def test_the_separator_that_excel_writes(tmp_path) -> None:
    assert distances(read(tmp_path, "sep=;\nfrom;to;weight\nP;Q;4\nQ;R;3\n"))["P", "R"] == 7


@pytest.mark.parametrize(
    ("types", "back"),
    [(("Undirected",) * 2, {"QP", "RQ", "RP"}), (("Directed", "Undirected"), {"RQ"})],
)
def test_directions_of_gephi(tmp_path, types, back) -> None:
    rows = "".join(
        f"{ends},{kind},{weight}\n"
        for ends, kind, weight in zip(("P,Q", "Q,R"), types, (4, 3), strict=True)
    )
    path = tmp_path / "gephi.csv"
    path.write_text(f"Source,Target,Type,Weight\n{rows}")
    reading = read_graph(path)
    found = distances(reading.graph)
    assert {a + b for a, b in found} == {"PQ", "QR", "PR"} | back
    assert not any("Type" in sentence for sentence in reading.report.warnings)


def test_a_square_of_numbers_is_asked_about(tmp_path) -> None:
    with pytest.raises(ColumnsUnknown, match="matrix of distances"):
        read(tmp_path, "0 5 2 8\n5 0 1 9\n2 1 0 3\n8 9 3 0\n", "t.txt")
    assert read(tmp_path, "1 2 5\n2 3 2\n1 3 9\n", "t.txt").m == 3


def test_names_separated_by_blanks(tmp_path) -> None:
    with pytest.raises(FileFormatError, match="columns “1,2,3” and the separator “blank”"):
        read(tmp_path, "P Q 4\nQ R 3\n")
    chosen = {"columns": "1,2,3", "separator": "blank"}
    assert distances(read(tmp_path, "P Q 4\nQ R 3\n", **chosen))["P", "R"] == 7


def test_an_index_is_not_taken_for_a_name(tmp_path) -> None:
    graph = read(tmp_path, "from,to,weight\n101,X1,4\nX1,103,3\n")
    assert graph.vertex_id(graph.vertex(101)) == "101"
    with pytest.raises(UnknownVertex):
        graph.vertex(2)
    assert read(tmp_path, "from,to,weight\nA,B,4\nB,C,3\n").vertex(2) == 2


def test_lists_of_formats_are_made_from_one_table(tmp_path) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, "nothing of the kind\n")
    for form in FORMATS_READ:
        assert form.short in str(caught.value)
        if form.reader:
            module, _, function = form.reader.partition(".")
            assert callable(getattr(import_module(f"solvers.graphs.readers.{module}"), function))


def test_a_row_of_very_many_cells_is_looked_at_in_time_that_grows_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each title was compared with every other, for ten minutes and more."""
    compared = []
    monkeypatch.setattr(titles, "_rank_of_pair", lambda *pair: compared.append(pair))
    assert titles.ends_of(["a1", "b2"] * 1_000) == ()
    assert len(compared) < 10_000


def test_columns_are_looked_at_once_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the titles say was found anew for each column."""
    calls = []
    words_of = edge_columns.words_of
    monkeypatch.setattr(
        edge_columns, "words_of", lambda title: calls.append(title) or words_of(title)
    )
    titles_line = ",".join(["source", "target", "weight", *(f"note{k}" for k in range(300))])
    row = ",".join(["1", "2", "3", *("x" for _ in range(300))])
    preview = edge_columns.preview_of([titles_line, row, row], TableOptions())
    assert preview.guess is not None
    assert len(calls) < 2_000


def test_a_separator_sign_before_a_number_is_blank() -> None:
    assert number_of("\x1c4") == number_of(" 4 ") == 4
    assert number_of("4\x1c5") is None
