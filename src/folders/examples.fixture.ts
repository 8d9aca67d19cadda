import type { Examples } from '../../test/support/examples.js';

export default {
  unknown: { folder_id: 999_999 },
  bodies: {
    'PATCH /api/public/v2/folders/{folder_id}': { name: 'Mine' },
    'POST /api/public/v2/folders/{folder_id}/external-ids': { source: 'mine', external_id: '1' },
  },
  async create({ me }) {
    const { folder } = (await me.post('/api/public/v2/folders', { name: 'Support' }, 201)) as {
      folder: { id: number };
    };
    return { folder_id: folder.id };
  },
} satisfies Examples;
