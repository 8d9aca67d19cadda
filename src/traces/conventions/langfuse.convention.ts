import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readRecognised } from './reading.js';

/** Langfuse: observations, of which generations are calls. */
@Convention({
  name: 'langfuse',
  order: 75,
  senders: 'The SDKs of Langfuse',
  words: {
    model: { requested: ['langfuse.observation.model.name'] },
    usage: { objects: ['langfuse.observation.usage_details', 'langfuse.observation.usage'] },
    cost: { objects: ['langfuse.observation.cost_details'] },
    user: ['langfuse.user.id', 'langfuse.trace.user_id'],
    conversation: ['langfuse.session.id', 'langfuse.trace.session_id'],
    tags: ['langfuse.trace.tags'],
    metadata: [
      { strength: 10, prefix: 'langfuse.observation.metadata.' },
      { strength: 20, prefix: 'langfuse.trace.metadata.' },
    ],
    parameters: { objects: ['langfuse.observation.model.parameters'] },
    tools: [['langfuse.observation.input', 'tools']],
    marks: [{ key: 'langfuse.observation.type', llm: /^generation$/i, isOther: isAroundCalls }],
    values: { input: ['langfuse.observation.input'], output: ['langfuse.observation.output'] },
  },
})
export class LangfuseConvention implements TraceConvention {
  readonly name = 'langfuse';

  read(span: NormalizedSpan): Reading | null {
    return SpanAttributes.of(span).has('langfuse.observation.type') ? readRecognised(span) : null;
  }
}
