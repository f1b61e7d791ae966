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
