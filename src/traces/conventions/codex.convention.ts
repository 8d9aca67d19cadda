import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';

/** Codex, whose spans are turns. */
@Convention({
  name: 'codex',
  order: 93,
  senders: 'Codex',
  words: {
    usage: { prefixes: ['codex.usage.', 'codex.turn.token_usage.'] },
  },
})
export class CodexConvention implements TraceConvention {
  readonly name = 'codex';

  read(): Reading | null {
    return null;
  }
}
