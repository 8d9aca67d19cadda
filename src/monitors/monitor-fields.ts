import { ORIGINS } from '../llm/records/origin.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import { EnumField, IntegerField, JsonObjectField, NumberField, TextField } from '../platform/http/fields.js';
import type { JsonObject } from '../platform/json.js';
import { REQUEST_FILTER_GROUP } from '../requests/index.js';
import { TRACE_FILTER_GROUP } from '../traces/index.js';
import {
  type Definition,
  DIRECTIONS,
  type Direction,
  GROUPS,
  type GroupKind,
  type Measure,
  MEASURES,
  NO_DATA,
  type NoData,
  type Rule,
  type Source,
  SOURCES,
  WINDOWS,
} from './definition.js';

const ORIGIN_CHOICES = [...ORIGINS, 'server', 'all'];
/** A monitor of requests has the first, one of traces the second. */
export const FILTER_GROUPS = [REQUEST_FILTER_GROUP, TRACE_FILTER_GROUP];
const RULES = ['limit', 'usual'] as const;
const OPS = ['above', 'below'] as const;
const LARGEST = 1e15;
const [SHORTEST, LONGEST] = [WINDOWS[0], WINDOWS.at(-1)!];

/** A monitor as it is sent and shown. Fields that do not apply are null. */
export interface MonitorFields {
  source: Source;
  measure: Measure;
  percentile: number | null;
  score: string | null;
  filter_group: JsonObject | null;
  q: string | null;
  origin: string;
  by: GroupKind | null;
  window_minutes: number;
  rule: (typeof RULES)[number];
  op: (typeof OPS)[number] | null;
  limit: number | null;
  direction: Direction | null;
  weeks: number | null;
  false_alarms_per_week: number | null;
  least_change: number | null;
  least_items: number;
  no_data: NoData;
  closes_after_minutes: number;
  repeat_hours: number | null;
}

/** Fields of a request. `toDefinition` checks which of them are required. */
export type GivenFields = { [K in keyof MonitorFields]?: MonitorFields[K] | null };

const FALLBACKS = { weeks: 4, falseAlarmsPerWeek: 0.1, leastItems: 20, shortestClosing: 15 };

/** The definition that fields mean, with defaults for those that are missing. Throws a ValidationProblem. */
export function toDefinition(given: GivenFields): Definition {
  const measure = given.measure ?? refuseMissing('measure');
  return { ...toSelection(given), ...toMeasure(measure, given), ...toTimes(measure, given), rule: toRule(given) };
}

const toSelection = (given: GivenFields): Pick<Definition, 'source' | 'filterGroup' | 'q' | 'origin' | 'by'> => ({
  source: given.source ?? 'requests',
  filterGroup: given.filter_group ?? null,
  q: given.q?.trim() || null,
  origin: given.origin ?? 'application',
  by: given.by ?? null,
});

const toMeasure = (measure: Measure, given: GivenFields): Pick<Definition, 'measure' | 'percentile' | 'score'> => ({
  measure,
  percentile: isOf(measure, '_percentile') && given.percentile ? given.percentile / 100 : null,
  score: measure.includes('score') ? (given.score ?? null) : null,
});

type Times = Pick<Definition, 'windowMinutes' | 'leastItems' | 'noData' | 'closesAfterMinutes' | 'repeatHours'>;

function toTimes(measure: Measure, given: GivenFields): Times {
  const windowMinutes = given.window_minutes ?? 60;
  if (!(WINDOWS as readonly number[]).includes(windowMinutes)) {
    throw refusal('window_minutes', `Input should be one of ${WINDOWS.join(', ')}`);
  }
  return {
    windowMinutes,
    leastItems: given.least_items ?? (measure === 'count' ? 0 : FALLBACKS.leastItems),
    noData: given.no_data ?? 'keep',
    closesAfterMinutes: given.closes_after_minutes ?? Math.max(FALLBACKS.shortestClosing, windowMinutes),
    repeatHours: given.repeat_hours ?? null,
  };
}

const isOf = (measure: Measure, kind: string): boolean => measure.endsWith(kind);

