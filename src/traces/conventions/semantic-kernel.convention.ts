import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';

/** Semantic Kernel, whose older versions counted the tokens of the response. */
@Convention({
  name: 'semantic-kernel',
  order: 48,
  senders: 'Semantic Kernel before it counted in the words of today, and others of that time',
  words: {
    usage: { mixedPrefixes: ['gen_ai.response.', 'gen_ai.response.usage.'] },
    parameters: { named: { max_tokens: ['gen_ai.request.max_token'] } },
  },
})
export class SemanticKernelConvention implements TraceConvention {
  readonly name = 'semantic-kernel';

  read(): Reading | null {
    return null;
  }
}
