import type { Client } from './client.js';
import type { TestSheet } from './factories.js';
import { until } from './until.js';

export interface RegressionStep {
  version_number: number;
  version_id: string | null;
  outcome: 'held' | 'fell' | 'unscored';
  score: number | null;
  confidence_interval: { low: number; high: number } | null;
  scored_rows: number;
  comparison: { verdict: string; difference: number | null; n: number } | null;
  cells: { stored: number; computed: number; reused: number; failed: number };
  cost: number | null;
}

export interface Regression {
  id: string;
  status: string;
  good: RegressionStep | null;
  bad: RegressionStep | null;
  steps: RegressionStep[];
  found: boolean | null;
  first_bad_version: number | null;
  last_good_version: number | null;
  skipped_versions: number[];
  diff_path: string | null;
  message: string | null;
  max_cost: number | null;
  cost: number;
  scored_by: string;
  column_ids: string[];
}

type Sheet = Pick<TestSheet, 'path'>;

const regressionOf = (answer: unknown) => (answer as { regression: Regression }).regression;

export async function startRegression(client: Client, sheet: Sheet, body: object): Promise<Regression> {
  return regressionOf(await client.post(`${sheet.path}/regressions`, body, 202));
}

export async function readRegression(client: Client, sheet: Sheet, id: string): Promise<Regression> {
  return regressionOf(await client.get(`${sheet.path}/regressions/${id}`));
}

export async function cancelRegression(client: Client, sheet: Sheet, id: string): Promise<Regression> {
  return regressionOf(await client.post(`${sheet.path}/regressions/${id}/cancel`, {}, 200));
}

export interface RegressionPage {
  data: Regression[];
  next_cursor: string | null;
  pagination: { prev_cursor: string | null };
}

export async function listRegressions(client: Client, sheet: Sheet, query = ''): Promise<RegressionPage> {
  return (await client.get(`${sheet.path}/regressions${query}`)) as RegressionPage;
}

/** A search when it has ended. */
export async function endOfRegression(client: Client, sheet: Sheet, id: string): Promise<Regression> {
  let regression: Regression | null = null;
  await until(async () => {
    regression = await readRegression(client, sheet, id);
    return !['queued', 'running'].includes(regression.status);
  });
  return regression!;
}

/** Starts a search and waits for its end. */
export async function findRegression(client: Client, sheet: Sheet, body: object): Promise<Regression> {
  const { id } = await startRegression(client, sheet, body);
  return endOfRegression(client, sheet, id);
}
