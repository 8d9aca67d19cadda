import { isObject, type JsonObject } from '../../platform/json.js';
import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { toText } from '../../llm/messages/json-text.js';
import { readRecognised } from './reading.js';

/** OpenAI's agents SDK, as exported by the SDKs for this API: `openai_agents.*` tells what OpenTelemetry has no word for. */
@Convention({
  name: 'openai-agents',
  order: 65,
  senders: 'The OpenAI Agents SDK through the SDKs for this API',
  words: {
    conversation: ['openai_agents.group_id'],
    metadata: [{ strength: 30, prefix: 'openai_agents.metadata.' }],
    parameters: { objects: ['openai_agents.model_config_json'] },
    marks: [{ key: 'openai_agents.span_type', llm: /^(?:generation|response)$/i, isOther: isAroundCalls }],
    values: { input: ['function_input'], output: ['function_output'] },
  },
})
export class OpenAiAgentsConvention implements TraceConvention {
  readonly name = 'openai-agents';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('openai_agents.span_type')) return null;
    return readRecognised(span, attributes.withImplied(impliedError(attributes)));
  }
}

/** `{message, data}`. */
function impliedError(attributes: SpanAttributes): JsonObject {
  const error = attributes.json('openai_agents.error_json');
  if (error === undefined) return {};
  return { 'error.message': isObject(error) ? toText(error.message ?? error) : toText(error) };
}
