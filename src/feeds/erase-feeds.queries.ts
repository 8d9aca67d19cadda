import type { EntityManager } from 'typeorm';
import { ARRIVAL_KINDS } from '../arrivals/index.js';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../platform/database/erase-rows.js';
import { closeUnread } from './feed-arrivals.queries.js';

const namedIn = (feed: string): string =>
  namesPerson(`concat_ws(' ', ${feed}.name, ${feed}.settings::text, ${feed}.columns::text)`, '$2');

/** Deletes feeds that name the person, with their decisions, and masks the name in earlier settings of others. Rows of sheets are not touched. */
export async function eraseFeeds(tx: EntityManager, { workspaceId, person, mask, isDryRun }: Sought): Promise<number> {
  const values = [workspaceId, person];
  const earlier = `${namesPerson('w.settings::text', '$2')} AND NOT EXISTS (
    SELECT FROM feeds f WHERE f.workspace_id = $1 AND f.id = w.feed_id AND ${namedIn('f')})`;
  const masked = await eraseRows(tx, isDryRun, {
    table: 'feed_revisions',
    key: 'feed_id, revision',
    where: earlier,
    values: isDryRun ? values : [...values, mask],
    set: `settings = ${maskPerson('settings::text', '$2', '$3')}::jsonb`,
  });
  if (!isDryRun) await deleteParts(tx, values);
  const erased = await eraseRows(tx, isDryRun, { table: 'feeds', key: 'id', where: namedIn('w'), values });
  if (!isDryRun && erased > 0) {
    for (const source of ARRIVAL_KINDS) await closeUnread(tx, { workspaceId, source });
  }
  return masked + erased;
}

async function deleteParts(tx: EntityManager, values: unknown[]): Promise<void> {
  // A worker that has a feed locked adds items to it.
  await tx.query(`SELECT FROM feeds w WHERE w.workspace_id = $1 AND ${namedIn('w')} ORDER BY w.id FOR UPDATE`, values);
  for (const table of ['feed_executions', 'feed_items', 'feed_hours', 'feed_revisions']) {
    await tx.query(
      `DELETE FROM ${table} d USING feeds w
        WHERE d.workspace_id = $1 AND w.workspace_id = $1 AND d.feed_id = w.id AND ${namedIn('w')}`,
      values,
    );
  }
}
