import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { openRouterMessages } from './open-router.messages.js';

/** OpenRouter exports every call that it routes in the words of OpenTelemetry, but for its answers. */
@Convention({
  name: 'open-router',
  order: 45,
  senders: 'OpenRouter Broadcast',
  words: {
    metadata: [{ strength: 25, prefix: 'trace.metadata.' }],
    messages: [openRouterMessages],
  },
})
export class OpenRouterConvention implements TraceConvention {
  readonly name = 'open-router';

  read(): Reading | null {
    return null;
  }
}
