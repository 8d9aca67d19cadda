import type { LlmCall } from '../llm/records/llm-call.js';
import type { SpanAttributes } from './attributes.js';
import { readReportedPrice } from './costs.js';
import { readAnsweringModel, readModel } from './models.js';
import { readProvider } from './providers.js';
import { readUsage } from './usage.js';

/** Facts that determine the price of a call or an embedding. */
export type Priced = Pick<LlmCall, 'provider' | 'model' | 'answeredBy' | 'usage' | 'reportedPrice'>;

export function readPriced(attributes: SpanAttributes): Priced {
  const model = readModel(attributes);
  return {
    provider: readProvider(attributes, model) ?? 'unknown',
    model: model ?? 'unknown',
    answeredBy: readAnsweringModel(attributes),
    usage: readUsage(attributes),
    reportedPrice: readReportedPrice(attributes),
  };
}
