import type { Client } from './client.js';
import { addColumn, newSheet, type TestSheet } from './factories.js';
import { until } from './until.js';

export interface ScoreColumn {
  column_id: string;
  title: string;
  score: number | null;
  included_count: number;
  excluded_count: number;
  resolved_scoring_type: string | null;
}

export interface Score {
  scoring_type: string | null;
  columns: ScoreColumn[];
  aggregate_score: number | null;
  overall_score: number | null;
  total_rows: number;
  scored_rows: number;
  excluded_rows: number;
  calculated_at: string | null;
  status: string | null;
  score_calculation_error: string | null;
  score_configuration: { score_type: string; score_config: Record<string, unknown> } | null;
  score_type: string;
  details: Record<string, unknown>;
  aggregate: { value: number | null; success_count?: number; total_count?: number };
  per_column: Record<string, ScoreColumn>;
}

/** A sheet whose columns of text hold these values, row by row. */
export async function textSheet(
  client: Client,
  titles: string[],
  rows: unknown[][],
): Promise<TestSheet & { ids: string[] }> {
  const sheet = await newSheet(client);
  const ids: string[] = [];
  for (const title of titles) ids.push((await addColumn(client, sheet, { title, type: 'TEXT' })).id);
  await client.request('DELETE', `${sheet.path}/rows`, { row_indices: [0] });
  const values = rows.map((row) => Object.fromEntries(row.map((value, at) => [ids[at]!, value])));
  await client.post(`${sheet.path}/rows`, { count: rows.length, values }, 201);
  return { ...sheet, ids };
}

export async function readScore(client: Client, sheet: Pick<TestSheet, 'path'>): Promise<Score> {
  return (await client.get(`${sheet.path}/score`)) as Score;
}

export async function configureScore(client: Client, sheet: Pick<TestSheet, 'path'>, body: object) {
  return (await client.patch(`${sheet.path}/score`, body)) as { score_configuration_id: string; version: number };
}

/** Calculates the score of a sheet and waits for the end. */
export async function calculateScore(client: Client, sheet: Pick<TestSheet, 'path'>): Promise<Score> {
  await client.post(`${sheet.path}/score`, {}, 202);
  return calculated(client, sheet);
}

/** The score of a sheet when nothing is being calculated any more. */
export async function calculated(client: Client, sheet: Pick<TestSheet, 'path'>): Promise<Score> {
  let score: Score;
  await until(async () => {
    score = await readScore(client, sheet);
    return !['queued', 'running'].includes(score.status ?? '');
  });
  return score!;
}
