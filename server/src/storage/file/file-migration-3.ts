/** Version 3: how much was written into the store, to be compared with the mark beside it. */
export const MIGRATION_3 = `
CREATE TABLE high_water (
  -- Random, and new for every copy: one that goes its own way is not measured by the mark of the original.
  lineage TEXT NOT NULL,
  writes INTEGER NOT NULL
) STRICT;
INSERT INTO high_water VALUES (lower(hex(randomblob(12))), 0);
`
