import { z } from 'zod';
import { boundedText } from '../../platform/http/schema-field.js';
import type { JsonObject } from '../../platform/json.js';
import type { ScoreAdapter } from './score-adapter.js';
import {
  type Aggregation,
  AGGREGATION_METHODS,
  DEFAULT_THRESHOLDS,
  EVIDENCE_MODES,
  FAILURE_BEHAVIORS,
  type Thresholds,
} from './scorecard-config.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { STEP_WEIGHT } from '../shared/field-descriptions.js';

export const MAX_STEPS = 100;
const MAX_SOURCES = 1000;
const MAX_TITLE = 255;
const MAX_DESCRIPTION = 10_000;
const MAX_WEIGHT = 1_000_000;

const share = z.number().min(0).max(1).nullish();

export const METHOD = 'How the scores become one: their weighted mean, their plain mean, the smallest or the largest.';
export const FAILURE_BEHAVIOR =
  'What a required step that failed makes of the verdict: `fail` and `error` become the verdict, `warn` turns a pass into a warning.';
export const PASS_THRESHOLD = 'Scores of at least this pass, from 0 to 1.';
export const WARN_THRESHOLD = 'Lower scores of at least this get a warning, from 0 to 1; all others fail.';
const freeObject = z.record(z.string(), z.unknown());

const thresholds = z.looseObject({
  pass: share.meta({ description: PASS_THRESHOLD }),
  warn: share.meta({ description: WARN_THRESHOLD }),
});

const adapter = z.looseObject({
  type: z.literal('linear').meta({ description: 'Linear mapping of numbers.' }),
  min: z.number().nullish().meta({ description: 'The number with the score 0. By default 0.' }),
  max: z.number().nullish().meta({ description: 'The number with the score 1. By default 1.' }),
  invert: z
    .boolean()
    .nullish()
    .meta({ description: 'Whether `min` has the score 1 and `max` the score 0. By default false.' }),
});

const STEP = z
  .looseObject({
    id: z.guid().nullish().meta({ description: 'Id of the existing step to keep. A step without one is new.' }),
    title: boundedText(1, MAX_TITLE).meta({ description: 'Title of the step, for people.', example: 'Names the city' }),
    primitive_type: z.string().min(1).meta({
      description: 'Column type that computes the step: a name from `GET /api/public/v2/column-types` with `computed`.',
      example: 'CONTAINS',
    }),
    primitive_config: freeObject.nullish().meta({
      description: 'Config of that column type, with columns by title or id.',
      example: { source: 'Column A', value: 'Paris' },
    }),
    source_column_ids: z.array(z.string()).max(MAX_SOURCES).nullish().meta({
      description: 'Ids or titles of further columns that the step depends on. Those in its config need not be listed.',
    }),
    weight: z.number().positive().max(MAX_WEIGHT).nullish().meta({ description: STEP_WEIGHT, default: 1 }),
    required: z.boolean().nullish().meta({
      description: 'Whether a failure decides the verdict over all steps, as the aggregation says.',
      default: false,
    }),
    thresholds: thresholds
      .nullish()
      .meta({ description: 'Thresholds of the step. Default: those of the aggregation.' }),
    score_adapter: adapter.nullish().meta({
      description: 'How a number becomes a score. Without it, numbers are limited to 0 to 1.',
    }),
    description: z
      .string()
      .max(MAX_DESCRIPTION)
      .nullish()
      .meta({ description: 'The criterion of the step, in your words.' }),
    evidence_mode: z.enum(EVIDENCE_MODES).nullish().meta({
      description: 'Evidence that is stored with a score: a short text, everything, or nothing.',
    }),
    order_index: z.int32().nullish().meta({ description: 'Position of the step. Default: its place in the list.' }),
    target_column_id: z
      .guid()
      .nullish()
      .meta({ description: 'Column that the step is about. It has no effect on scores.' }),
    backing_column_id: z
      .guid()
      .nullish()
      .meta({ description: 'Column that the step was made from. It has no effect on scores.' }),
  })
  .meta({ id: 'ScorecardStepInput', description: 'A criterion. Other keys are ignored.' });

export type GivenStep = z.infer<typeof STEP>;

export const StepsSchema = z.array(STEP).max(MAX_STEPS);

export const AggregationSchema = z
  .looseObject({
    method: z.enum(AGGREGATION_METHODS).nullish().meta({ description: METHOD, default: 'weighted_mean' }),
    required_step_failure_behavior: z.enum(FAILURE_BEHAVIORS).nullish().meta({
      default: 'fail',
      description: FAILURE_BEHAVIOR,
    }),
    pass_threshold: share.meta({ description: PASS_THRESHOLD, default: 0.8 }),
    warn_threshold: share.meta({ description: WARN_THRESHOLD, default: 0.6 }),
  })
  .meta({
    id: 'ScorecardAggregationInput',
    description: 'How the scores of steps become one, and which scores pass. Other keys are kept.',
  });

export type GivenAggregation = z.infer<typeof AggregationSchema>;

export const BaselineSchema = z
  .looseObject({
    calculation_id: z.string().nullish().meta({
      description: 'Id of the calculation to compare with, instead of the one completed before.',
    }),
  })
  .meta({ id: 'ScorecardBaseline', description: 'Which calculation others are compared with. Other keys are kept.' });

/** The scorecard of a request. */
export interface GivenScorecard {
  name: string;
  aggregation: GivenAggregation;
  evaluatedColumnIds: string[];
  displayConfig: JsonObject | null;
  baselineConfig: JsonObject | null;
  steps: GivenStep[];
}

/** Throws scorecard_invalid when the threshold of a warning is above that of a pass. */
export function readAggregation(given: GivenAggregation): Aggregation {
  const {
    method,
    required_step_failure_behavior: behavior,
    pass_threshold: pass,
    warn_threshold: warn,
    ...others
  } = given;
  const { pass: pass_threshold, warn: warn_threshold } = inOrder('aggregation', {
    pass: pass ?? DEFAULT_THRESHOLDS.pass,
    warn: warn ?? DEFAULT_THRESHOLDS.warn,
  });
  return {
    ...(others as JsonObject),
    method: method ?? 'weighted_mean',
    required_step_failure_behavior: behavior ?? 'fail',
    pass_threshold,
    warn_threshold,
  };
}

/** null where the step has no thresholds of its own. Throws scorecard_invalid. */
export function readThresholds(place: string, given: GivenStep['thresholds']): Thresholds | null {
  if (!given) return null;
  const { pass, warn } = given;
  if ((pass ?? null) === null && (warn ?? null) === null) return null;
  return inOrder(`${place}.thresholds`, {
    pass: pass ?? DEFAULT_THRESHOLDS.pass,
    warn: warn ?? DEFAULT_THRESHOLDS.warn,
  });
}

function inOrder(place: string, thresholds: Thresholds): Thresholds {
  const { pass, warn } = thresholds;
  if (warn > pass) {
    throw ScorecardErrors.scorecard_invalid(
      place,
      `The threshold for a warning (${warn}) is above the one for a pass (${pass}).`,
    );
  }
  return thresholds;
}

/** Throws scorecard_invalid when its lower bound is not below the upper one. */
export function readAdapter(place: string, given: GivenStep['score_adapter']): ScoreAdapter | null {
  if (!given) return null;
  const { min, max, invert } = given;
  const adapter = { type: 'linear' as const, min: min ?? 0, max: max ?? 1, invert: invert ?? false };
  if (adapter.min >= adapter.max) {
    throw ScorecardErrors.scorecard_invalid(`${place}.score_adapter`, 'min has to be smaller than max.');
  }
  return adapter;
}
