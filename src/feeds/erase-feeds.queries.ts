import type { EntityManager } from 'typeorm';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../platform/database/erase-rows.js';
import { deleteFeed } from './delete-feed.js';
import type { Feed } from './feeds.entities.js';

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
  if (isDryRun)
    return masked + (await eraseRows(tx, isDryRun, { table: 'feeds', key: 'id', where: namedIn('w'), values }));
  // A worker that has a feed locked adds items to it.
  const named = await tx.query<Pick<Feed, 'workspaceId' | 'id' | 'source'>[]>(
    `SELECT w.workspace_id AS "workspaceId", w.id, w.source FROM feeds w
      WHERE w.workspace_id = $1 AND ${namedIn('w')} ORDER BY w.id FOR UPDATE`,
    values,
  );
  for (const feed of named) await deleteFeed(tx, feed);
  return masked + named.length;
}