function toRule(given: GivenFields): Rule {
  if ((given.rule ?? refuseMissing('rule')) === 'limit') {
    return { kind: 'limit', op: given.op ?? 'above', value: given.limit ?? refuseMissing('limit') };
  }
  return {
    kind: 'usual',
    direction: given.direction ?? 'either',
    weeks: given.weeks ?? FALLBACKS.weeks,
    falseAlarmsPerWeek: given.false_alarms_per_week ?? FALLBACKS.falseAlarmsPerWeek,
    leastChange: given.least_change ?? 0,
  };
}

const refuseMissing = (field: string): never => {
  throw refusal(field, 'Field required', 'missing');
};

const refusal = (field: string, msg: string, type = 'value_error'): ValidationProblem =>
  new ValidationProblem([{ loc: ['body', field], msg, type }]);

/** The fields of a definition. */
export function toFields({ rule, ...definition }: Definition): MonitorFields {
  return {
    source: definition.source,
    measure: definition.measure,
    percentile: definition.percentile === null ? null : Math.round(definition.percentile * 1e6) / 1e4,
    score: definition.score,
    filter_group: definition.filterGroup,
    q: definition.q,
    origin: definition.origin,
    by: definition.by,
    window_minutes: definition.windowMinutes,
    ...toRuleFields(rule),
    least_items: definition.leastItems,
    no_data: definition.noData,
    closes_after_minutes: definition.closesAfterMinutes,
    repeat_hours: definition.repeatHours,
  };
}

const NO_RULE = {
  op: null,
  limit: null,
  direction: null,
  weeks: null,
  false_alarms_per_week: null,
  least_change: null,
};

function toRuleFields(rule: Rule): Pick<MonitorFields, 'rule' | keyof typeof NO_RULE> {
  if (rule.kind === 'limit') return { ...NO_RULE, rule: 'limit', op: rule.op, limit: rule.value };
  const { direction, weeks, falseAlarmsPerWeek, leastChange } = rule;
  return {
    ...NO_RULE,
    rule: 'usual',
    direction,
    weeks,
    false_alarms_per_week: falseAlarmsPerWeek,
    least_change: leastChange,
  };
}

type Use = 'required' | 'optional' | 'shown';

const given = (use: Use) => (use === 'shown' ? { nullable: true } : { optional: true, nullable: true });
const needed = (use: Use) => (use === 'optional' ? { optional: true, nullable: true } : {});
const always = (use: Use) => (use === 'shown' ? {} : { optional: true, nullable: true });

const DESCRIPTIONS = {
  measure:
    'What is measured in a window: `count` of items, `failed_share`, `latency_percentile` and `first_token_percentile` in milliseconds, ' +
    '`tokens`, `cost` in US dollars, `score_mean`, `score_false_share` (scores of 0 among all scores) or `unscored_share` (items without the ' +
    'score). Shares are between 0 and 1. Times to the first token are those that spans state as a number.',
  rule:
    '`limit` compares with a fixed limit. `usual` compares with the same hours of earlier weeks: shares by Fisher’s exact test, percentiles by ' +
    'order statistics, means of scores by the bound of Chernoff and Hoeffding, sums by Student’s prediction interval of their square roots.',
  alarms:
    'How many false alarms may be expected in a week in which nothing changes, for each group. It is divided among all comparisons of the week ' +
    '(the window, and one three times as long up to 24 hours), so that looking often does not add alarms.',
};

