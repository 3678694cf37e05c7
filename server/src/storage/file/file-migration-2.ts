/**
 * Every beginning of item keys that ends in a colon: `a:` and `a:b:` for `a:b:c`. A subquery, because a trigger
 * takes `WITH` nowhere else.
 */
function basesOf(keys: string): string {
  return `
    SELECT base FROM (
      WITH RECURSIVE bases (base, rest) AS (
        SELECT '', ${keys}
        UNION ALL
        SELECT base || substr(rest, 1, instr(rest, ':')), substr(rest, instr(rest, ':') + 1)
        FROM bases WHERE instr(rest, ':') > 0
      )
      SELECT base FROM bases WHERE base <> ''
    )`
}

/**
 * Version 2: tallies, leader boards, versions of collections, counters of items, removal of one record.
 * The writer keeps the sums of records itself, because triggers would do for each record what it does once a
 * transaction; items are written seldom, and their triggers cannot forget one.
 */
export const MIGRATION_2 = `
ALTER TABLE records ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
CREATE INDEX records_by_id ON records (id);

ALTER TABLE collections ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
-- Random, not counted: a restored backup counts on from where it was, and would give a version a second time.
ALTER TABLE collections ADD COLUMN version TEXT NOT NULL DEFAULT '';
CREATE TABLE totals (
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;
-- An empty label stands for all entries.
CREATE TABLE tallies (
  kind TEXT NOT NULL,
  gamemode TEXT NOT NULL,
  label TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, gamemode, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE item_counts (base TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Version 1 kept no labels: they are the rarities that the entries name.
UPDATE records SET labels = (
  SELECT json_group_object(label, entries) FROM (
    SELECT value ->> '$.rarity' AS label, count(*) AS entries
    FROM json_each(CASE WHEN json_valid('[' || plain || ']') THEN '[' || plain || ']' ELSE '[]' END)
    WHERE type = 'object' AND json_type(value, '$.rarity') = 'text'
    GROUP BY label
  )
);

UPDATE collections SET
  count = (SELECT coalesce(sum(records.count), 0) FROM records WHERE records.collection = collections.collection),
  version = lower(hex(randomblob(12)));
INSERT INTO totals SELECT owner, kind, sum(count) FROM collections GROUP BY owner, kind;
INSERT INTO tallies SELECT kind, gamemode, '', sum(count) FROM collections GROUP BY kind, gamemode;
INSERT INTO tallies
  SELECT kind, gamemode, label.key, sum(label.value)
  FROM records JOIN collections USING (collection), json_each(labels) AS label
  GROUP BY kind, gamemode, label.key;
INSERT INTO item_counts SELECT base, count(*) FROM (${basesOf('key FROM items')}) GROUP BY base;

CREATE INDEX leaders_of_gamemode ON collections (kind, gamemode, count DESC, owner);
CREATE INDEX leaders_of_kind ON totals (kind, count DESC, owner);

CREATE TRIGGER item_added AFTER INSERT ON items BEGIN
  INSERT INTO item_counts SELECT base, 1 FROM (${basesOf('NEW.key')}) WHERE true
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER item_removed AFTER DELETE ON items BEGIN
  UPDATE item_counts SET count = count - 1 WHERE base IN (${basesOf('OLD.key')});
  DELETE FROM item_counts WHERE count = 0 AND base IN (${basesOf('OLD.key')});
END;
`
