import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Values of a monitor without its last evaluation, which is due again. Without its claim an evaluation that is under way stores nothing. */
const FORGOTTEN = `latest = '[]', evaluated_to = NULL, due_at = now(), claim = NULL, lease_until = NULL, attempts = 0`;

/**
 * Alerts whose group is a person, and monitors whose name or filter names one, with their alerts. Other monitors only lose their
 * last evaluation where it names the person.
 */
export async function eraseMonitors(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const values = [workspaceId, person];
  const alerts = namesPerson(`concat_ws(' ', w.group_key, w.group_label, w.definition::text)`, '$2');
  const isOfPerson = namesPerson(`concat_ws(' ', w.name, w.definition::text)`, '$2');
  const hasGroup = namesPerson('w.latest::text', '$2');
  // Evaluations lock monitors before they write alerts.
  const lock = `SELECT FROM monitors w WHERE w.workspace_id = $1 AND (${isOfPerson} OR ${hasGroup}) ORDER BY w.id FOR UPDATE`;
  if (!isDryRun) await tx.query(lock, values);
  const monitors = { table: 'monitors', key: 'id', values };
  const ofAlerts = await eraseRows(tx, isDryRun, { table: 'monitor_alerts', key: 'id', where: alerts, values });
  const deleted = await eraseRows(tx, isDryRun, { ...monitors, where: isOfPerson });
  const others = `${hasGroup} AND NOT (${isOfPerson})`;
  return ofAlerts + deleted + (await eraseRows(tx, isDryRun, { ...monitors, where: others, set: FORGOTTEN }));
}
