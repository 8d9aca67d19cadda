import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';

/** Langtrace, in the words it had before it took those of OpenTelemetry. */
@Convention({
  name: 'langtrace',
  order: 52,
  senders: 'Langtrace',
  words: {
    model: { requested: ['llm.model'], called: ['llm.model'] },
    provider: ['langtrace.service.name'],
    usage: { objects: ['llm.token.counts'] },
    values: { output: ['llm.responses'] },
  },
})
export class LangtraceConvention implements TraceConvention {
  readonly name = 'langtrace';

  read(): Reading | null {
    return null;
  }
}
