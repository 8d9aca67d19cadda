import type { EntityManager } from 'typeorm';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../platform/database/erase-rows.js';

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
  return masked + (await eraseRows(tx, isDryRun, { table: 'feeds', key: 'id', where: namedIn('w'), values }));
}

async function deleteParts(tx: EntityManager, values: unknown[]): Promise<void> {
  for (const table of ['feed_executions', 'feed_items', 'feed_hours', 'feed_revisions']) {
    await tx.query(
      `DELETE FROM ${table} d USING feeds w
        WHERE d.workspace_id = $1 AND w.workspace_id = $1 AND d.feed_id = w.id AND ${namedIn('w')}`,
      values,
    );
  }
}
