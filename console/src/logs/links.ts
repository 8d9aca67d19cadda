import { writeCondition } from '../search/conditions';
import { withScope } from '../shell/scope';

/** Fields with several values per request. */
const LISTS = ['tags', 'tool_names'];

/** The list of requests in which a field has a value, from every origin. */
export function callsWith(field: string, value: string): string {
  const operator = LISTS.includes(field) ? 'contains' : 'is';
  const f = writeCondition({ field, key: '', operator, value });
  return withScope(`/logs?${new URLSearchParams({ f }).toString()}`, { origin: 'all', env: '' });
}
