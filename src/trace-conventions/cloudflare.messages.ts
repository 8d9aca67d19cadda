import type { MessageSource } from './message-source.js';
import { readMessages } from '../llm/messages/messages.js';

/** Request and answer as JSON. */
export const cloudflareMessages: MessageSource = {
  keys: ['gen_ai.prompt_json', 'gen_ai.completion_json'],
  input: ({ attributes }) => readMessages(attributes.get('gen_ai.prompt_json'), 'user'),
  output: ({ attributes }) => readMessages(attributes.get('gen_ai.completion_json'), 'assistant'),
};
