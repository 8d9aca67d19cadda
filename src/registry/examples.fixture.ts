import type { Client } from '../../test/support/client.js';
import { type Examples, NOWHERE } from '../../test/support/examples.js';

const LABEL = 'approved-only';
const CHANGES = '/api/public/v2/label-changes';

export default {
  unknown: { label_change_id: NOWHERE },
  bodies: {
    [`POST ${CHANGES}`]: { kind: 'prompt', item: '999999', label: LABEL, version_number: 1, reason: 'Better' },
    [`POST ${CHANGES}/{label_change_id}/approve`]: {},
    [`POST ${CHANGES}/{label_change_id}/reject`]: { reason: 'Worse' },
  },
  async create({ me }, { workspace_id: workspace }) {
    const rules = { protected_labels: [LABEL], approval_labels: [LABEL] };
    await me.patch(`/api/admin/v1/workspaces/${workspace}/settings`, rules);
    const prompt = await newPrompt(me);
    const body = { kind: 'prompt', item: String(prompt), label: LABEL, version_number: 1, reason: 'Better' };
    const { label_change: change } = (await me.post(CHANGES, body, 201)) as { label_change: { id: string } };
    return { label_change_id: change.id };
  },
} satisfies Examples;

async function newPrompt(me: Client): Promise<number> {
  const template = { type: 'completion', content: [{ type: 'text', text: 'Hello' }] };
  const body = { prompt_template: { prompt_name: 'labelled' }, prompt_version: { prompt_template: template } };
  return ((await me.post('/rest/prompt-templates', body, 201)) as { id: number }).id;
}
