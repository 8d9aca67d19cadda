import { type Examples, NOWHERE } from '../../test/support/examples.js';

const SKILLS = '/api/public/v2/skill-collections';

export default {
  unknown: { skill_collection: 'no-such-collection', skill_collection_id: NOWHERE, skill_version: 999_999 },
  bodies: {
    [`POST ${SKILLS}`]: { name: 'mine' },
    [`PATCH ${SKILLS}/{skill_collection}`]: { description: 'Mine' },
    [`POST ${SKILLS}/{skill_collection}/versions`]: { commit_message: 'Mine' },
    [`POST ${SKILLS}/{skill_collection_id}/external-ids`]: { source: 'mine', external_id: '1' },
  },
  async create({ me }, { folder_id: folder }) {
    const files = [{ path: 'greeting/SKILL.md', content: '# Greet people' }];
    const body = { name: 'greetings', provider: 'claude_code', files, folder_id: Number(folder) };
    const { skill_collection: collection } = (await me.post(SKILLS, body, 201)) as { skill_collection: { id: string } };
    return { skill_collection: collection.id, skill_collection_id: collection.id, skill_version: 1 };
  },
} satisfies Examples;
