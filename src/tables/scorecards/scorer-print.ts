import { hash } from 'node:crypto';
import { comparableText } from '../../platform/comparable-text.js';
import { isPassingDatabaseFailure } from '../../platform/errors/failures.js';
import type { JsonValue } from '../../platform/json.js';
import { externalTypeOf } from '../../grid/column-type/column-type.js';
import { sourceFields } from '../../grid/column-type/source-fields.js';
import { canonicalJson } from '../../grid/column-type/values.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ColumnPlan } from '../../grid/computing/column-plan.js';
import type { CalculationResult, PlannedStep } from './calculation-plan.js';
import { isJudged } from './input-columns.js';

/** Parts of a scorer that may change. */
export const SCORER_CHANGES = ['config', 'columns', 'versions'] as const;
export type ScorerChange = (typeof SCORER_CHANGES)[number];

/** Digests of everything that decides the scores of a step besides the texts that are judged. */
export interface ScorerPrint {
  /** null where the results of the step are from several configurations. */
  config: string | null;
  /** The columns that it reads, and the computed columns between it and the judged texts. */
  columns: string;
  /** The versions of prompts and the default models; null for calculations that did not record them. */
  versions: string | null;
}

/** A sheet at the time of a calculation, and the result. */
export interface ScoredSheet {
  columns: SheetColumns;
  /** Columns that the scorecard judges. */
  evaluated: readonly string[];
  result: Pick<CalculationResult, 'signatures' | 'resolved'>;
}

/** The changes between two prints of a step; empty for the same scorer. */
export function scorerChanges(now: ScorerPrint, before: ScorerPrint): ScorerChange[] {
  const known = now.versions !== null && before.versions !== null;
  const differs: Record<ScorerChange, boolean> = {
    config: now.config === null || now.config !== before.config,
    columns: now.columns !== before.columns,
    versions: known && now.versions !== before.versions,
  };
  return SCORER_CHANGES.filter((part) => differs[part]);
}

/**
 * `isSameSheet`: columns are identified by their ids, which do not change with the title. Columns of two sheets are
 * identified by their titles.
 */
export function printOf(scored: ScoredSheet, step: PlannedStep, isSameSheet: boolean): ScorerPrint {
  const { columns, result } = scored;
  const column = columns.find(step.id);
  const behind = column ? columnsBehind(columns, column, scored.evaluated) : [];
  const nameOf = ({ id, title }: SheetColumn) => (isSameSheet ? id : comparableText(title));
  const resolved = result.resolved;
  const config = result.signatures[step.id]?.config;
  return {
    config: config || null,
    columns: digest([
      column ? edgesOf(columns, column, nameOf) : [],
      behind.map((each) => setUpOf(columns, each, nameOf)),
    ]),
    versions: resolved ? digest([step.id, ...behind.map(({ id }) => id)].map((id) => resolved[id] ?? null)) : null,
  };
}

/**
 * The computed columns between a step and the judged columns, nearest first. Empty if no column is declared as judged:
 * a prompt that a step reads directly is then under test, not part of the scorer.
 */
export function columnsBehind(columns: SheetColumns, step: SheetColumn, evaluated: readonly string[]): SheetColumn[] {
  if (!columns.ofSheet.some((column) => isJudged(column, evaluated))) return [];
  const found = new Map<string, SheetColumn>();
  const waiting = [step];
  for (let column = waiting.shift(); column; column = waiting.shift()) {
    for (const { sourceId } of columns.edgesOf(column)) {
      const source = columns.find(sourceId);
      const isScorer = source && columns.isComputed(source) && !isJudged(source, evaluated);
      if (!isScorer || found.has(source.id)) continue;
      found.set(source.id, source);
      waiting.push(source);
    }
  }
  return [...found.values()];
}

/** Digests of the current versions of prompts and of the default models in the configs, by column. */
export async function resolveScorers(
  columns: SheetColumns,
  steps: PlannedStep[],
  evaluated: readonly string[],
): Promise<Record<string, string>> {
  const own = steps.flatMap(({ id }) => columns.find(id) ?? []);
  const all = new Set(own.flatMap((step) => [step, ...columnsBehind(columns, step, evaluated)]));
  const resolved: Record<string, string> = {};
  for (const column of all) {
    const meant = await resolve(columns, column);
    if (meant !== null) resolved[column.id] = digest(meant);
  }
  return resolved;
}

/**
 * null where there is nothing to resolve, or where resolving fails: the cells of the column have failed with the reason
 * then.
 */
async function resolve(columns: SheetColumns, column: SheetColumn): Promise<string | null> {
  const { workspaceId } = column;
  try {
    const plan = ColumnPlan.of(columns, column);
    return (await externalTypeOf(plan.type).dependsOn?.(plan.inputs.resolve([]), { workspaceId })) ?? null;
  } catch (error) {
    if (isPassingDatabaseFailure(error)) throw error;
    return null;
  }
}

function edgesOf(columns: SheetColumns, column: SheetColumn, nameOf: (source: SheetColumn) => string): JsonValue {
  return columns
    .edgesOf(column)
    .map(({ sourceId, configKey, configMeta }) => {
      const source = columns.find(sourceId);
      return canonicalJson([source ? nameOf(source) : null, configKey, configMeta]);
    })
    .toSorted();
}

/** The config without the columns that it names, which are in the edges. */
function setUpOf(columns: SheetColumns, column: SheetColumn, nameOf: (source: SheetColumn) => string): JsonValue {
  const { options } = columns.type(column);
  const names = new Set(sourceFields(options.config).map(({ key }) => key));
  const config = Object.fromEntries(Object.entries(column.config).filter(([key]) => !names.has(key)));
  return [nameOf(column), options.name, config, edgesOf(columns, column, nameOf)];
}

const digest = (value: JsonValue): string => hash('sha256', canonicalJson(value)).slice(0, 32);
