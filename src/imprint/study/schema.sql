-- One study. Written once: study, name_groups, blocks, items. Written as people answer: the rest.
-- Nothing here says who a participant is: a number, the hash of a token, and what was answered; and the number under
-- which a panel that pays knows them, where their link carried it and they agreed to take part.

CREATE TABLE study (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL CHECK (length(id) = 32),
    parent TEXT CHECK (parent IS NULL OR (length(parent) = 32 AND protocol = 'offense')),
    protocol TEXT NOT NULL CHECK (protocol IN ('ube', 'offense', 'analogy', 'suggestion')),
    embedding TEXT NOT NULL,
    embedding_sha256 TEXT NOT NULL,
    seed INTEGER NOT NULL CHECK (seed >= 0),
    quota INTEGER NOT NULL CHECK (quota >= 1),
    least INTEGER NOT NULL CHECK (least >= 1),
    n_found INTEGER CHECK (n_found >= 0),
    notes TEXT NOT NULL CHECK (notes LIKE '[%]'),
    consent TEXT NOT NULL CHECK (consent LIKE '[%]'),
    completion_code TEXT CHECK (
        length(CAST(completion_code AS BLOB)) = length(completion_code) AND length(completion_code) BETWEEN 1 AND 64
        AND completion_code GLOB '[A-Za-z0-9]*' AND completion_code NOT GLOB '*[^A-Za-z0-9_-]*'
    ),
    screen_out_code TEXT CHECK (
        length(CAST(screen_out_code AS BLOB)) = length(screen_out_code) AND length(screen_out_code) BETWEEN 1 AND 64
        AND screen_out_code GLOB '[A-Za-z0-9]*' AND screen_out_code NOT GLOB '*[^A-Za-z0-9_-]*'
    ),
    return_url TEXT CHECK (return_url GLOB 'https://*'),
    admin_hash BLOB NOT NULL CHECK (length(admin_hash) = 32),
    secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;

CREATE TABLE name_groups (
    letter TEXT PRIMARY KEY CHECK (length(letter) BETWEEN 1 AND 8),
    place INTEGER NOT NULL UNIQUE,
    names TEXT NOT NULL CHECK (names LIKE '[%]'),
    cues TEXT NOT NULL CHECK (cues LIKE '[%]')
) STRICT;

CREATE TABLE blocks (
    block INTEGER PRIMARY KEY,
    stage TEXT NOT NULL CHECK (stage IN ('exam', 'main')),
    title TEXT NOT NULL CHECK (title LIKE '[%]'),
    letters TEXT NOT NULL CHECK (letters LIKE '[%]')
) STRICT;

CREATE TABLE items (
    item INTEGER PRIMARY KEY,
    block INTEGER NOT NULL REFERENCES blocks (block),
    kind TEXT NOT NULL CHECK (kind IN ('name', 'triple', 'rating', 'sense', 'stereotype', 'words')),
    words TEXT NOT NULL CHECK (words LIKE '[%]'),
    expected TEXT REFERENCES name_groups (letter),
    UNIQUE (block, item)
) STRICT;

CREATE TABLE participants (
    participant INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    panel_id TEXT UNIQUE CHECK (
        length(CAST(panel_id AS BLOB)) = length(panel_id) AND length(panel_id) BETWEEN 1 AND 64
        AND panel_id GLOB '[A-Za-z0-9]*' AND panel_id NOT GLOB '*[^A-Za-z0-9_-]*'
    ),
    consented INTEGER NOT NULL DEFAULT 0 CHECK (consented IN (0, 1)),
    familiar INTEGER NOT NULL DEFAULT 0 CHECK (familiar <= consented AND familiar IN (0, 1)),
    away INTEGER NOT NULL DEFAULT 0 CHECK (away IN (0, 1)),
    finished INTEGER NOT NULL DEFAULT 0 CHECK (finished <= consented AND finished IN (0, 1)),
    CHECK (panel_id IS NULL OR consented = 1)
) STRICT;

-- Of those who came with a panel's number and deleted their answers: a hash of it, keyed with the study's secret.
CREATE TABLE withdrawn (
    fingerprint BLOB PRIMARY KEY CHECK (length(fingerprint) = 32)
) STRICT, WITHOUT ROWID;

-- A page given to a person: once and never again. An open one holds a place until it is answered or freed.
CREATE TABLE assignments (
    participant INTEGER NOT NULL REFERENCES participants (participant),
    block INTEGER NOT NULL REFERENCES blocks (block),
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'freed')),
    given INTEGER NOT NULL,
    PRIMARY KEY (participant, block)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX one_open_page ON assignments (participant) WHERE state = 'open';
CREATE INDEX places ON assignments (block, state, given);

-- One answer a person and item, to a page that this person was given, and final.
CREATE TABLE answers (
    participant INTEGER NOT NULL,
    item INTEGER NOT NULL,
    block INTEGER NOT NULL,
    value TEXT NOT NULL CHECK (length(value) BETWEEN 1 AND 1000),
    PRIMARY KEY (participant, item),
    FOREIGN KEY (participant, block) REFERENCES assignments (participant, block),
    FOREIGN KEY (block, item) REFERENCES items (block, item)
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_by_item ON answers (item);

CREATE TRIGGER answers_are_final BEFORE UPDATE ON answers
BEGIN
    SELECT RAISE(ABORT, 'an answer is final');
END;
