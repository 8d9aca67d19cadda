import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import { isEmbedding } from './decision.js';
import { type Priced, readPriced } from './priced.js';

/** A finished embedding, which costs something although no log is made of it; null for any other span. */
export function readEmbedding(span: NormalizedSpan): Priced | null {
  const attributes = SpanAttributes.of(span);
  return span.endNs !== null && isEmbedding(attributes) ? readPriced(attributes) : null;
}
