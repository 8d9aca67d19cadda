import type { JsonValue } from '../json.js';

/** What came of a row of code or of an expression: a value, or why there is none. */
export type RowOutcome = { value: JsonValue } | { error: string };
