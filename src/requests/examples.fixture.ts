import type { Examples } from '../../test/support/examples.js';
import { logCall } from '../../test/support/otlp.js';

export default {
  unknown: { request_id: 999_999_999 },
  bodies: {
    'PUT /api/admin/v1/workspaces/{workspace_id}/model-prices': { provider: 'mine', model: 'mine', input: 1 },
  },
  queries: {
    'DELETE /api/admin/v1/workspaces/{workspace_id}/model-prices': '?provider=mine&model=mine',
  },
  async create({ me }) {
    return { request_id: await logCall(me) };
  },
} satisfies Examples;
