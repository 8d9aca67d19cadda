import type { Examples } from '../../test/support/examples.js';

const MANAGED = '/api/admin/v1/workspaces/{workspace_id}/workflows/{workflow_id}';
const nodes = [
  {
    name: 'Length',
    node_type: 'COUNT',
    configuration: { source: 'question', type: 'words' },
    dependencies: ['question'],
    is_output_node: true,
  },
];
const graph = { nodes, required_input_variables: { question: 'string' } };

export default {
  unknown: {
    workflow_version_execution_id: 999_999_999,
    workflow_name: 'no-such-workflow',
    workflow_id_or_name: 'no-such-workflow',
    workflow_id: 999_999,
    workflow_label: 'nowhere',
  },
  bodies: {
    'POST /workflows/{workflow_name}/run': { input_variables: { question: 'Is it mine?' } },
    'POST /rest/workflows': { name: 'mine', ...graph },
    'PATCH /rest/workflows/{workflow_id_or_name}': { commit_message: 'mine' },
    'POST /workflows/{workflow_id}/external-ids': { source: 'mine', external_id: '1' },
    [`PATCH ${MANAGED}`]: { name: 'mine' },
    [`PUT ${MANAGED}/labels/{workflow_label}`]: { version_number: 1 },
  },
  queries: { 'GET /workflow-version-execution-results': '?workflow_version_execution_id=1' },
  async create({ me }, { folder_id: folder }) {
    const body = { name: 'counter', ...graph, folder_id: Number(folder), release_labels: ['prod'] };
    const { workflow_id: id } = (await me.post('/rest/workflows', body, 201)) as { workflow_id: number };
    const started = await me.post(`/workflows/${id}/run`, { input_variables: { question: 'Why?' } }, 201);
    const { workflow_version_execution_id } = started as { workflow_version_execution_id: number };
    return {
      workflow_version_execution_id,
      workflow_name: 'counter',
      workflow_id_or_name: id,
      workflow_id: id,
      workflow_label: 'prod',
    };
  },
} satisfies Examples;
