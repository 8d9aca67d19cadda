import type { ExampleIds } from '../platform/example-data.js';
import { Monitor } from './monitor.entity.js';

const IDS = {
  monitor_id: 'e0000000-0000-4000-8000-000000000051',
  monitor_to_delete: 'e0000000-0000-4000-8000-000000000052',
} as const;

/** The first two monitors. */
export const MONITOR_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const [first, second] = await manager.find(Monitor, { where: { workspaceId }, order, take: 2 });
    return { monitor_id: first?.id, monitor_to_delete: second?.id };
  },
};
