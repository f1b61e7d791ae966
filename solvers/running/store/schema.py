"""Schema of the run store, as the list of its migrations.

``PRAGMA user_version`` of a file is the number of migrations that it has had. A change of the schema is one more entry
of `MIGRATIONS`; entries that were released are never edited.

Ids are chosen by the program, not by SQLite, so that a statement that could not be written can be repeated as it is.
"""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x5441_5554  # tells a run store from other SQLite files

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
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
        ) WITHOUT ROWID
        """,
        "CREATE INDEX runs_by_time ON runs (started_utc)",
        """
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
        ) WITHOUT ROWID
        """,
        "CREATE INDEX unfinished_variants ON variants (run_id, position) WHERE status IS NULL",
        """
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
        ) WITHOUT ROWID
        """,
    ),
    ("ALTER TABLE variants ADD COLUMN graph_upload_ms REAL",),  # null: every trial uploaded the graph, if any did
    (
        "ALTER TABLE runs ADD COLUMN experiment TEXT NOT NULL DEFAULT ''",  # id and scale; "": none
        "CREATE INDEX runs_by_experiment ON runs (experiment) WHERE experiment != ''",
    ),
    (
        "ALTER TABLE runs ADD COLUMN source_name TEXT NOT NULL DEFAULT ''",  # "": it has no name but its id
        "ALTER TABLE runs ADD COLUMN target_name TEXT NOT NULL DEFAULT ''",
    ),
    ("ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT ''",),  # "": not run on a cluster
)
VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS) -> None:
    """Bring a store up to date: all missing migrations in one transaction.

    Another program may migrate at the same time; the version is read again under the lock.

    Raises
    ------
    sqlite3.Error
        If the file cannot be written; it is then as before.
    """
    if version_of(connection) >= len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in migrations[version_of(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """Number of migrations that the file has had; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
