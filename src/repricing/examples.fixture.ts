import type { Examples } from '../../test/support/examples.js';

const PRICED = { provider: 'mine', model: 'mine' };

export default {
  bodies: { 'POST /api/admin/v1/workspaces/{workspace_id}/repricings': { ...PRICED, dry_run: true } },
  async create({ me }, { workspace_id: workspace }) {
    await me.put(`/api/admin/v1/workspaces/${workspace}/model-prices`, { ...PRICED, input: 1 });
    return {};
  },
} satisfies Examples;
