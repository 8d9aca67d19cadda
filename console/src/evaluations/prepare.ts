import { api } from '../api/client';
import type { OperationPlanResponse } from '../api/schema.gen';
import { configOf } from './column-draft';
import { mergedScorecard } from './merged-scorecard';
import type { Draft, SheetColumn } from './wizard-state';

const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

export interface SheetPath {
  table_id: string;
  sheet_id: string;
}

interface Asked {
  draft: Draft;
  columns: SheetColumn[];
  column: string;
  variables: string[];
}

/**
 * The column with the outputs: an existing one is updated, so that going back and forth creates nothing twice. Nothing is computed yet.
 * Throws an Error that names the missing fields.
 */
export async function prepareColumn(
  path: SheetPath,
  { draft, columns, column, variables }: Asked,
): Promise<SheetColumn> {
  if (draft.runs === 'column') {
    const found = columns.find(({ title }) => title === draft.output);
    if (!found) throw new Error('Choose the column with the outputs.');
    return found;
  }
  // Any other column has values of its own, which are kept.
  const known = columns.find(({ id, type }) => id === column && type === 'PROMPT_TEMPLATE');
  const filled = draft.filled?.column?.id === column ? draft.filled.column : known;
  const config = configOf(draft, variables, known && filled ? { now: known.config, filled: filled.config } : null);
  if (known && config === known.config) return known;
  if (known) {
    const body = { type: known.type, config };
    await api(`PATCH ${SHEET}/columns/{column_id}`, { path: { ...path, column_id: known.id }, body });
    return known;
  }
  const body = { title: freeTitle('Answer', columns), type: 'PROMPT_TEMPLATE', compute: false, config };
  const { column: made } = await api(`POST ${SHEET}/columns`, { path, body });
  return made;
}

/** Adds the scorers to the scorecard of the sheet, for the outputs in the column. Nothing is computed yet. */
export async function prepareScorecard(
  path: SheetPath,
  { draft, columns }: Pick<Asked, 'draft' | 'columns'>,
  column: SheetColumn,
): Promise<void> {
  const { scorecard } = await api(`GET ${SHEET}/scorecard`, { path });
  await api(`PATCH ${SHEET}/scorecard`, { path, body: mergedScorecard(draft, scorecard, { column, columns }) });
}

function freeTitle(title: string, columns: SheetColumn[]): string {
  const isTaken = (name: string) => columns.some((column) => column.title === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? title : `${title} ${number}`;
    if (!isTaken(name)) return name;
  }
}

/** The plan of the outputs and the scores. */
export interface EvaluationPlan {
  /** null for outputs that nothing computes. */
  answers: OperationPlanResponse | null;
  scores: OperationPlanResponse;
}

const answersOf = (column: string) => ({
  operation: 'recalculate' as const,
  statuses: ['STALE', 'FAILED'],
  column_ids: [column],
});

/** `column` is null where nothing computes the outputs. */
export async function planOf(path: SheetPath, column: string | null, signal: AbortSignal): Promise<EvaluationPlan> {
  const planAnswers = async (id: string) =>
    (await api(`POST ${SHEET}/operations`, {
      path,
      body: { ...answersOf(id), dry_run: true } as never,
      signal,
    })) as OperationPlanResponse;
  const [answers, scores] = await Promise.all([
    column === null ? null : planAnswers(column),
    api(`POST ${SHEET}/scorecard/recalculate`, { path, body: { dry_run: true }, signal }),
  ]);
  return { answers, scores: scores as OperationPlanResponse };
}

/**
 * Computes the planned cells and scores them. Returns the id of the calculation. Throws an Error when there is more to
 * compute by now.
 */
export async function start(path: SheetPath, column: string, plan: EvaluationPlan): Promise<string> {
  if (plan.answers && plan.answers.cell_count > 0) {
    const send = (token?: string) =>
      api(`POST ${SHEET}/operations`, {
        path,
        body: { ...answersOf(column), confirmation_token: token } as never,
      });
    const answer = await send();
    if ('requires_confirmation' in answer) {
      if (answer.affected_cell_count !== plan.answers.cell_count) {
        throw new Error('The sheet has changed since the plan was made. Look at the new plan, and start again.');
      }
      await send(answer.confirmation_token);
    }
  }
  // Scores wait for the cells that are queued in their rows.
  const { calculation_id: id } = (await api(`POST ${SHEET}/scorecard/recalculate`, {
    path,
    body: { reuse: true },
  })) as { calculation_id: string };
  return id;
}
