import type { FilterGroup } from '../../platform/filters/grammar.js';
import type { TextQuery } from '../../requests/index.js';

/** A query that is well formed. */
export interface ReadTraceQuery {
  group: FilterGroup | null;
  text: TextQuery | null;
}
