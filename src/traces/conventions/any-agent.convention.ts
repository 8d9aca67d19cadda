import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';

/** Names that only mean something on a span that is known to be a call. */
@Convention({
  name: 'any-agent',
  order: 94,
  senders: 'any-agent, Pipecat, and senders whose input and output have no prefix',
  words: {
    values: {
      input: ['gen_ai.input', 'input', 'messages', 'prompt'],
      output: ['gen_ai.output', 'output', 'response', 'completion'],
    },
  },
})
export class AnyAgentConvention implements TraceConvention {
  readonly name = 'any-agent';

  read(): Reading | null {
    return null;
  }
}
