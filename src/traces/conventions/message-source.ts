import type { Message } from '../../llm/blueprint.js';
import type { SpanEvent } from '../span.js';
import type { SpanAttributes } from './attributes.js';

/** What may hold messages: a span's attributes, and its events in the order of time. */
export interface Told {
  attributes: SpanAttributes;
  events: SpanEvent[];
}

/** One place where messages may stand. Empty lists: nothing is there. */
export interface MessageSource {
  /** It holds texts and their continuations, without roles. */
  isCompletion?: boolean;
  /** Where it looks, for the reference. */
  keys: string[];
  input(told: Told): Message[];
  output(told: Told): Message[];
}
