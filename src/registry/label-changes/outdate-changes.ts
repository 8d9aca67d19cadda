import type { EntityManager } from 'typeorm';
import type { LabelledKindName } from './label-change.entity.js';

interface Outdated {
  workspaceId: number;
  kind: LabelledKindName;
  itemIds: readonly (number | string)[];
  /** Labels that were placed or removed; absent: the items were deleted. */
  labels?: readonly string[];
}

/** Ends open requests for changes of labels that have changed now, or of items that are gone. */
export async function outdateChanges(
  tx: EntityManager,
  { workspaceId, kind, itemIds, labels }: Outdated,
): Promise<void> {
  if (labels?.length === 0) return;
  await tx.query(
    `UPDATE label_changes SET state = 'outdated', outdated_because = $4, decided_at = now()
      WHERE workspace_id = $1 AND kind = $2 AND item_id = ANY ($3::text[]) AND state = 'open'
        AND ($5::text[] IS NULL OR normalize(label) = ANY ($5))`,
    [
      workspaceId,
      kind,
      itemIds.map(String),
      labels ? 'label_moved' : 'item_deleted',
      labels?.map((name) => name.normalize()) ?? null,
    ],
  );
}
