import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { pydanticMessages } from './pydantic-ai.messages.js';
import { impliedModel, impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/** Keys that only Pydantic AI uses. */
const OWN_AGENT_KEYS = ['pydantic_ai.all_messages', 'pydantic_ai.all_messages_events'];
/** Keys that only agent runs have. An agent run sums up the usage of its calls. */
const AGENT_KEYS = [...OWN_AGENT_KEYS, 'all_messages_events', 'final_result'];
const AGENT_NAME = 'agent run';

/** Pydantic AI, and Logfire's instrumentations of the vendors' SDKs. */
@Convention({
  name: 'pydantic-ai',
  order: 60,
  senders: 'Pydantic AI, and Logfire with its instrumentations of the SDKs of vendors',
  words: {
    cost: { totals: ['operation.cost'] },
    parameters: { objects: ['model_request_parameters'] },
    tools: [
      ['model_request_parameters', 'function_tools'],
      ['request_data', 'tools'],
    ],
    messages: [pydanticMessages],
    values: { input: ['request_data'], output: ['response_data'] },
  },
})
export class PydanticAiConvention implements TraceConvention {
  readonly name = 'pydantic-ai';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!isOwn(span, attributes)) return null;
    if (span.name === AGENT_NAME || AGENT_KEYS.some((key) => attributes.has(key))) {
      return { kind: 'other', spanType: attributes.text('node_type')?.trim() ?? 'LLM_SESSION' };
    }
    const answer = attributes.json('response_data');
    const implied = { ...impliedModel(attributes.json('request_data')), ...impliedUsage(answer) };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

function isOwn({ source: { scope } }: NormalizedSpan, attributes: SpanAttributes): boolean {
  if (scope.name === 'pydantic-ai' || scope.name === 'logfire' || scope.name.startsWith('logfire.')) return true;
  return attributes.has('logfire.msg') || attributes.present(OWN_AGENT_KEYS).length > 0;
}
