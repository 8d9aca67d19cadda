import type { Client } from './client.js';
import type { TestSheet } from './factories.js';
import { until } from './until.js';

export interface Step {
  id: string;
  title: string;
  primitive_type: string;
  primitive_config: Record<string, unknown>;
  source_column_ids: string[];
  weight: number;
  required: boolean;
  thresholds: { pass: number; warn: number };
  order_index: number;
  backing_column_id: string | null;
}

export interface StaleState {
  is_stale: boolean;
  reasons: string[];
  stale_step_ids: string[];
  stale_row_indices: number[];
}

export interface Scorecard {
  id: string;
  name: string;
  status: string;
  stale_state: StaleState | null;
  aggregation: Record<string, unknown>;
  evaluated_column_ids: string[];
  steps: Step[];
  latest_calculation_id: string | null;
  config_hash: string;
}

export interface Criterion {
  step_id: string;
  title: string;
  score: number | null;
  verdict: string;
  pass_count: number;
  fail_count: number;
  error_count: number;
  skipped_count: number;
  total_count: number;
  value?: unknown;
  drift_summary: Record<string, unknown> | null;
}

export interface Calculation {
  id: string;
  status: string;
  aggregate_score: number | null;
  aggregate_verdict: string | null;
  criterion_summaries: Record<string, Criterion>;
  drift_summary: Record<string, unknown> | null;
  sheet_revision: string;
  execution_id: string | null;
  error_summary: string | null;
}

export interface ScorecardAnswer {
  scorecard: Scorecard | null;
  latest_calculation: Calculation | null;
  display_calculation: Calculation | null;
  criterion_summaries: Record<string, Criterion> | null;
  drift_summary: Record<string, unknown> | null;
  progress: Record<string, number | null> | null;
}

export interface StepResult {
  verdict: string;
  score: number | null;
  raw_value: unknown;
  error_message: string | null;
  evidence: unknown;
}

export interface RowResult {
  row_index: number;
  aggregate_score: number | null;
  aggregate_verdict: string;
  calculation_id: string;
  step_results: Record<string, StepResult>;
  drift_summary: Record<string, unknown> | null;
  stale_state: StaleState | null;
  error_summary: string | null;
}

export interface RowsPage {
  calculation_id: string | null;
  rows: Omit<RowResult, 'step_results' | 'calculation_id'>[];
  next_cursor: number | null;
  verdict_counts: Record<string, number>;
}

type Sheet = Pick<TestSheet, 'path'>;

/** A body that gives a scorecard these steps. */
export const withSteps = (steps: object[], more: object = {}): object => ({
  name: 'Quality',
  aggregation: { method: 'weighted_mean' },
  steps,
  ...more,
});

export async function configureScorecard(client: Client, sheet: Sheet, body: object): Promise<Scorecard> {
  return ((await client.patch(`${sheet.path}/scorecard`, body)) as { scorecard: Scorecard }).scorecard;
}

export async function readScorecard(client: Client, sheet: Sheet): Promise<ScorecardAnswer> {
  return (await client.get(`${sheet.path}/scorecard`)) as ScorecardAnswer;
}

export async function recalculate(client: Client, sheet: Sheet, scope: object = {}): Promise<string> {
  const answer = (await client.post(`${sheet.path}/scorecard/recalculate`, scope, 202)) as { calculation_id: string };
  return answer.calculation_id;
}

/** The newest calculation of a scorecard when it has ended. */
export async function ended(client: Client, sheet: Sheet): Promise<Calculation> {
  let latest: Calculation | null = null;
  await until(async () => {
    latest = (await readScorecard(client, sheet)).latest_calculation;
    return !['queued', 'running'].includes(latest?.status ?? 'queued');
  });
  return latest!;
}

/** Calculates a scorecard, which gets these steps first when any are given, and waits for the end. */
export async function calculateScorecard(client: Client, sheet: Sheet, steps?: object[]): Promise<Calculation> {
  if (steps) await configureScorecard(client, sheet, withSteps(steps));
  await recalculate(client, sheet);
  return ended(client, sheet);
}

export async function readResult(client: Client, sheet: Sheet, row: number, calculationId = ''): Promise<RowResult> {
  const query = calculationId === '' ? '' : `?calculation_id=${calculationId}`;
  return (await client.get(`${sheet.path}/scorecard/rows/${row}${query}`)) as RowResult;
}

export async function listResults(client: Client, sheet: Sheet, query = ''): Promise<RowsPage> {
  return (await client.get(`${sheet.path}/scorecard/rows${query}`)) as RowsPage;
}
