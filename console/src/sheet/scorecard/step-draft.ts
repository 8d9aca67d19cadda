import type { ColumnBody, ColumnTypeBody, ScorecardBody, ScorecardStepInput } from '../../api/schema.gen';
import type { Scorer } from '../../evaluations/scorers';
import { mended, type Schema, type Values } from '../../ui/schema-fields';
import { withIds } from '../config-values';

/** A step while it is edited. Numbers are texts; empty thresholds are those of the scorecard. */
export interface StepDraft {
  /** Identifies the draft. */
  key: string;
  /** Empty for a new step. */
  id: string;
  title: string;
  type: string;
  config: Values;
  weight: string;
  required: boolean;
  pass: string;
  warn: string;
  /** Fields that the form does not show, and sends back unchanged. */
  kept: Partial<ScorecardStepInput>;
}

type Types = Map<string, ColumnTypeBody>;
type Step = ScorecardBody['steps'][number];

export function draftsOf(scorecard: ScorecardBody | null, types: Types, columns: ColumnBody[]): StepDraft[] {
  const whole = scorecard?.aggregation;
  const own = (value: number, of: number | undefined) => (value === of ? '' : String(value));
  return (scorecard?.steps ?? []).map((step) => ({
    key: step.id,
    id: step.id,
    title: step.title,
    type: step.primitive_type,
    config: configOf(step, types, columns),
    weight: String(step.weight),
    required: step.required,
    pass: own(step.thresholds.pass, whole?.pass_threshold),
    warn: own(step.thresholds.warn, whole?.warn_threshold),
    kept: {
      score_adapter: step.score_adapter,
      description: step.description,
      evidence_mode: step.evidence_mode,
      target_column_id: step.target_column_id,
      backing_column_id: step.backing_column_id,
      source_column_ids: furtherSources(step, configOf(step, types, columns)),
    },
  }));
}

const configOf = ({ primitive_type: type, primitive_config: config }: Step, types: Types, columns: ColumnBody[]) =>
  withIds(config, types.get(type)?.source_keys ?? [], columns);

/** Sources that the config does not name. The server finds the others in the config. */
function furtherSources({ source_column_ids: sources }: Step, config: Values): string[] {
  const text = JSON.stringify(config);
  return sources.filter((id) => !text.includes(JSON.stringify(id)));
}

/** A step of a template or of a type. It reads the judged column, if there is one. */
export function newDraft(scorer: Pick<Scorer, 'title' | 'type' | 'config'>, key: string, judged: string): StepDraft {
  const { title, type, config } = scorer;
  const source = judged === '' ? {} : 'sources' in config ? { sources: [judged] } : { source: judged };
  const known = { ...config, ...source };
  return { key, id: '', title, type, config: known, weight: '1', required: false, pass: '', warn: '', kept: {} };
}

/**
 * The step in the form that the API takes; `whole` has the thresholds of the scorecard. Throws an Error that names the
 * missing fields.
 */
export function toStep(draft: StepDraft, types: Types, whole: Thresholds): ScorecardStepInput {
  const { id, title, type, config, weight, required, kept } = draft;
  const known = types.get(type);
  const named = title.trim() || known?.title || type;
  const filled = known ? mended(known.config_schema as Schema, config) : config;
  const missing = (known?.source_keys ?? []).find((key) => isRequired(known, key) && isEmpty(filled[key]));
  if (missing !== undefined) throw new Error(`${named}: choose the column that it reads.`);
  return {
    ...kept,
    ...(id !== '' && { id }),
    title: named,
    primitive_type: type,
    primitive_config: filled,
    weight: numberOf(weight) ?? 1,
    required,
    thresholds: thresholdsOf(draft, whole),
  };
}

interface Thresholds {
  pass_threshold: number | null;
  warn_threshold: number | null;
}

/** Null for those of the scorecard. The server would fill a missing half with a fixed value instead. */
function thresholdsOf({ pass, warn }: StepDraft, whole: Thresholds): ScorecardStepInput['thresholds'] {
  if (pass === '' && warn === '') return null;
  return { pass: numberOf(pass) ?? whole.pass_threshold, warn: numberOf(warn) ?? whole.warn_threshold };
}

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

const isRequired = (type: ColumnTypeBody | undefined, key: string): boolean =>
  (type?.config_schema as Schema | undefined)?.required?.includes(key) ?? false;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Types that can judge: they are computed, row by row. */
export const stepTypes = (types: Types): ColumnTypeBody[] =>
  [...types.values()].filter(({ computed, creatable, kind }) => computed && creatable && kind !== 'aggregate');
