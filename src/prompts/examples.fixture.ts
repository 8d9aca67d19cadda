import type { Examples } from '../../test/support/examples.js';
import { publishPrompt } from '../../test/support/prompts.js';

const ALL_TO_ONE = [{ prompt_version_number: 1, percentage: 100 }];

export default {
  unknown: {
    identifier: 'no-such-prompt',
    prompt_id: 999_999,
    prompt_template_id: 999_999,
    prompt_label_id: 999_999,
    ab_release_id: 999_999,
    source: 'nobody',
    external_id: 'nothing',
  },
  bodies: {
    'POST /library-publish-prompt-template': { prompt_name: 'mine', prompt_template: { template: 'Hello' } },
    'POST /prompts/{prompt_id}/label': { name: 'mine', prompt_version_number: 1 },
    'POST /api/public/v2/ab-releases': { prompt_label_id: 999_999, split: ALL_TO_ONE },
    'PATCH /api/public/v2/ab-releases/{ab_release_id}': { split: ALL_TO_ONE },
    'PATCH /prompt-labels/{prompt_label_id}': { prompt_version_number: 1 },
    'POST /prompt-templates/{prompt_template_id}/external-ids': { source: 'mine', external_id: '1' },
  },
  async create({ me }, { folder_id: folderId }) {
    const [source, externalId] = ['crm', 'greeting/7'];
    const prompt = await publishPrompt(me, 'greeting', { labels: ['prod'], folderId: Number(folderId) });
    const base = `/prompt-templates/${prompt.id}`;
    await me.post(`${base}/external-ids`, { source, external_id: externalId }, 201);
    const { release_labels: labels } = (await me.get(`${base}/labels`)) as {
      release_labels: { release_label_id: number }[];
    };
    const [{ release_label_id: prompt_label_id }] = labels as [{ release_label_id: number }];
    const release = await me.post('/api/public/v2/ab-releases', { prompt_label_id, split: ALL_TO_ONE }, 201);
    return {
      identifier: 'greeting',
      prompt_id: prompt.id,
      prompt_template_id: prompt.id,
      prompt_label_id,
      ab_release_id: (release as { ab_release: { id: number } }).ab_release.id,
      source,
      external_id: encodeURIComponent(externalId),
    };
  },
} satisfies Examples;
