import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/**
 * LangSmith's export of LangChain runs. The answer of a run may hold its usage. `langsmith.span.kind` decides: prompts
 * name the operation `chat` too.
 */
@Convention({ name: 'langsmith', order: 30 })
export class LangSmithConvention implements TraceConvention {
  readonly name = 'langsmith';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('langsmith.span.kind')) return null;
    return readRecognised(span, attributes.withImplied(impliedUsage(attributes.json('gen_ai.completion'))));
  }
}
