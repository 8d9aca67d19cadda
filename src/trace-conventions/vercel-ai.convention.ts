import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { vercelMessages } from './vercel-ai.messages.js';
import { any } from './kind-marks.js';
import { readRecognised } from './reading.js';

/**
 * The Vercel AI SDK. Up to version 5 its outer spans repeat the usage of the calls inside, which end in `.doGenerate`
 * or `.doStream`; from version 6 it follows OpenTelemetry, with steps of agents between the agent and its calls.
 */
@Convention({
  name: 'vercel-ai',
  order: 20,
  senders: 'The Vercel AI SDK, and the Vercel AI Gateway through it',
  words: {
    model: { requested: ['ai.model.id'], answering: ['ai.response.model'], called: ['ai.model.id'] },
    provider: ['ai.model.provider'],
    usage: {
      // Embeddings have no output.
      counts: { input: ['ai.usage.tokens'] },
      prefixes: ['ai.usage.'],
      objects: [
        ['ai.response.providerMetadata', 'anthropic', 'usage'],
        ['ai.response.providerMetadata', 'anthropic'],
        ['ai.response.providerMetadata', 'openai'],
        ['ai.response.providerMetadata', 'google', 'usageMetadata'],
        ['ai.response.providerMetadata', 'bedrock', 'usage'],
      ],
    },
    cost: {
      prefixes: ['ai.usage.'],
      totals: [
        ['ai.response.providerMetadata', 'gateway', 'cost'],
        ['ai.response.providerMetadata', 'openrouter', 'usage', 'cost'],
      ],
    },
    user: ['ai.telemetry.metadata.userId'],
    conversation: ['ai.telemetry.metadata.sessionId'],
    tags: ['ai.telemetry.metadata.tags'],
    metadata: [{ strength: 50, prefix: 'ai.telemetry.metadata.' }],
    parameters: { prefixes: ['ai.settings.'] },
    tools: [['ai.prompt.tools']],
    toolChoice: ['ai.prompt.toolChoice'],
    finishReasons: ['ai.response.finishReason', 'ai.finishReason'],
    responseIds: ['ai.response.id'],
    messages: [vercelMessages],
    marks: [
      { key: 'ai.operationId', llm: /\.(?:doGenerate|doStream)$/, isOther: any },
      // Other senders use the key for their own operations.
      { key: 'operation.name', llm: /^ai\..*\.(?:doGenerate|doStream)$/, isOther: (kind) => kind.startsWith('ai.') },
    ],
  },
})
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
