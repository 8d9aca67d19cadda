import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** Langfuse: observations, of which generations are calls. */
@Convention({ name: 'langfuse', order: 75 })
export class LangfuseConvention implements TraceConvention {
  readonly name = 'langfuse';

  read(span: NormalizedSpan): Reading | null {
    return SpanAttributes.of(span).has('langfuse.observation.type') ? readRecognised(span) : null;
  }
}
