import { newGroup, versionFromFile } from '../../test/support/datasets.js';
import type { Examples } from '../../test/support/examples.js';

export default {
  unknown: { dataset_id: 999_999, dataset_group_id: 999_999 },
  bodies: {
    'POST /api/public/v2/dataset-groups/{dataset_group_id}/external-ids': { source: 'mine', external_id: '1' },
    'POST /api/public/v2/datasets/{dataset_id}/to-table': { title: 'Mine' },
  },
  async create({ me }) {
    const group = await newGroup(me);
    const version = await versionFromFile(me, group.id, 'question\nHi\n');
    return { dataset_id: version.id, dataset_group_id: group.id };
  },
} satisfies Examples;
