import { EXAMPLE_PROMPT } from '../../platform/example-data.js';

/** Instructions of the assistant in the example data. */
export const INSTRUCTIONS =
  'You answer customers of a web shop. Use only the documents you are given, and say so when they do not hold the answer.';

export const PROMPT_NAME = EXAMPLE_PROMPT;

/** The prompt that the calls of the example traces were made with, as it is published. */
export const DEMO_PROMPT = {
  prompt_template: { prompt_name: PROMPT_NAME, tags: ['support'] },
  prompt_version: {
    prompt_template: {
      type: 'chat',
      messages: [
        { role: 'system', content: [{ type: 'text', text: INSTRUCTIONS }] },
        { role: 'user', content: [{ type: 'text', text: '{question}\n\nDocuments: {documents}' }] },
      ],
    },
    metadata: { model: { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0.2 } } },
    commit_message: 'First version',
  },
  release_labels: ['production'],
};
