import { isObject, type JsonObject } from '../platform/json.js';
import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/** Genkit's plugins by the vendors they call. */
const PROVIDERS = new Map([
  ['googleai', 'google'],
  ['vertexai', 'vertexai'],
]);

/** Genkit: actions with request and answer as JSON. Actions of models are calls. */
@Convention({
  name: 'genkit',
  order: 85,
  senders: 'Genkit',
  words: {
    conversation: ['genkit:sessionId'],
    marks: [
      { key: 'genkit:type', llm: /^model$/i, isOther: isAroundCalls },
      { key: 'genkit:metadata:subtype', llm: /^model$/i, isOther: isAroundCalls },
    ],
    values: { input: ['genkit:input'], output: ['genkit:output'] },
  },
})
export class GenkitConvention implements TraceConvention {
  readonly name = 'genkit';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('genkit:type') && !attributes.has('genkit:metadata:subtype')) return null;
    if (!isModel(attributes)) return readRecognised(span);
    const implied = {
      ...impliedNames(attributes.text('genkit:name') ?? span.name),
      ...impliedSettings(attributes.object('genkit:input')),
      ...impliedUsage(attributes.json('genkit:output')),
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

function isModel(attributes: SpanAttributes): boolean {
  return attributes.text('genkit:metadata:subtype', 'genkit:type') === 'model';
}

/** `plugin/model`. */
function impliedNames(name: string): JsonObject {
  const slash = name.indexOf('/');
  if (slash < 0) return { 'gen_ai.request.model': name };
  const plugin = name.slice(0, slash);
  return { 'gen_ai.request.model': name.slice(slash + 1), 'gen_ai.provider.name': PROVIDERS.get(plugin) ?? plugin };
}

function impliedSettings({ config, tools }: JsonObject): JsonObject {
  const parameters = isObject(config) ? config : {};
  return { 'gen_ai.tool.definitions': tools ?? null, 'llm.invocation_parameters': parameters };
}
