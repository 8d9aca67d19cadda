import type { NormalizedSpan } from './span.js';
import type { Reading, TraceConvention } from './convention.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { SpanAttributes } from './attributes.js';
import { Convention } from './conventions.js';
import { at, impliedModel, impliedUsage } from './payloads.js';
import { readAs, readRecognised } from './reading.js';

/** Haystack: runs of components. Runs of generators are calls; their replies contain model and usage. */
@Convention({
  name: 'haystack',
  order: 58,
  senders: 'Haystack with its own tracing',
  words: {
    values: { input: ['haystack.component.input'], output: ['haystack.component.output'] },
  },
})
export class HaystackConvention implements TraceConvention {
  readonly name = 'haystack';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const component = attributes.text('haystack.component.type');
    if (component === null) return null;
    const spanType = OTHER_COMPONENTS.find(([names]) => names.test(component))?.[1];
    const isCall = component.endsWith('Generator') && !/Image|Audio|Speech/.test(component);
    if (!isCall) return readAs('other', span, attributes.withImplied({ node_type: spanType ?? 'CODE_EXECUTION' }));
    return readRecognised(span, attributes.withImplied(impliedBy(attributes.json('haystack.component.output'))));
  }
}

/** Components that are no calls, by the ends of their names. */
const OTHER_COMPONENTS: [names: RegExp, spanType: string][] = [
  [/Embedder$/, 'EMBEDDING'],
  [/(?:Retriever|Ranker)$/, 'RETRIEVER'],
  [/^Agent$/, 'LLM_SESSION'],
  [/Tool(?:Invoker)?$/, 'TOOL'],
];

/** Replies are messages with `meta`, or texts with a list of it beside them. */
function impliedBy(output: JsonValue | undefined): JsonObject {
  const meta = at(output, ['replies', 0, 'meta']) ?? at(output, ['replies', 0, '_meta']) ?? at(output, ['meta', 0]);
  const replies = at(output, ['replies']);
  const messages = Array.isArray(replies) ? replies.map(toMessage) : null;
  return {
    'gen_ai.operation.name': 'chat',
    ...impliedModel(meta),
    ...impliedUsage(meta),
    'gen_ai.output.messages': messages,
  };
}

function toMessage(reply: JsonValue): JsonValue {
  if (!isObject(reply)) return { role: 'assistant', content: reply };
  return {
    role: reply.role ?? reply._role ?? 'assistant',
    content: reply.content ?? reply._content ?? reply.text ?? null,
  };
}
