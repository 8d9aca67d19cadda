import type { LlmCall } from '../../requests/index.js';
import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import { isEmbedding } from './decision.js';
import { readAnsweringModel, readModel } from './models.js';
import { readProvider } from './providers.js';
import { readReportedPrice } from './costs.js';
import { readUsage } from './usage.js';

/** What the price of a call or of an embedding depends on. */
export type Priced = Pick<LlmCall, 'provider' | 'model' | 'answeredBy' | 'usage' | 'reportedPrice'>;

/** A finished embedding, which costs something although no log is made of it; null for any other span. */
export function readEmbedding(span: NormalizedSpan): Priced | null {
  const attributes = SpanAttributes.of(span);
  if (span.endNs === null || !isEmbedding(attributes)) return null;
  const model = readModel(attributes);
  return {
    provider: readProvider(attributes, model) ?? 'unknown',
    model: model ?? 'unknown',
    answeredBy: readAnsweringModel(attributes),
    usage: readUsage(attributes),
    reportedPrice: readReportedPrice(attributes),
  };
}
