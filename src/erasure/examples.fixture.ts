import { type Examples, NOWHERE } from '../../test/support/examples.js';

export default {
  unknown: { erasure_id: NOWHERE },
  bodies: { 'POST /api/admin/v1/workspaces/{workspace_id}/erasures': { user_id: 'nobody-at-all', dry_run: true } },
  async create({ me }, { workspace_id: workspace }) {
    const path = `/api/admin/v1/workspaces/${workspace}/erasures`;
    const { erasure } = (await me.post(path, { user_id: 'somebody-else', dry_run: true }, 202)) as {
      erasure: { id: string };
    };
    return { erasure_id: erasure.id };
  },
} satisfies Examples;
