import { EXAMPLE_WORKFLOW, EXAMPLE_WORKFLOW_TO_DELETE } from '../../platform/example-data.js';
import type { ApiClient } from '../api-client.js';

const WORKFLOWS = '/rest/workflows';

const required_input_variables = { question: 'string' };

const WORDS = {
  name: 'Words',
  node_type: 'COUNT',
  configuration: { source: 'question', type: 'words' },
  dependencies: ['question'],
  is_output_node: false,
};

/** Uses the built-in model, which repeats its input. */
const letter = (model: { provider: string; model: string }) => ({
  name: 'Letter',
  node_type: 'PROMPT_TEMPLATE',
  configuration: {
    inline_template: {
      inline: true,
      prompt_template: {
        type: 'chat',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'You asked us in {words} words: {question}' }] }],
      },
      metadata: { model: { provider: model.provider, name: model.model, parameters: {} } },
    },
    prompt_template_variable_mappings: { words: 'Words', question: 'question' },
  },
  dependencies: ['Words', 'question'],
  is_output_node: true,
});

const LONG_QUESTIONS_ONLY = {
  source_node_name: 'Words',
  target_node_name: 'Letter',
  is_and: true,
  conditionals: [
    {
      position: 0,
      operator: '>',
      left_config: { type: 'source', source: { name: 'Words' } },
      right_config: { type: 'static_value', static_value: 3 },
    },
  ],
};

/** A workflow that answers questions of more than three words, with a run, and one that may be deleted. */
export async function addDemoWorkflows(client: ApiClient, model: { provider: string; model: string }): Promise<void> {
  await client.post(WORKFLOWS, {
    name: EXAMPLE_WORKFLOW,
    required_input_variables,
    nodes: [WORDS, letter(model)],
    edges: [LONG_QUESTIONS_ONLY],
    commit_message: 'First version',
    release_labels: ['staging'],
    external_ids: [{ source: 'crm', external_id: 'workflow-7' }],
  });
  const input_variables = { question: 'Where is the parcel that I ordered on Monday?' };
  await client.post(`/workflows/${EXAMPLE_WORKFLOW}/run`, { input_variables });
  const nodes = [{ ...WORDS, is_output_node: true }];
  await client.post(WORKFLOWS, { name: EXAMPLE_WORKFLOW_TO_DELETE, required_input_variables, nodes });
}
