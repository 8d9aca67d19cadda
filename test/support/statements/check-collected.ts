import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CollectedStatement, readCollected } from './collected.js';
import { exceptionFor } from './exceptions.js';
import { type HeldConnection, readHeld } from './held-connections.js';
import { OneWorkspaceRule } from './one-workspace.js';
import { PartitionedDatabase } from './partitioned-database.js';

/** Characters of a statement that are shown. */
const SHOWN = 2000;

/** A folder for the statements of a run of tests, which `check` holds against the rule of one workspace at its end. */
export function collectedStatements(adminUrl: string): { folder: string; check(): Promise<void> } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-statements-'));
  return {
    folder,
    check: async () => {
      try {
        if (readdirSync(folder).length === 0) fail('No statements were collected: the tests do not load collect.ts.');
        else {
          await report(adminUrl, readCollected(folder).filter(isOfServer));
          reportHeld(readHeld(folder));
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Statements by which tests look into the database are theirs. */
const isOfServer = ({ places }: CollectedStatement): boolean => places[0]?.startsWith('src/') ?? false;

/** The results of the tests are complete by then, so the exit code reports the failure. */
function fail(message: string): void {
  process.exitCode = 1;
  say(message);
}

const say = (message: string): unknown => process.stderr.write(`\n${message}\n\n`);

async function report(adminUrl: string, statements: CollectedStatement[]): Promise<void> {
  const findings = await findingsIn(adminUrl, statements);
  const summary = `${findings.length} of ${statements.length} statements are not of one workspace: see docs/how-to/citus.md.`;
  const message = [...findings, summary].join('\n\n');
  if (findings.length > 0) fail(message);
  else say(message);
}

/** Enough such transactions at a time hold all connections and wait for each other. */
function reportHeld(held: HeldConnection[]): void {
  const findings = held.map(({ outer, inner }) => `${outer.join(' < ')}\n  waits in ${inner.join(' < ')}`);
  const summary = `${held.length} transactions wait for a second connection.`;
  const message = [...findings, summary].join('\n\n');
  if (held.length > 0) fail(message);
  else say(message);
}

async function findingsIn(adminUrl: string, statements: CollectedStatement[]): Promise<string[]> {
  const db = await PartitionedDatabase.create(adminUrl);
  try {
    const rule = await OneWorkspaceRule.over(db);
    const findings: string[] = [];
    for (const statement of statements.filter((each) => !exceptionFor(each))) {
      const problems = await rule.problems(statement.text);
      if (problems.length > 0) findings.push(describe(problems, statement));
    }
    return findings;
  } finally {
    await db.close();
  }
}

function describe(problems: string[], { places, text }: CollectedStatement): string {
  return `${places.slice(0, 3).join(' < ')}\n  ${problems.join('; ')}\n  ${text.replace(/\s+/g, ' ').trim().slice(0, SHOWN)}`;
}
