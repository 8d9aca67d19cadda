import type pg from 'pg';

/** Columns in which a copy differs from its original `o`, over the rows `c` of `bench_copies`. */
export interface Copied {
  /** The column by which `bench_copies` names the original, beside its workspace. */
  key: string;
  own: Record<string, string>;
}

/**
 * Copies rows inside the database. `plan` creates the table `bench_copies` with a row per copy: `workspace_id`,
 * `original`, and whatever the tables need; each copy has one word of its own, "only" and what the column `ownWord` of the
 * plan holds, if there is one. Afterwards the tables are as the product would find them in the morning:
 * indexed, vacuumed, analyzed and on the disk.
 */
export async function multiplyRows(
  db: pg.Client,
  tables: Record<string, Copied>,
  { plan, ownWord }: { plan: () => Promise<void>; ownWord?: string },
): Promise<void> {
  const names = Object.keys(tables);
  await db.query(`SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'`);
  await plan();
  await withoutIndexes(db, [...names, 'vocabulary'], async () => {
    for (const name of names) await copyRows(db, name, tables[name]!);
    await noteAllHours(db);
    if (ownWord !== undefined) await keepOwnWords(db, ownWord);
  });
  await db.query('DROP TABLE bench_copies');
  await db.query('RESET work_mem; RESET maintenance_work_mem; RESET synchronous_commit');
  await db.query(`VACUUM (ANALYZE) vocabulary, ${names.join(', ')}`);
  await db.query('CHECKPOINT');
}

async function copyRows(db: pg.Client, table: string, { key, own }: Copied): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name] ?? `o.${name}`);
  // A trigger for changed hours would write all rows once more.
  await db.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await db.query(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${values.join(', ')} FROM bench_copies c
       JOIN ${table} o ON o.workspace_id = c.workspace_id AND o.${key} = c.original`,
  );
  await db.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

/** Says instead that all hours have changed. */
async function noteAllHours(db: pg.Client): Promise<void> {
  for (const name of ['request', 'trace']) {
    await db.query(
      `INSERT INTO ${name}_hour_changes (workspace_id, hour) SELECT DISTINCT workspace_id, '-infinity'::timestamptz FROM bench_copies`,
    );
  }
}

/** Makes the word known that each copy has for its own: "only" and the value of `column`. */
async function keepOwnWords(db: pg.Client, column: string): Promise<void> {
  await db.query(
    `INSERT INTO vocabulary (workspace_id, word, last_day) SELECT workspace_id, 'only' || ${column}, current_date FROM bench_copies`,
  );
}

/** Building an index of many rows at once is faster than adding them one by one. Primary keys stay. */
async function withoutIndexes(db: pg.Client, tables: string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND NOT indisprimary`,
    [tables],
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  await work();
  for (const { definition } of rows) await db.query(definition);
}

export async function count(db: pg.Client, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]!.count;
}
