import type { JsonValue } from '../json.js';

/** Outcome of a row of code or of an expression: a value, or the reason why there is none. */
export type RowOutcome = { value: JsonValue } | { error: string };
