import type pg from 'pg';
import { it } from 'vitest';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import type { SearchRequest } from './one-by-one.js';
import { printTable } from './report.js';

/** Whether plans are shown. Each request is then made once more. */
export const SHOWS_PLANS = process.env.BENCH_PLANS !== undefined;

/** Shorter statements are not shown. */
const LEAST_MS = 0.1;
const MARK = 'plans of ';
const LOGGED = new RegExp(
  `LOG: {2}${MARK}(.*)|LOG: {2}duration: ([\\d.]+) ms {2}plan:\\s*(\\{[^]*?\\n\\s*\\})\\s*(?=\\n\\d{4}-|$)`,
  'g',
);

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Server, database and requests after the benches before. */
export interface Planned {
  server: Installation;
  db: pg.Client;
  workspaces: { name: string; requests: Record<string, SearchRequest> }[];
}

/**
 * Last bench of a file: shows how PostgreSQL ran the slowest statement of each request, with the rows and the index
 * that it read.
 */
export function benchPlans(planned: () => Planned): void {
  it.runIf(SHOWS_PLANS)('shows how', () => printPlans(planned()), 600_000);
}

async function printPlans({ server, db, workspaces }: Planned): Promise<void> {
  let log = '';
  server.databaseOutput.on('data', (text: string) => (log += text));
  await explainEverything(db);
  await until(async () => (await fetch(`${server.url}/health/ready`)).ok);
  for (const { name, requests } of workspaces) {
    for (const [request, make] of Object.entries(requests)) {
      await make();
      await mark(db, `${request}\t${name}`);
    }
  }
  const rows = [['request', 'of', 'ms', 'reads'], ...slowestOf(log)];
  printTable(
    'Plans: of the slowest statement of a request, how it reads each table, and the rows that this gave',
    rows,
  );
}

/** Logs every later statement that is slow, with its plan, in the log of the database. */
export async function explainEverything(db: pg.Client): Promise<void> {
  await db.query(`LOAD 'auto_explain'`);
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': String(LEAST_MS),
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_parameter_max_length': '0',
  };
  for (const [name, value] of Object.entries(settings)) await db.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await db.query('SELECT pg_reload_conf()');
  // Only new sessions load the library.
  await db.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
  );
}

/** All processes of the server write into one log, so what a request has logged stands before this. */
const mark = (db: pg.Client, what: string) => db.query(`DO $$ BEGIN RAISE LOG '%', ${quoted(MARK + what)}; END $$`);

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function slowestOf(log: string): string[][] {
  const rows: string[][] = [];
  let slowest: { ms: number; plan: string } | null = null;
  for (const [, marked, ms, plan] of log.matchAll(LOGGED)) {
    if (marked === undefined) {
      if (Number(ms) > (slowest?.ms ?? 0)) slowest = { ms: Number(ms), plan: plan! };
      continue;
    }
    const reads = slowest ? [slowest.ms.toFixed(1), readsOf(slowest.plan)] : ['', `nothing that takes ${LEAST_MS} ms`];
    rows.push([...marked.split('\t'), ...reads]);
    slowest = null;
  }
  return rows;
}

function readsOf(logged: string): string {
  const { Plan } = JSON.parse(logged) as { Plan: PlanNode };
  const reads = nodesOf(Plan).filter((node) => node['Relation Name'] ?? node['Index Name']);
  return reads
    .filter((node) => (node['Actual Loops'] ?? 0) > 0)
    .map((node) => {
      const rows = Math.round(node['Actual Rows']! * node['Actual Loops']!);
      return `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']} (${rows})`;
    })
    .join(', ');
}

/** The tables of which whole parts were read one row after the other: in how many statements, and how many rows that were. */
export function sequentialScans(log: string): string[][] {
  const scans = new Map<string, { statements: number; rows: number; ms: number }>();
  for (const [, , ms, plan] of log.matchAll(LOGGED)) {
    if (plan === undefined) continue;
    const { Plan } = JSON.parse(plan) as { Plan: PlanNode };
    for (const node of nodesOf(Plan).filter((each) => each['Node Type'] === 'Seq Scan')) {
      const table = node['Relation Name']!;
      const known = scans.get(table) ?? { statements: 0, rows: 0, ms: 0 };
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      scans.set(table, {
        statements: known.statements + 1,
        rows: known.rows + rows * (node['Actual Loops'] ?? 0),
        ms: known.ms + Number(ms),
      });
    }
  }
  const sorted = [...scans].toSorted(([, a], [, b]) => b.rows - a.rows);
  return sorted.map(([table, { statements, rows, ms }]) =>
    [table, statements, Math.round(rows), Math.round(ms)].map(String),
  );
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
