import { setOwn, type JsonObject } from '../platform/json.js';
import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** Mastra names the attributes of the Vercel AI SDK after its own operations. */
const PREFIXES = ['stream.', 'generateText.'];

/** Mastra, which reports calls as the Vercel AI SDK does, under other names. */
@Convention({
  name: 'mastra',
  order: 25,
  senders: 'Mastra',
  words: {
    model: { requested: ['aisdk.model.id'] },
    provider: ['aisdk.model.provider'],
  },
})
export class MastraConvention implements TraceConvention {
  readonly name = 'mastra';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('aisdk.model.id')) return null;
    const operation = attributes.text('mastra.operationId', 'operation.name') ?? span.name;
    const renamed = { ...renamedAttributes(attributes), 'ai.operationId': toVercel(operation.split(' ', 1)[0]) };
    return readRecognised(span, attributes.withImplied(renamed));
  }
}

function renamedAttributes(attributes: SpanAttributes): JsonObject {
  const renamed: JsonObject = {};
  for (const prefix of PREFIXES) {
    for (const [name, value] of attributes.below(prefix)) setOwn(renamed, `ai.${name}`, value);
  }
  return renamed;
}

/** Spans that are no calls repeat the usage of calls inside them, like the outer spans of the Vercel AI SDK. */
function toVercel(operation: string): string {
  return /\.(?:doGenerate|doStream)$/.test(operation) ? operation : 'ai.streamText';
}
