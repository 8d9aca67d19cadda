import type { CallNumbers, IncomingSpan } from './incoming-span.js';
import { hasUsage, namesSameModel } from './nested/same-call.js';

/** The numbers that a span reports; null when it reports none. */
export function numbersOf({ call, cost, told }: IncomingSpan): CallNumbers | null {
  if (!call) return told;
  const { provider, model, answeredBy, usage, reportedPrice } = call;
  return { provider, model, answeredBy, usage, reportedPrice, cost };
}

/**
 * The numbers of a log, completed by those of a span of the same call. A log without tokens, as proxies report it for an answer
 * that was streamed, gets the tokens of the span and their price; a log without a price gets the price of the same tokens.
 * Null when there is nothing to complete, or the span is a call of another model.
 */
export function completeNumbers(log: CallNumbers, told: CallNumbers): CallNumbers | null {
  const takesUsage = !hasUsage(log.usage) && hasUsage(told.usage);
  const takesCost = !isPriced(log) && isPriced(told) && (takesUsage || countsTheSame(log, told));
  if (!(takesUsage || takesCost) || !namesSameModel(log, told)) return null;
  const { reportedPrice, cost } = takesCost ? told : { ...log, cost: isPriced(log) ? log.cost : null };
  return { ...completeModel(log, told), usage: takesUsage ? told.usage : log.usage, reportedPrice, cost };
}

const completeModel = (log: CallNumbers, told: CallNumbers) => ({
  provider: log.provider === 'unknown' ? told.provider : log.provider,
  model: log.model === 'unknown' ? told.model : log.model,
  answeredBy: log.answeredBy ?? told.answeredBy,
});

/** A price of 0 tokens does not count. */
const isPriced = ({ usage, reportedPrice, cost }: CallNumbers): boolean =>
  reportedPrice !== null || (cost !== null && hasUsage(usage));

const countsTheSame = (log: CallNumbers, told: CallNumbers): boolean =>
  !hasUsage(told.usage) || log.usage.output === told.usage.output;
