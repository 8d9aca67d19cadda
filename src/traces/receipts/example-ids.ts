import type { ExampleIds } from '../../platform/example-data.js';
import { IngestReceipt } from './ingest-receipt.entity.js';

const IDS = { receipt_id: 'e0000000-0000-4000-8000-00000000000d' } as const;

/** The newest receipt, because receipts of the example data expire. */
export const RECEIPT_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    const [newest] = await manager.find(IngestReceipt, {
      where: { workspaceId },
      order: { receivedAt: 'DESC' },
      take: 1,
    });
    return { receipt_id: newest?.id };
  },
};
