import type { Examples } from '../../test/support/examples.js';

export default {
  unknown: { workspace_id: 999_999, key_id: 999_999 },
  bodies: {
    'PATCH /api/admin/v1/workspaces/{workspace_id}': { name: 'Mine' },
    'PATCH /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}': { name: 'Mine' },
  },
  async create({ operator }) {
    const { workspaces } = (await operator.get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
    const workspace = workspaces[0]!.id;
    const keys = (await operator.get(`/api/admin/v1/workspaces/${workspace}/api-keys`)) as {
      api_keys: { id: number }[];
    };
    return { workspace_id: workspace, key_id: keys.api_keys.at(-1)!.id };
  },
} satisfies Examples;
