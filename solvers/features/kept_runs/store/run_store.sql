-- The run store's schema. A change of it is one more version; versions that were released are never edited.

-- version 1
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    started_utc TEXT NOT NULL,
    ended_utc TEXT,             -- null: still running, or killed
    deleted_utc TEXT,           -- null: listed
    app_version TEXT NOT NULL,
    origin TEXT NOT NULL,       -- "window", "command line", or the name of an imported file
    graph TEXT NOT NULL,
    graph_sha256 TEXT NOT NULL,
    graph_path TEXT NOT NULL,   -- "": generated, or imported
    reading TEXT NOT NULL,      -- JSON: options of the reader, or generator with parameters
    vertices INTEGER NOT NULL,
    arcs INTEGER NOT NULL,
    weight_type TEXT NOT NULL,
    weight_unit TEXT NOT NULL,
    directed INTEGER,           -- null: unknown
    source INTEGER,             -- ids of the file
    target INTEGER,
    cpu TEXT NOT NULL,
    cores INTEGER,
    system TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    is_baseline INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (started_utc);
CREATE TABLE variants (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    started_utc TEXT NOT NULL,
    variant TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    runs_on TEXT NOT NULL,
    paper TEXT NOT NULL,
    parameters TEXT NOT NULL,   -- JSON
    device TEXT NOT NULL,
    driver TEXT NOT NULL,
    status TEXT,                -- null: still running, or killed
    error TEXT NOT NULL DEFAULT '',
    median_ms REAL,             -- of the total times, for the list of runs
    verified INTEGER,
    wrong_vertices INTEGER,
    verdict TEXT NOT NULL DEFAULT '',
    checked_rows TEXT NOT NULL DEFAULT '[]',  -- JSON
    verdict_seed INTEGER,
    iterations INTEGER,
    relaxations INTEGER,
    peak_device_bytes INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    target_distance,            -- integer, real or null
    distances_sha256 TEXT,
    path BLOB,                  -- ids of the file: zlib of little-endian int64
    cycle BLOB,
    cold_ms REAL,
    load REAL,
    disturbances TEXT NOT NULL DEFAULT '[]',  -- JSON: pairs of kind and words
    PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
CREATE INDEX unfinished_variants ON variants (run_id, position) WHERE status IS NULL;
CREATE TABLE trials (
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    is_warmup INTEGER NOT NULL,
    prepare_ms REAL NOT NULL,
    h2d_ms REAL NOT NULL,
    solve_ms REAL NOT NULL,
    d2h_ms REAL NOT NULL,
    status TEXT NOT NULL,
    error TEXT NOT NULL DEFAULT '',
    iterations INTEGER,
    relaxations INTEGER,
    PRIMARY KEY (run_id, position, trial),
    FOREIGN KEY (run_id, position) REFERENCES variants ON DELETE CASCADE
) WITHOUT ROWID;

-- version 2
-- null: every trial uploaded the graph, if any did
ALTER TABLE variants ADD COLUMN graph_upload_ms REAL;

-- version 3
-- id and scale, or none
ALTER TABLE runs ADD COLUMN experiment TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_by_experiment ON runs (experiment) WHERE experiment != '';

-- version 4
-- '': it has no name but its id
ALTER TABLE runs ADD COLUMN source_name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN target_name TEXT NOT NULL DEFAULT '';

-- version 5
-- '': not run on a cluster
ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT '';

-- version 6
-- how the graph was read, JSON; '': not told
ALTER TABLE runs ADD COLUMN interpretation TEXT NOT NULL DEFAULT '';

-- version 7
-- A run, a variant and a trial are each one JSON text, as solvers/running/kept_run.py lists its
-- fields; columns beside it are what is searched, and what changes later.
-- `record` makes such a text of places and cells; how a cell is read stands behind “:”.
DROP INDEX runs_by_time;
DROP INDEX runs_by_experiment;
DROP INDEX unfinished_variants;
ALTER TABLE trials RENAME TO trials_before;
ALTER TABLE variants RENAME TO variants_before;
ALTER TABLE runs RENAME TO runs_before;
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    started_utc TEXT NOT NULL,
    ended_utc TEXT NOT NULL,    -- "": still running, or killed
    deleted_utc TEXT,           -- null: listed
    name TEXT NOT NULL,
    is_baseline INTEGER NOT NULL DEFAULT 0,
    experiment TEXT NOT NULL,
    graph_sha256 TEXT NOT NULL,
    cpu TEXT NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (started_utc);
CREATE INDEX runs_by_experiment ON runs (experiment) WHERE experiment != '';
CREATE TABLE variants (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    started_utc TEXT NOT NULL,
    variant TEXT NOT NULL,
    status TEXT,                -- null: still running, or killed
    verified INTEGER,
    median_ms REAL,             -- of the total times, for the list of runs
    warm_graph INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
CREATE INDEX unfinished_variants ON variants (run_id, position) WHERE status IS NULL;
CREATE TABLE trials (
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    trial INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run_id, position, trial),
    FOREIGN KEY (run_id, position) REFERENCES variants ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO runs
SELECT run_id, started_utc, coalesce(ended_utc, ''), deleted_utc, name, is_baseline, experiment,
    graph_sha256, cpu, record(
        'run_id', run_id, 'started_utc', started_utc, 'app_version', app_version,
        'origin', origin, 'source', source, 'target', target, 'experiment', experiment,
        'source_name', source_name, 'target_name', target_name,
        'machine.cpu', cpu, 'machine.cores', cores, 'machine.system', system,
        'machine.host', host, 'graph.name', graph, 'graph.sha256', graph_sha256,
        'graph.vertices', vertices, 'graph.arcs', arcs, 'graph.weight_type', weight_type,
        'graph.weight_unit', weight_unit, 'graph.directed:bool', directed,
        'graph.interpretation:json', nullif(interpretation, ''),
        'graph.source.path', graph_path, 'graph.source.reading:json', reading,
        'graph.source.roads:json', reading,
        'graph.source.generator:generator', reading,
        'graph.source.parameters:parameters', reading
    )
FROM runs_before;
INSERT INTO variants
SELECT run_id, position, started_utc, variant, status, verified, median_ms,
    graph_upload_ms IS NOT NULL, record(
        'variant', variant, 'algorithm', algorithm, 'runs_on', runs_on, 'paper', paper,
        'parameters:json', parameters, 'device_name', device, 'driver', driver,
        'started_utc', started_utc, 'status', status, 'error', error,
        'verdict:json', CASE WHEN verified IS NOT NULL THEN record(
            'verified:bool', verified, 'wrong_vertices', wrong_vertices, 'text', verdict,
            'rows:json', checked_rows, 'seed', verdict_seed
        ) END,
        'iterations', iterations, 'relaxations', relaxations,
        'peak_device_bytes', peak_device_bytes, 'note', note,
        'target_distance', target_distance, 'distances_sha256', coalesce(distances_sha256, ''),
        'path:ids', path, 'cycle:ids', cycle, 'cold_ms', cold_ms, 'load', load,
        'disturbances:pairs', disturbances, 'graph_upload_ms', graph_upload_ms
    )
FROM variants_before;
INSERT INTO trials
SELECT run_id, position, trial, record(
        'index', trial, 'is_warmup:bool', is_warmup, 'phases.prepare', prepare_ms,
        'phases.h2d', h2d_ms, 'phases.solve', solve_ms, 'phases.d2h', d2h_ms,
        'status', status, 'error', error, 'iterations', iterations, 'relaxations', relaxations
    )
FROM trials_before;
DROP TABLE trials_before;
DROP TABLE variants_before;
DROP TABLE runs_before;
