import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { any } from './kind-marks.js';
import { failed, hasException } from './errors.js';
import { impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/**
 * LangSmith's export of LangChain runs. The answer of a run may hold its usage. `langsmith.span.kind` decides: prompts
 * name the operation `chat` too. An exception
 * is recorded when a run has failed, and only then.
 */
@Convention({
  name: 'langsmith',
  order: 30,
  senders: 'LangSmith, and LangChain and LangGraph through it',
  words: {
    model: { requested: ['langsmith.metadata.ls_model_name'] },
    provider: ['langsmith.metadata.ls_provider', 'traceloop.association.properties.ls_provider'],
    usage: { objects: ['langsmith.usage_metadata', 'langsmith.metadata.usage_metadata'] },
    cost: { mixedObjects: ['langsmith.usage_metadata', 'langsmith.metadata.usage_metadata'] },
    conversation: [
      'langsmith.trace.session_id',
      ['langsmith.metadata.session_id', 76],
      ['langsmith.metadata.thread_id', 76],
    ],
    tags: ['langsmith.span.tags'],
    metadata: [{ strength: 70, prefix: 'langsmith.metadata.' }],
    parameters: {
      named: { temperature: ['langsmith.metadata.ls_temperature'], max_tokens: ['langsmith.metadata.ls_max_tokens'] },
    },
    marks: [{ key: 'langsmith.span.kind', llm: /^llm$/i, isOther: any }],
  },
})
export class LangSmithConvention implements TraceConvention {
  readonly name = 'langsmith';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('langsmith.span.kind')) return null;
    const ended = hasException(span) ? failed(span) : span;
    return readRecognised(ended, attributes.withImplied(impliedUsage(attributes.json('gen_ai.completion'))));
  }
}
