import type { ExampleIds } from '../platform/example-data.js';
import { Erasure } from './erasure.entity.js';

const IDS = { erasure_id: 'e0000000-0000-4000-8000-000000000031' } as const;

/** The first erasure, of which the example data has made a dry run. */
export const ERASURE_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    const [first] = await manager.find(Erasure, { where: { workspaceId }, order: { createdAt: 'ASC' }, take: 1 });
    return { erasure_id: first?.id };
  },
};
