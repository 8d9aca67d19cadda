import type { Message } from '../llm/shared/blueprint.js';
import type { SpanEvent } from './span.js';
import type { SpanAttributes } from './attributes.js';

/** Input of a message source: a span's attributes, and its events in the order of time. */
export interface Told {
  attributes: SpanAttributes;
  events: SpanEvent[];
}

/** One place where messages may be found; empty lists when there are none. */
export interface MessageSource {
  /** True for texts and their continuations, without roles. */
  isCompletion?: boolean;
  /** The attributes that it reads, for the reference. */
  keys: string[];
  input(told: Told): Message[];
  output(told: Told): Message[];
}
