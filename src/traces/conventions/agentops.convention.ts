import type { NormalizedSpan } from '../span.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readMarked } from './reading.js';

/** AgentOps, whose calls have the words of OpenTelemetry. */
@Convention({
  name: 'agentops',
  order: 55,
  senders: 'AgentOps',
  words: {
    marks: [{ key: 'agentops.span.kind', llm: /^llm(?:\.call)?$/i, isOther: isAroundCalls }],
    values: { input: ['agentops.entity.input'], output: ['agentops.entity.output'] },
  },
})
export class AgentOpsConvention implements TraceConvention {
  readonly name = 'agentops';

  read(span: NormalizedSpan): Reading | null {
    return readMarked(span, 'agentops.span.kind');
  }
}