/** Declares a field of each monitor in requests and answers. */
export const MonitorField = {
  source: (use: Use) =>
    EnumField(SOURCES, { ...always(use), description: 'Source of the items. Default: requests.', example: 'requests' }),
  measure: (use: Use) =>
    EnumField(MEASURES, { ...needed(use), description: DESCRIPTIONS.measure, example: 'failed_share' }),
  percentile: (use: Use) =>
    NumberField({
      ...given(use),
      min: 1,
      max: 99.9,
      description: 'Which percentile; for percentiles only.',
      example: 95,
    }),
  score: (use: Use) =>
    TextField({
      ...given(use),
      minLength: 1,
      maxLength: 255,
      description:
        'The name of the score; for measures of scores only. A monitor of traces takes scores of traces, which feeds publish.',
      example: 'quality',
    }),
  filterGroup: (use: Use) =>
    JsonObjectField({
      ...given(use),
      anyOf: FILTER_GROUPS,
      description:
        'Selects items like the searches of requests and of traces. Default: all. One condition on model, provider, status, prompt, user, tag or ' +
        'environment is answered from hourly sums; other filters read rows once per evaluation.',
      example: { filters: [{ field: 'engine', operator: 'is', value: 'gpt-4o' }] },
    }),
  q: (use: Use) =>
    TextField({
      ...given(use),
      maxLength: 1000,
      description: 'Words that items must contain, as in the searches.',
      example: 'refund',
    }),
  origin: (use: Use) =>
    EnumField(ORIGIN_CHOICES, {
      ...always(use),
      description: 'Origin of the items. `server` means every origin but `application`. Default: application.',
      example: 'application',
    }),
  by: (use: Use) =>
    EnumField(GROUPS, {
      ...given(use),
      description:
        'Judges each model, prompt, user or tag on its own: the 50 with the most items, and those with an open alert. Default: all items together.',
      example: 'model',
    }),
  windowMinutes: (use: Use) =>
    IntegerField({
      ...always(use),
      min: SHORTEST,
      max: LONGEST,
      description: `The length of a window in minutes: ${WINDOWS.join(', ')}. Default: 60.`,
      example: 60,
    }),
  rule: (use: Use) => EnumField(RULES, { ...needed(use), description: DESCRIPTIONS.rule, example: 'limit' }),
  op: (use: Use) =>
    EnumField(OPS, {
      ...given(use),
      description: 'Side of the limit that opens an alert; for the rule `limit` only. Default: above.',
      example: 'above',
    }),
  limit: (use: Use) =>
    NumberField({
      ...given(use),
      min: -LARGEST,
      max: LARGEST,
      description: 'The limit, in the unit of the measure; required by the rule `limit`.',
      example: 0.2,
    }),
  direction: (use: Use) =>
    EnumField(DIRECTIONS, {
      ...given(use),
      description: 'Direction of changes that open an alert; for the rule `usual` only. Default: either.',
      example: 'higher',
    }),
  weeks: (use: Use) =>
    IntegerField({
      ...given(use),
      min: 1,
      max: 8,
      description:
        'Number of earlier weeks to compare with; for the rule `usual` only. Default: 4. Sums need two weeks with data.',
      example: 4,
    }),
  falseAlarms: (use: Use) =>
    NumberField({
      ...given(use),
      min: 0.001,
      max: 10,
      description: `${DESCRIPTIONS.alarms} Default: 0.1.`,
      example: 0.1,
    }),
  leastChange: (use: Use) =>
    NumberField({
      ...given(use),
      min: 0,
      max: LARGEST,
      description:
        'Least difference from the usual figure that opens an alert, in the unit of the measure; for the rule `usual` only. Default: 0.',
      example: 0.02,
    }),
  leastItems: (use: Use) =>
    IntegerField({
      ...always(use),
      min: 0,
      max: 1_000_000_000,
      description: 'Windows with fewer items decide nothing. Default: 20, and 0 for `count`.',
      example: 20,
    }),
  noData: (use: Use) =>
    EnumField(NO_DATA, {
      ...always(use),
      description:
        'Meaning of a window without items: `keep` decides nothing, `ok` counts as fine, `open` opens an alert. Alerts of a group without items ' +
        'for a day are closed. A `count` of 0 is a figure. Default: keep.',
      example: 'keep',
    }),
  closesAfter: (use: Use) =>
    IntegerField({
      ...always(use),
      min: 0,
      max: 10_080,
      description:
        'For how many minutes every evaluation must be fine before an alert is closed. Default: the window, at least 15.',
      example: 60,
    }),
  repeatHours: (use: Use) =>
    IntegerField({
      ...given(use),
      min: 1,
      max: 168,
      description:
        'Sends `monitor_still_open` every so many hours while an alert is open. Default: null, which sends it once.',
      example: 24,
    }),
};
