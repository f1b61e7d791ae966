# Public names, for type checkers: those of the core, and `names` of the features.
from solvers import displays as displays
from solvers.core.result import Result, Verdict
from solvers.core.variant import Variant
from solvers.devices.device import Device
from solvers.errors import *
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.call import all_sources
from solvers.features.all_sources.reductions import Histogram
from solvers.features.isochrone.answers import Isochrones, Outlines
from solvers.features.notebooks.displays import Display
from solvers.features.router.router import Router, prepare
from solvers.graphs.graph import Graph
from solvers.graphs.places import RoadPoint
from solvers.library.distances import DistanceTable, Reached, Tree
from solvers.library.graphs import from_networkx, generate, read, to_networkx
from solvers.library.paths import Alternatives, Path, Paths
from solvers.library.shortest_paths import ShortestPaths
from solvers.library.solving import Variants, list_devices, solve, variants
from solvers.parameters import Parameter
from solvers.running.answers.frames import Tabular
from solvers.verification.sample import Proofs
from solvers.version import __version__ as __version__

__all__ = [
    "AllSources",
    "Alternatives",
    "AnswerRefused",
    "Cancelled",
    "ClusterUnavailable",
    "ColumnsUnknown",
    "Device",
    "DeviceUnavailable",
    "Display",
    "DistanceTable",
    "DownloadFailed",
    "ExerciseFileError",
    "FileFormatError",
    "FileMissing",
    "FileNotWritten",
    "Flows",
    "ForeignQuery",
    "Graph",
    "GraphFileWarning",
    "GraphNotOnWorker",
    "Histogram",
    "InputError",
    "Isochrones",
    "KernelBuildError",
    "KernelCrashed",
    "KernelMismatch",
    "KernelTimeLimit",
    "MpiUnavailable",
    "NegativeCycle",
    "NoRoadNear",
    "NoWorkers",
    "NotDispatched",
    "NotUndirected",
    "OptionNotApplicable",
    "OrderFailed",
    "OutOfMemory",
    "Outlines",
    "PackageMissing",
    "Parameter",
    "ParameterError",
    "Path",
    "Paths",
    "Proofs",
    "RankFailed",
    "Reached",
    "RehearsalFailed",
    "Result",
    "RoadPoint",
    "Router",
    "SchedulerUnreachable",
    "SeparatorsTooLarge",
    "SeveralMeant",
    "ShortestPaths",
    "Skipped",
    "StoreUnavailable",
    "Tabular",
    "TautpathError",
    "TautpathWarning",
    "TimedOut",
    "Tree",
    "TurnsLeftOut",
    "Unavailable",
    "UnknownArc",
    "UnknownName",
    "UnknownVertex",
    "UnsuitableGraph",
    "UserCodeFailed",
    "Variant",
    "VariantFileError",
    "Variants",
    "Verdict",
    "VerificationFailed",
    "VersionsDiffer",
    "WeightNotChanged",
    "WorkersLost",
    "WrongAnswer",
    "WrongChecksum",
    "all_sources",
    "from_networkx",
    "generate",
    "list_devices",
    "prepare",
    "read",
    "solve",
    "to_networkx",
    "variants",
]
