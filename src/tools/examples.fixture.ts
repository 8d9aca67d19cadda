import type { Examples } from '../../test/support/examples.js';

const TOOLS = '/api/public/v2/tool-registry';
const MANAGED = '/api/admin/v1/workspaces/{workspace_id}/tools/{tool_id}';
const definition = { type: 'function', function: { name: 'greet' } };

export default {
  unknown: { tool_identifier: 'no-such-tool', tool_id: 999_999, tool_label: 'nowhere' },
  bodies: {
    [`POST ${TOOLS}`]: { name: 'mine', tool_definition: definition },
    [`POST ${TOOLS}/{tool_identifier}/versions`]: { tool_definition: definition },
    [`POST ${TOOLS}/{tool_identifier}/env-vars`]: { key: 'MINE' },
    [`PATCH ${TOOLS}/{tool_identifier}/env-vars/{var_id}`]: { value: 'mine' },
    [`POST ${TOOLS}/{tool_id}/external-ids`]: { source: 'mine', external_id: '1' },
    [`PUT ${MANAGED}/labels/{tool_label}`]: { version_number: 1 },
  },
  async create({ me }, { workspace_id: workspace, folder_id: folder }) {
    const execution = { type: 'code', language: 'python', code: "return 'Hello ' + args['name']" };
    const body = { name: 'greeter', tool_definition: definition, execution, folder_id: Number(folder) };
    const { tool_registry: tool } = (await me.post(TOOLS, body, 201)) as { tool_registry: { id: number } };
    const managed = `/api/admin/v1/workspaces/${workspace}/tools/${tool.id}`;
    await me.put(`${managed}/labels/prod`, { version_number: 1 });
    return { tool_identifier: tool.id, tool_id: tool.id, tool_label: 'prod' };
  },
} satisfies Examples;
