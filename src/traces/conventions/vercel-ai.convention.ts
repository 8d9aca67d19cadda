import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { readRecognised } from './reading.js';

/**
 * The Vercel AI SDK. Up to version 5 its outer spans repeat the usage of the calls inside, which end in `.doGenerate`
 * or `.doStream`; from version 6 it follows OpenTelemetry, with steps of agents between the agent and its calls.
 */
@Convention({ name: 'vercel-ai', order: 20 })
export class VercelAiConvention implements TraceConvention {
  readonly name = 'vercel-ai';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (attributes.has('ai.operationId')) return readRecognised(span);
    if (isAgentStep(span))
      return readRecognised(span, attributes.withImplied({ 'gen_ai.operation.name': 'agent_step' }));
    return attributes.text('operation.name')?.startsWith('ai.') ? readRecognised(span) : null;
  }
}

function isAgentStep(span: NormalizedSpan): boolean {
  return span.source.scope.name === 'gen_ai' && span.name.startsWith('agent_step');
}
