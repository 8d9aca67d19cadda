import type { Examples } from '../../test/support/examples.js';
import { publishPrompt } from '../../test/support/prompts.js';
import { until } from '../../test/support/until.js';
import { createWebhook, deliveriesOf } from '../../test/support/webhooks.js';

export default {
  unknown: { webhook_id: 999_999, delivery_id: 999_999 },
  bodies: {
    'POST /api/admin/v1/workspaces/{workspace_id}/webhooks': { url: 'https://hooks.invalid/' },
  },
  async create({ me }, { workspace_id: workspace }) {
    // A reserved name that never resolves, so nothing is sent.
    const { webhook } = await createWebhook(me, Number(workspace), { url: 'http://hooks.invalid/' });
    await publishPrompt(me, 'announced', { labels: ['announced'] });
    await until(async () => (await deliveriesOf(me, webhook)).length > 1);
    return { webhook_id: webhook.id, delivery_id: (await deliveriesOf(me, webhook))[0]!.id };
  },
} satisfies Examples;
