import type { JsonObject } from '../../platform/json.js';
import type { NormalizedSpan } from '../span.js';
import { SpanAttributes, toNumber } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/** Langfuse: observations, of which generations are calls. */
@Convention({ name: 'langfuse', order: 75 })
export class LangfuseConvention implements TraceConvention {
  readonly name = 'langfuse';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('langfuse.observation.type')) return null;
    return readRecognised(span, attributes.withImplied(impliedPrice(attributes)));
  }
}

function impliedPrice(attributes: SpanAttributes): JsonObject {
  const { total, input, output } = attributes.object('langfuse.observation.cost_details');
  return {
    'gen_ai.usage.cost': toNumber(total),
    'gen_ai.usage.input_cost': toNumber(input),
    'gen_ai.usage.output_cost': toNumber(output),
  };
}
