import { withScope } from '../shell/scope';
import { writeCondition } from './conditions';

/** The list of requests in which a field has a value, whoever made them. */
export function callsWith(field: string, value: string): string {
  const f = writeCondition({ field, key: '', operator: 'is', value });
  return withScope(`/logs?${new URLSearchParams({ f }).toString()}`, { origin: 'all', env: '' });
}
