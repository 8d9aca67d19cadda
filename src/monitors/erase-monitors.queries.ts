import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Alerts whose group is a person, and monitors whose name or filter names one, with their alerts. */
export async function eraseMonitors(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const values = [workspaceId, person];
  const alerts = namesPerson(`concat_ws(' ', w.group_key, w.group_label, w.definition::text)`, '$2');
  const monitors = namesPerson(`concat_ws(' ', w.name, w.definition::text, w.latest::text)`, '$2');
  // Evaluations lock monitors before they write alerts.
  const lock = `SELECT FROM monitors w WHERE w.workspace_id = $1 AND ${monitors} ORDER BY w.id FOR UPDATE`;
  if (!isDryRun) await tx.query(lock, values);
  const erased = await eraseRows(tx, isDryRun, { table: 'monitor_alerts', key: 'id', where: alerts, values });
  return erased + (await eraseRows(tx, isDryRun, { table: 'monitors', key: 'id', where: monitors, values }));
}
