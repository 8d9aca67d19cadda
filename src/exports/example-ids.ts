import type { ExampleIds } from '../platform/example-data.js';
import { Export } from './export.entity.js';

const IDS = {
  export_id: 'e0000000-0000-4000-8000-00000000000b',
  export_to_delete: 'e0000000-0000-4000-8000-00000000000c',
} as const;

/** The first two exports that have a file. */
export const EXPORT_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    const where = { workspaceId, status: 'completed' } as const;
    const [first, second] = await manager.find(Export, { where, order: { createdAt: 'ASC', id: 'ASC' }, take: 2 });
    return { export_id: first?.id, export_to_delete: second?.id };
  },
};
