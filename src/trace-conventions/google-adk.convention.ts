import { isObject, type JsonObject } from '../platform/json.js';
import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { impliedModel, impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/** Google's agent development kit: request and answer of a call as JSON. Spans of tools have an empty request. */
@Convention({
  name: 'google-adk',
  order: 80,
  senders: "Google's Agent Development Kit",
  words: {
    conversation: ['gcp.vertex.agent.session_id'],
    values: { input: ['gcp.vertex.agent.llm_request'], output: ['gcp.vertex.agent.llm_response'] },
  },
})
export class GoogleAdkConvention implements TraceConvention {
  readonly name = 'google-adk';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('gcp.vertex.agent.llm_request')) return null;
    const request = attributes.object('gcp.vertex.agent.llm_request');
    const answer = attributes.json('gcp.vertex.agent.llm_response');
    const implied = { ...impliedSettings(request), ...impliedModel(request), ...impliedUsage(answer) };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

/** Tools and parameters are both in the configuration of a request. */
function impliedSettings({ config }: JsonObject): JsonObject {
  if (!isObject(config)) return {};
  const { system_instruction: _told, tools, ...parameters } = config;
  return { 'gen_ai.tool.definitions': tools ?? null, 'llm.invocation_parameters': parameters };
}
