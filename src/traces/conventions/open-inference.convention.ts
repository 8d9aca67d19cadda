import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** OpenInference, which many instrumentations of frameworks write: `openinference.span.kind` is on every span. */
@Convention({ name: 'open-inference', order: 10 })
export class OpenInferenceConvention implements TraceConvention {
  readonly name = 'open-inference';

  read(span: NormalizedSpan): Reading | null {
    return SpanAttributes.of(span).has('openinference.span.kind') ? readRecognised(span) : null;
  }
}
