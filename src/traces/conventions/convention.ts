import type { LlmCall } from '../../llm/records/llm-call.js';
import type { NormalizedSpan } from '../span.js';

/** What a convention makes of a span: a call that becomes a request log, or something else worth a span type. */
export type Reading = { kind: 'llm'; spanType: string; call: LlmCall } | { kind: 'other'; spanType: string };

/**
 * A way to read attributes, such as that of OpenTelemetry or of an SDK.
 *
 * Conventions are asked in ascending order until one answers, so the one with the most particular markers comes first.
 * `read` must give an answer for any attributes whatsoever: they come from strangers. It is asked about every span, so
 * it recognises its own by a few keys; then `readRecognised` does the rest. The files beside this one read single facts
 * (`SpanAttributes`, `readUsage`, `readMessages`, …) from the keys of all conventions, as a span may follow several.
 */
export interface TraceConvention {
  readonly name: string;

  /** null = this convention says nothing about the span. */
  read(span: NormalizedSpan): Reading | null;
}
