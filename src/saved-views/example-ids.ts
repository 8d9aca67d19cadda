import type { ExampleIds } from '../platform/example-data.js';
import { SavedView } from './saved-view.entity.js';

const IDS = {
  saved_view_id: 'e0000000-0000-4000-8000-000000000041',
  saved_view_to_delete: 'e0000000-0000-4000-8000-000000000042',
} as const;

/** The first two shared views. */
export const SAVED_VIEW_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    const where = { workspaceId, isShared: true };
    const [first, second] = await manager.find(SavedView, { where, order: { createdAt: 'ASC', id: 'ASC' }, take: 2 });
    return { saved_view_id: first?.id, saved_view_to_delete: second?.id };
  },
};
