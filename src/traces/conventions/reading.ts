import type { NormalizedSpan } from '../span.js';
import { SpanAttributes } from './attributes.js';
import { buildCall } from './call.js';
import type { Reading } from './convention.js';
import type { Decision } from './decision.js';
import { decide, spanTypeOf } from './decision.js';

/** Reads a span that a convention has recognised as its own, whatever it turns out to be. */
export function readRecognised(span: NormalizedSpan, attributes = SpanAttributes.of(span)): Reading {
  return readAs(decide(span, attributes), span, attributes);
}

/** The same for a span that has one of these keys; null for any other. */
export function readMarked(span: NormalizedSpan, ...keys: string[]): Reading | null {
  const attributes = SpanAttributes.of(span);
  return keys.some((key) => attributes.has(key)) ? readRecognised(span, attributes) : null;
}

/** What has been decided about a span, as a reading. */
export function readAs(decision: Decision, span: NormalizedSpan, attributes: SpanAttributes): Reading {
  const spanType = spanTypeOf(decision, attributes);
  // What a running call will have said and cost is known at its end.
  if (decision !== 'llm' || span.endNs === null) return { kind: 'other', spanType };
  return { kind: 'llm', spanType, call: buildCall(span, attributes) };
}
