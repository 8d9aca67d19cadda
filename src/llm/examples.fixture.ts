import type { Examples } from '../../test/support/examples.js';

const CREDENTIALS = '/api/admin/v1/workspaces/{workspace_id}/model-credentials';

export default {
  unknown: { credential_id: 999_999 },
  bodies: {
    [`POST ${CREDENTIALS}`]: { provider: 'ollama', name: 'ours', base_url: 'http://models.invalid/v1' },
    [`POST ${CREDENTIALS}/{credential_id}/test`]: { model: 'ours' },
  },
  async create({ me }, { workspace_id: workspace }) {
    const body = { provider: 'ollama', name: 'default', base_url: 'http://models.invalid/v1' };
    const answer = await me.post(CREDENTIALS.replace('{workspace_id}', String(workspace)), body, 201);
    return { credential_id: (answer as { model_credential: { id: number } }).model_credential.id };
  },
} satisfies Examples;
