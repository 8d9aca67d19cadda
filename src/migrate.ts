import { migrate } from './platform/database/migrate.js';
import { assertDatabaseOpens, STARTING_ATTEMPTS } from './platform/database/readiness.js';
import { StartError } from './platform/start-error.js';
import { failToStart } from './process.js';
import { takeNoArguments } from './platform/start-arguments.js';

const USAGE = `Usage: npm run migration:run

Brings the database in DATABASE_URL up to date. docs/how-to/upgrade.md says more.`;

/** `npm run migration:run`: brings the database of an installation without the launcher up to date. */
async function main(): Promise<void> {
  takeNoArguments(USAGE);
  const url = process.env.DATABASE_URL;
  if (!url) throw new StartError('Set DATABASE_URL to the database that is to be migrated.');
  await assertDatabaseOpens(url, STARTING_ATTEMPTS);
  const applied = await migrate(url);
  const result = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.';
  process.stdout.write(`${result}\n`);
}

main().catch(failToStart);
