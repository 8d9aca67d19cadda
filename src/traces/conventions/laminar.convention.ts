import type { NormalizedSpan } from '../span.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readMarked } from './reading.js';

/** Laminar, whose calls have the words of OpenTelemetry and OpenLLMetry. */
@Convention({
  name: 'laminar',
  order: 54,
  senders: 'Laminar',
  words: {
    user: [['lmnr.association.properties.user_id', 79]],
    conversation: [['lmnr.association.properties.session_id', 79]],
    tags: ['lmnr.association.properties.tags'],
    metadata: [{ strength: 16, prefix: 'lmnr.association.properties.metadata.' }],
    marks: [{ key: 'lmnr.span.type', llm: /^llm$/i, isOther: isAroundCalls }],
    values: { input: ['lmnr.span.input'], output: ['lmnr.span.output'] },
  },
})
export class LaminarConvention implements TraceConvention {
  readonly name = 'laminar';

  read(span: NormalizedSpan): Reading | null {
    return readMarked(span, 'lmnr.span.type');
  }
}
