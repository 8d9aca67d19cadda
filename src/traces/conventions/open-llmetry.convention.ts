import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** OpenLLMetry by Traceloop: calls name their type, everything around them names its kind. */
@Convention({ name: 'open-llmetry', order: 50 })
export class OpenLlmetryConvention implements TraceConvention {
  readonly name = 'open-llmetry';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const isOwn = attributes.has('traceloop.span.kind') || attributes.has('llm.request.type');
    return isOwn ? readRecognised(span) : null;
  }
}
