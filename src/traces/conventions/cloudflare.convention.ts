import type { MessageSource } from './message-source.js';
import type { Reading, TraceConvention } from './convention.js';
import { readMessages } from '../../llm/messages/messages.js';
import { Convention } from './conventions.js';

const cloudflareTexts: MessageSource = {
  keys: ['gen_ai.prompt_json', 'gen_ai.completion_json'],
  input: ({ attributes }) => readMessages(attributes.get('gen_ai.prompt_json'), 'user'),
  output: ({ attributes }) => readMessages(attributes.get('gen_ai.completion_json'), 'assistant'),
};

/** The gateway of Cloudflare: OpenTelemetry, with request and answer as JSON. */
@Convention({
  name: 'cloudflare',
  order: 49,
  senders: 'The AI Gateway of Cloudflare',
  words: {
    texts: [cloudflareTexts],
  },
})
export class CloudflareConvention implements TraceConvention {
  readonly name = 'cloudflare';

  read(): Reading | null {
    return null;
  }
}
