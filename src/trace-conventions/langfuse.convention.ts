import type { NormalizedSpan } from './span.js';
import type { JsonObject } from '../platform/json.js';
import { SpanAttributes, toNumber } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { readRecognised } from './reading.js';

const USAGE = 'langfuse.observation.usage_details';

/** Langfuse: observations. Generations are calls. */
@Convention({
  name: 'langfuse',
  order: 75,
  senders: 'The SDKs of Langfuse',
  words: {
    model: { requested: ['langfuse.observation.model.name'] },
    usage: { objects: [USAGE, 'langfuse.observation.usage'] },
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
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('langfuse.observation.type')) return null;
    return readRecognised(span, attributes.withImplied(impliedTotal(attributes.object(USAGE))));
  }
}

/**
 * Langfuse counts kinds of input beside each other. The format of OpenAI, which counts them inside the input, includes
 * a total.
 */
function impliedTotal(usage: JsonObject): JsonObject {
  if (usage.input === undefined || usage.total !== undefined) return {};
  const counts = Object.entries(usage).map(([kind, count]) =>
    kind.startsWith('output_') ? 0 : Math.max(0, toNumber(count) ?? 0),
  );
  return { 'gen_ai.usage.total_tokens': counts.reduce((sum, count) => sum + count, 0) };
}
