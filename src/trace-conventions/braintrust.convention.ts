import type { NormalizedSpan } from './span.js';
import type { Reading, TraceConvention } from './convention.js';
import { SpanAttributes } from './attributes.js';
import { Convention } from './conventions.js';
import { impliedModel } from './payloads.js';
import { readRecognised } from './reading.js';

/** Braintrust: the kind of a span, its numbers, its input and its output, each as JSON. */
@Convention({
  name: 'braintrust',
  order: 53,
  senders: 'The SDKs of Braintrust',
  words: {
    usage: { objects: ['braintrust.metrics'] },
    cost: { mixedObjects: ['braintrust.metrics'] },
    tags: ['braintrust.tags'],
    metadata: [{ strength: 15, prefix: 'braintrust.metadata.' }],
    parameters: { objects: [] },
    values: {
      input: ['braintrust.input_json', 'braintrust.input'],
      output: ['braintrust.output_json', 'braintrust.output'],
    },
  },
})
export class BraintrustConvention implements TraceConvention {
  readonly name = 'braintrust';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const { type } = attributes.object('braintrust.span_attributes');
    if (typeof type !== 'string') return null;
    const metadata = attributes.object('braintrust.metadata');
    const implied = {
      ...impliedModel(metadata),
      'gen_ai.provider.name': metadata.provider ?? null,
      'gen_ai.operation.name': type === 'llm' ? 'chat' : null,
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}
