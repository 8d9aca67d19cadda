import type { PromptReference } from '../../llm/prompt-reference.js';
import type { TokenUsage } from '../../llm/token-usage.js';
import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import { decide, spanTypeOf } from './decision.js';
import { readModel } from './models.js';
import { readFetchedPrompt } from './prompt-reference.js';
import { readProvider } from './providers.js';
import { readUsage } from './usage.js';

/** What any span may tell about models, be it a call, an embedding or an agent. */
export interface SpanFacts {
  model: string | null;
  /** Canonical name. */
  provider: string | null;
  usage: TokenUsage;
  spanType: string;
  prompt: PromptReference | null;
}

/** The facts that spans are searched by. Total: whatever the attributes hold, it gives an answer. */
export function readSpanFacts(span: NormalizedSpan): SpanFacts {
  const attributes = SpanAttributes.of(span);
  const model = readModel(attributes);
  return {
    model,
    provider: readProvider(attributes, model),
    usage: readUsage(attributes),
    spanType: spanTypeOf(decide(span, attributes), attributes),
    prompt: readFetchedPrompt(attributes),
  };
}
