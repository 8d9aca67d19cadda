import { isObject, type JsonObject } from '../../platform/json.js';
import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { toText } from '../../llm/messages/json-text.js';
import { readRecognised } from './reading.js';

/** OpenAI's agents SDK, as exported by the SDKs for this API: `openai_agents.*` tells what OpenTelemetry has no word for. */
@Convention({ name: 'openai-agents', order: 65 })
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
