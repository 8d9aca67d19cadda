import type { Examples } from '../../test/support/examples.js';

export default {
  unknown: { workspace_id: 999_999, key_id: 999_999 },
  bodies: {
    'PATCH /api/admin/v1/workspaces/{workspace_id}': { name: 'Mine' },
    'PATCH /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}': { name: 'Mine' },
    'PUT /api/admin/v1/workspaces/{workspace_id}/storage': { max_stored_bytes: null, max_rows: null },
  },
  async create({ me, operator }) {
    const { workspaces } = (await operator.get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
    for (const { id } of workspaces) {
      const { status, body } = await me.request('GET', `/api/admin/v1/workspaces/${id}/api-keys`);
      if (status !== 200) continue;
      return { workspace_id: id, key_id: (body as { api_keys: { id: number }[] }).api_keys.at(-1)!.id };
    }
    throw new Error('The client has no workspace.');
  },
} satisfies Examples;
