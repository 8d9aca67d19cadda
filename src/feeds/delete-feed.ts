import type { EntityManager } from 'typeorm';
import { closeUnread } from './feed-arrivals.queries.js';
import { Feed, FeedExecution, FeedHour, FeedItem, FeedRevision } from './feeds.entities.js';

/** Deletes a locked feed with its decisions, and the log of arrivals with its last reader. Its rows stay. */
export async function deleteFeed(
  tx: EntityManager,
  { workspaceId, id, source }: Pick<Feed, 'workspaceId' | 'id' | 'source'>,
): Promise<void> {
  for (const entity of [FeedExecution, FeedItem, FeedHour, FeedRevision]) {
    await tx.delete(entity, { workspaceId, feedId: id });
  }
  await tx.delete(Feed, { workspaceId, id });
  await closeUnread(tx, { workspaceId, source });
}
