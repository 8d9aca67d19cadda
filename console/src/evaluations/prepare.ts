import { api } from '../api/client';
import type { CreateColumnRequest, OperationPlanResponse } from '../api/schema.gen';
import { toParameters, toPrompt, variablesOf } from '../playground/variant';
import { stepOf } from './scorers';
import type { Draft } from './wizard-state';

const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

export interface SheetPath {
  table_id: string;
  sheet_id: string;
}

interface KnownColumn {
  id: string;
  title: string;
  type: string;
}

interface Asked {
  draft: Draft;
  columns: KnownColumn[];
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
): Promise<KnownColumn> {
  if (draft.runs === 'column') {
    const found = columns.find(({ title }) => title === draft.output);
    if (!found) throw new Error('Choose the column with the outputs.');
    return found;
  }
  const config = configOf(draft, variables) as NonNullable<CreateColumnRequest['config']>;
  // Any other column has values of its own, which are kept.
  const known = columns.find(({ id, type }) => id === column && type === 'PROMPT_TEMPLATE');
  if (known) {
    await api(`PATCH ${SHEET}/columns/{column_id}`, {
      path: { ...path, column_id: known.id },
      body: { type: known.type, config },
    });
    return known;
  }
  const body = { title: freeTitle('Answer', columns), type: 'PROMPT_TEMPLATE', compute: false, config };
  const { column: made } = await api(`POST ${SHEET}/columns`, { path, body });
  return made;
}

/** Makes the scorers the scorecard of the sheet, for the outputs in the column. Nothing is computed yet. */
export async function prepareScorecard(path: SheetPath, draft: Draft, outputs: KnownColumn): Promise<void> {
  const steps = draft.scorers.map((scorer) => stepOf(scorer, outputs.title));
  const { scorecard } = await api(`GET ${SHEET}/scorecard`, { path });
  await api(`PATCH ${SHEET}/scorecard`, {
    path,
    body: {
      name: scorecard?.name ?? (draft.title.trim() || 'Evaluation'),
      aggregation: (scorecard?.aggregation ?? { method: 'weighted_mean' }) as never,
      evaluated_column_ids: [outputs.id],
      steps,
    },
  });
}

function freeTitle(title: string, columns: KnownColumn[]): string {
  const isTaken = (name: string) => columns.some((column) => column.title === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? title : `${title} ${number}`;
    if (!isTaken(name)) return name;
  }
}

function configOf(draft: Draft, variables: string[]): object {
  const missing = variables.find((name) => !draft.mappings[name]);
  if (missing !== undefined) throw new Error(`Choose the column for the variable ${missing}.`);
  const mappings = Object.fromEntries(variables.map((name) => [name, draft.mappings[name]]));
  const common = { prompt_template_variable_mappings: mappings };
  if (draft.runs === 'prompt') {
    const { id, label } = draft.prompt;
    if (id === '') throw new Error('Choose a prompt.');
    return { ...common, template: { name: id, ...(label !== '' && { label }) } };
  }
  const { variant } = draft;
  const [provider, name] = [variant.provider.trim(), variant.model.trim()];
  if (provider === '' || name === '') throw new Error('Choose a provider and a model.');
  return {
    ...common,
    inline_template: {
      inline: true,
      prompt_template: toPrompt(variant),
      metadata: { model: { provider, name, api_type: variant.apiType, parameters: toParameters(variant) } },
    },
    credential: variant.credential.trim() || null,
  };
}

/** Variables of the message to send. */
export const variablesIn = ({ variant }: Draft): string[] => variablesOf([variant]);

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
