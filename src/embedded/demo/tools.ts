import { EXAMPLE_SKILLS, EXAMPLE_SKILLS_TO_DELETE, EXAMPLE_TOOL } from '../../platform/example-data.js';
import type { ApiClient } from '../api-client.js';

const TOOLS = '/api/public/v2/tool-registry';
const SKILLS = '/api/public/v2/skill-collections';

const number = { type: 'number' };
const parameters = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };

const DEMO_TOOL = {
  name: EXAMPLE_TOOL,
  description: 'Multiplies two numbers.',
  tool_definition: {
    type: 'function',
    function: { name: 'multiply', description: 'Multiplies two numbers.', parameters },
  },
  execution: { type: 'code', language: 'javascript', code: 'return args.a * args.b;' },
  external_ids: [{ source: 'crm', external_id: 'tool-7' }],
};

const SKILL = `---
name: answer-kindly
description: How to answer customers of the shop.
---

Thank the customer, answer in three sentences, and say what happens next.
`;

const DEMO_SKILLS = {
  name: EXAMPLE_SKILLS,
  provider: 'claude_code',
  files: [
    { path: 'CLAUDE.md', content: 'You help the people who answer customers.\n' },
    { path: 'answer-kindly/SKILL.md', content: SKILL },
  ],
  commit_message: 'First version',
  external_ids: [{ source: 'crm', external_id: 'skill collection-7' }],
};

/** A tool with its variables, and skills; of both also one that may be deleted. */
export async function addDemoTools(client: ApiClient, workspace: string): Promise<void> {
  const { tool_registry: tool } = await client.post<{ tool_registry: { id: number } }>(TOOLS, DEMO_TOOL);
  await client.post(TOOLS, { name: 'old-tool', tool_definition: { type: 'function', function: { name: 'old' } } });
  await client.put(`${workspace}/tools/${tool.id}/labels/staging`, { version_number: 1 });
  await client.post('/api/public/v2/env-vars', { key: 'SHOP_NAME', value: 'The example shop' });
  await client.post(`${TOOLS}/${tool.id}/env-vars`, { key: 'ROUNDING', value: 'half-even' });
  await client.post(SKILLS, DEMO_SKILLS);
  await client.post(SKILLS, { name: EXAMPLE_SKILLS_TO_DELETE });
}
