import { latencyClass } from './latency-sketch.js';

/** Rows of a domain that are added up by the hour. Its tables are made like those of migration 50. */
export interface HourlyRows {
  /** Prefix of its tables: "request" for `request_hours` and `request_hour_changes`. */
  name: string;
  /** Plural noun for log lines. */
  noun: string;
  /** The table, with the alias that the expressions below use. */
  from: string;
  /** Join that provides the facets. */
  facetsFrom?: string;
  /** All facets of a row, an array; by default the column `facets`. */
  facetList?: string;
  /** Qualifies columns, with the dot: "t." */
  alias: string;
  start: StartColumn;
  measures: Measures;
  /** SQL for who made a row, see `ORIGINS`: its sums are kept apart. */
  origin: string;
  /** An array of those facets of a row that have sums of their own, each once. */
  facets: string;
  /** True for a row that does not have all of its facets in the array. */
  facetsCut?: string;
}

/** When a row began. An index begins with the workspace and this column. */
export interface StartColumn {
  column: string;
  type: 'timestamptz' | 'bigint';
  /** Microseconds since 1970 as the column has them. */
  write(microseconds: bigint): string;
  /** SQL for the column as a text, and the microseconds that the text means. */
  text: string;
  read(text: string): bigint;
  /** SQL for the whole seconds since 1970. */
  seconds: string;
  /** SQL for the hour in which a row began, as the triggers note it. */
  hour: string;
  /** SQL for the beginning of an hour, a timestamptz, as the column has it. */
  ofHour(hour: string): string;
}

/** SQL over a row. */
export interface Measures {
  failed: string;
  unpriced: string;
  /** Decimals: their sum does not depend on the order. Null counts as 0. */
  cost: string;
  inputTokens: string;
  outputTokens: string;
  /** Null when it is not known. */
  latencyMs: string;
}

export const hoursTable = ({ name }: HourlyRows): string => `${name}_hours`;
export const changesTable = ({ name }: HourlyRows): string => `${name}_hour_changes`;

/** The columns of a row as `SUMS` adds them up. */
export const measured = ({ measures: m }: HourlyRows): string =>
  `(${m.failed})::int AS failed, (${m.unpriced})::int AS unpriced, ${m.cost} AS cost, ` +
  `${m.inputTokens} AS input_tokens, ${m.outputTokens} AS output_tokens, ${latencyClass(m.latencyMs)} AS latency`;

export const SUMS = `count(*) AS count, sum(failed) AS failed, sum(unpriced) AS unpriced, coalesce(sum(cost), 0) AS cost,
  coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens`;
