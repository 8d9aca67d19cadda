import type { LlmCall } from '../llm/records/llm-call.js';
import type { NormalizedSpan } from './span.js';

/** Result of reading a span: a call, which becomes a request log, or another span type. */
export type Reading = { kind: 'llm'; spanType: string; call: LlmCall } | { kind: 'other'; spanType: string };

/**
 * A way to read attributes, such as that of OpenTelemetry or of an SDK.
 *
 * Conventions are asked in ascending order until one answers, so the most specific ones come first. `read` must accept
 * any attributes, because senders are not trusted. It is called for every span, so it recognises its own spans by a few
 * keys; then `readRecognised` does the rest. The files beside this one read single facts (`SpanAttributes`,
 * `readUsage`, `readMessages`, …) from the keys of all conventions, because a span may follow several.
 */
export interface TraceConvention {
  readonly name: string;

  /** null = the convention does not recognise the span. */
  read(span: NormalizedSpan): Reading | null;
}
