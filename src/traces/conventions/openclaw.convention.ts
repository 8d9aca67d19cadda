import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';

/** OpenClaw, which counts the cache in a way of its own. */
@Convention({
  name: 'openclaw',
  order: 92,
  senders: 'The plugins of OpenClaw',
  words: {
    usage: { prefixes: ['openclaw.usage.', 'openclaw.tokens.'] },
    cost: { prefixes: ['openclaw.cost.', 'openclaw.usage.'] },
    conversation: [['openclaw.session.id', 80]],
  },
})
export class OpenClawConvention implements TraceConvention {
  readonly name = 'openclaw';

  read(): Reading | null {
    return null;
  }
}
