import type { QueryRunner } from 'typeorm';
import { earlierMigrations, LAST_EARLIER_BUILD } from '../../../migrations/earlier.js';
import { firstMigrations } from '../../../migrations/index.js';
import { StartError } from '../start-error.js';

const earlier = new Set(earlierMigrations);

/**
 * The names of applied migrations as they are called today.
 * @throws StartError when an early build of version 0.1 made the database
 */
export function currentNames(applied: string[]): string[] {
  const found = applied.filter((name) => earlier.has(name));
  if (found.length === 0) return applied;
  if (found.length === earlier.size)
    return [...namesOf(firstMigrations), ...applied.filter((name) => !earlier.has(name))];
  const { version, date, commit } = LAST_EARLIER_BUILD;
  throw new StartError(
    `An early build of version 0.1 made this database: it has ${found.length} of ${earlier.size} migrations. Start the last build of version ${version} (${date}, commit ${commit}) with it once, then start this version again. docs/how-to/upgrade.md says how, under "From an early build of version 0.1".`,
  );
}

/**
 * In a database that version 0.1 made, the records of its migrations become those of the first ones of today. They keep their
 * place before what ran after them, so that going back works, too.
 * @throws StartError when an early build of version 0.1 made the database
 */
export async function renameEarlierMigrations(db: QueryRunner): Promise<void> {
  if (!(await db.hasTable('migrations'))) return;
  const rows = (await db.query('SELECT name FROM migrations')) as { name: string }[];
  const applied = rows.map(({ name }) => name);
  if (currentNames(applied) === applied) return;
  const names = namesOf(firstMigrations);
  await db.query(
    `WITH known AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM migrations WHERE name = ANY($1)),
          others AS (DELETE FROM migrations WHERE id IN (SELECT id FROM known WHERE place > cardinality($2::text[])))
     UPDATE migrations m SET name = t.name, timestamp = right(t.name, 13)::bigint
       FROM known k JOIN unnest($2::text[]) WITH ORDINALITY AS t (name, place) ON t.place = k.place WHERE m.id = k.id`,
    [earlierMigrations, names],
  );
}

function namesOf(migrations: { name: string }[]): string[] {
  return migrations.map(({ name }) => name);
}
