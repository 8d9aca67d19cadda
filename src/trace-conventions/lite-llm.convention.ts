import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { spanTypeOf } from './decision.js';
import { readRecognised } from './reading.js';

/** The call, whose attributes are those of OpenTelemetry and OpenLLMetry. */
const CALL = 'litellm_request';

/** Spans that repeat the call below or above them. */
const REPETITIONS = new Set(['raw_gen_ai_request', 'Received Proxy Server Request']);

/** LiteLLM, library and proxy. */
@Convention({
  name: 'lite-llm',
  order: 40,
  senders: 'LiteLLM, the library and the proxy',
  words: {
    user: [
      ['llm.user', 76],
      ['gen_ai.request.user', 77],
    ],
  },
})
export class LiteLlmConvention implements TraceConvention {
  readonly name = 'lite-llm';

  read(span: NormalizedSpan): Reading | null {
    if (span.name === CALL) return readRecognised(span);
    if (!REPETITIONS.has(span.name)) return null;
    return { kind: 'other', spanType: spanTypeOf('foreign', SpanAttributes.of(span)) };
  }
}
