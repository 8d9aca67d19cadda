import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import { NamedColumns } from '../grid/cells/named-columns.js';
import { GridErrors } from '../grid/shared/grid.errors.js';
import { normalised } from './column-score.js';
import type { Language } from '../platform/sandbox/code-runner.js';
import {
  type AssertionAggregation,
  inferType,
  normalizeConfig,
  type ScoreConfig,
  type ScoringType,
} from './score-config.js';
import { ScoreErrors } from './scores.errors.js';

/** The score settings of a request; null means absent. */
export interface GivenScoreConfig {
  column_ids?: string[] | null;
  column_names?: string[] | null;
  true_values?: string[] | null;
  false_values?: string[] | null;
  assertion_aggregation?: AssertionAggregation | null;
  code?: string | null;
  code_language?: Language | null;
}

export interface GivenScore extends GivenScoreConfig {
  score_type?: ScoringType | null;
  score_config?: GivenScoreConfig | null;
}

/** Validates the settings of a request against the columns of the sheet and converts them for storing. */
export function readGivenScore(
  given: GivenScore,
  columns: SheetColumns,
): { scoreType: ScoringType; config: ScoreConfig } {
  refuseIncomplete(given);
  const { score_type: scoreType, score_config: nested, ...top } = given;
  // Settings beside score_config override those in it.
  const { column_ids, column_names, ...others } = { ...present(nested), ...present(top) };
  const ids = columnIdsOf(columns, { column_ids, column_names });
  const config: ScoreConfig = { ...(others as ScoreConfig), ...(ids.length > 0 && { column_ids: ids }) };
  const type = scoreType ?? inferType(config);
  if (type === 'custom') requireCode(config);
  refuseAmbiguous(config);
  return { scoreType: type, config: normalizeConfig(type, config) };
}

function refuseIncomplete({ score_type, score_config, column_ids, column_names, code }: GivenScore): void {
  if (score_config && !score_type) throw ScoreErrors.score_type_missing();
  const isAnythingNamed = Boolean(column_ids?.length || column_names?.length || code);
  if (!score_config && !isAnythingNamed) throw ScoreErrors.score_config_missing();
}

function requireCode(config: ScoreConfig): void {
  if (!config.code) throw ScoreErrors.score_code_missing();
  config.code_language ??= 'PYTHON';
}

/** Removes null values. */
function present(given: GivenScoreConfig | null | undefined): GivenScoreConfig {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined));
}

/** The ids of the named columns, without duplicates, in their order. */
function columnIdsOf(columns: SheetColumns, { column_ids: ids, column_names: names }: GivenScoreConfig): string[] {
  const byName = new NamedColumns(columns);
  const found = (names ?? []).map((name, place) => {
    const column = byName.find(`column_names[${place}]`, name);
    if (!column) throw GridErrors.column_not_found(name);
    return column.id;
  });
  return [...new Set([...(ids ?? []).map((id) => columns.require(id).id), ...found])];
}

function refuseAmbiguous({ true_values: trueValues = [], false_values: falseValues = [] }: ScoreConfig): void {
  const passes = new Set(trueValues.map(normalised));
  const both = falseValues.find((text) => passes.has(normalised(text)));
  if (both !== undefined) throw ScoreErrors.score_values_ambiguous(both);
}
