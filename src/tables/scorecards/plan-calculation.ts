import { hash } from 'node:crypto';
import type { JsonValue } from '../../platform/json.js';
import { sourceFields } from '../../grid/column-type/source-fields.js';
import { canonicalJson } from '../../grid/column-type/values.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { CalculationPlan, PlannedStep, StepSignature } from './calculation-plan.js';
import type { StepSettings } from './scorecard-config.js';
import { thresholdsOf } from './scorecard-config.js';
import type { Scorecard } from './scorecard.entity.js';

/** A step with its column. */
export interface ScorecardStep {
  settings: StepSettings;
  column: SheetColumn;
}

/** The steps of a scorecard in their order. */
export function stepsOf({ steps }: Pick<Scorecard, 'steps'>, columns: SheetColumns): ScorecardStep[] {
  return steps.flatMap((settings) => {
    const column = columns.find(settings.id);
    return column ? [{ settings, column }] : [];
  });
}

/** Plans a calculation of the scorecard as it is now. */
export function planOf(scorecard: Scorecard, columns: SheetColumns): CalculationPlan {
  const steps = stepsOf(scorecard, columns).map((step) => planStep(scorecard, columns, step));
  const { aggregation } = scorecard;
  const parts = steps.map(({ id, signature: { config, sources } }) => [id, config, sources]);
  return { aggregation, steps, configHash: digest([aggregation, parts]) };
}

function planStep({ aggregation }: Scorecard, columns: SheetColumns, { settings, column }: ScorecardStep): PlannedStep {
  const thresholds = settings.thresholds ?? thresholdsOf(aggregation);
  const { weight, required, scoreAdapter: adapter } = settings;
  const edges = columns.edgesOf(column);
  return {
    id: column.id,
    title: column.title,
    type: column.type,
    weight,
    required,
    thresholds,
    adapter,
    evidenceMode: settings.evidenceMode ?? 'summary',
    sources: [...new Set(edges.map(({ sourceId }) => sourceId))],
    signature: signatureOf(columns, column, {
      weight,
      required,
      thresholds: { ...thresholds },
      adapter: adapter && { ...adapter },
    }),
    isAggregate: columns.type(column).options.kind === 'aggregate',
  };
}

/** Names of columns in the config are left out, because columns may be renamed; `sources` has their ids. */
function signatureOf(
  columns: SheetColumns,
  column: SheetColumn,
  settings: { [key: string]: JsonValue },
): StepSignature {
  const { options } = columns.type(column);
  const names = new Set(sourceFields(options.config).map(({ key }) => key));
  const config = Object.fromEntries(Object.entries(column.config).filter(([key]) => !names.has(key)));
  const edges = columns.edgesOf(column).map(({ sourceId, configKey, configMeta }) => [sourceId, configKey, configMeta]);
  return { config: digest([options.name, config, settings]), sources: digest(edges) };
}

function digest(value: JsonValue): string {
  return hash('sha256', canonicalJson(value)).slice(0, 32);
}
