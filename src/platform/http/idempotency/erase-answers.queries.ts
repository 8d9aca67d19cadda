import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../database/erase-rows.js';

const NAMES_LOG = `'"(?:id|request_id|request_log_id)": ?(\\d+)'`;

/** Erases stored answers that name a person, or one of the traces or request logs. A repeated request then takes effect once more. */
export function eraseAnswers(tx: EntityManager, sought: Sought): Promise<number> {
  const { workspaceId, person, traceIds, logIds, isDryRun } = sought;
  const named = (pattern: string, ids: string) =>
    `EXISTS (SELECT FROM regexp_matches(w.response, ${pattern}, 'g') AS m (found) WHERE m.found[1] = ANY(${ids}::text[]))`;
  const names = [namesPerson('w.response', '$2'), named(`'[0-9a-f]{32}'`, '$3'), named(NAMES_LOG, '$4')].join(' OR ');
  // Running requests have no answer yet.
  const where = `w.status IS NOT NULL AND (${names})`;
  const values = [workspaceId, person, traceIds, logIds];
  return eraseRows(tx, isDryRun, { table: 'idempotency_keys', key: 'key', where, values });
}
