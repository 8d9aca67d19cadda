import type { PromptReference } from '../llm/shared/prompt-reference.js';
import type { TokenUsage } from '../llm/shared/token-usage.js';
import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import { decide, spanTypeOf } from './decision.js';
import { readModel } from './models.js';
import { readFetchedPrompt } from './prompt-reference.js';
import { readProvider } from './providers.js';
import { readUsage } from './usage.js';

/** Facts about models that any span may have: a call, an embedding or an agent. */
export interface SpanFacts {
  model: string | null;
  /** Canonical name. */
  provider: string | null;
  usage: TokenUsage;
  spanType: string;
  prompt: PromptReference | null;
}

/** The facts that spans are searched by. Never throws, whatever the attributes hold. */
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
