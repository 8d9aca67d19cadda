import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { decide } from './decision.js';
import { readAs } from './reading.js';

/**
 * OpenTelemetry's conventions for generative AI, the current and the former ones, and what every span that names a
 * model has in common with them. It is the most general convention, so it is asked last.
 */
@Convention({ name: 'gen-ai', order: 100 })
export class GenAiConvention implements TraceConvention {
  readonly name = 'gen-ai';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const decision = decide(span, attributes);
    if (decision === 'foreign' || decision === 'unknown') return null;
    return readAs(decision, span, attributes);
  }
}
