-- What players allowed. A row grants only what its seal (mac) says; see seal.go.
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  uuid TEXT NOT NULL CHECK (length(uuid) = 36)
) STRICT;

CREATE TABLE approvals (
  kid TEXT NOT NULL CHECK (length(kid) BETWEEN 1 AND 40),
  game TEXT NOT NULL CHECK (length(game) BETWEEN 1 AND 200),
  host TEXT NOT NULL CHECK (length(host) BETWEEN 1 AND 253),
  port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
  class TEXT NOT NULL CHECK (length(class) BETWEEN 1 AND 16),
  created INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  mac BLOB NOT NULL CHECK (length(mac) = 32),
  PRIMARY KEY (game, host, port, class, kid)
) STRICT, WITHOUT ROWID;

-- Names for people. They are not sealed and decide nothing.
CREATE TABLE games (
  game TEXT PRIMARY KEY CHECK (length(game) BETWEEN 1 AND 200),
  name TEXT NOT NULL CHECK (length(name) <= 200)
) STRICT, WITHOUT ROWID;
