import type { JsonValue } from '../json.js';
import type { EvaluationName } from './evaluations.js';

/** What became of one row: a value, or why there is none. */
export type Outcome = { value: JsonValue } | { error: string };

export interface EvaluationCall {
  name: EvaluationName;
  options: object;
  /** The texts of each row. */
  rows: string[][];
  /** How long finished rows may be kept before they are sent. With 0 it is always known which row is being worked on. */
  flushMs: number;
}

/** Outcomes in the order of the rows. */
export type EvaluationAnswer = Outcome[];
