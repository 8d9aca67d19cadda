import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import { buildCall } from './call.js';
import type { Reading } from './convention.js';
import type { Decision } from './decision.js';
import { decide, spanTypeOf } from './decision.js';

/** Reads a span that a convention has recognised as its own, whether or not it is a call. */
export function readRecognised(span: NormalizedSpan, attributes = SpanAttributes.of(span)): Reading {
  return readAs(decide(span, attributes), span, attributes);
}

/** Like `readRecognised`, for a span that has one of these keys; null for any other. */
export function readMarked(span: NormalizedSpan, ...keys: string[]): Reading | null {
  const attributes = SpanAttributes.of(span);
  return keys.some((key) => attributes.has(key)) ? readRecognised(span, attributes) : null;
}

/** The reading for a decision about a span. */
export function readAs(decision: Decision, span: NormalizedSpan, attributes: SpanAttributes): Reading {
  const spanType = spanTypeOf(decision, attributes);
  // Output and cost of a call are known only at its end.
  if (decision !== 'llm' || span.endNs === null) return { kind: 'other', spanType };
  return { kind: 'llm', spanType, call: buildCall(span, attributes) };
}
