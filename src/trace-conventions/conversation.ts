import type { Told, MessageSource } from './message-source.js';
import { isObject } from '../platform/json.js';
import type { Message } from '../llm/shared/blueprint.js';
import type { NormalizedSpan, SpanEvent } from './span.js';
import type { SpanAttributes } from './attributes.js';
import { toTexts } from './attributes.js';
import { detailsOf, reportedReasons, withInstructions } from './gen-ai.messages.js';
import { genericMessages } from './generic.messages.js';
import { firstText } from '../llm/messages/parts.js';
import { derivedFromWords, type Words, wordsOf } from './words.js';

/** Messages of a call. Conventions differ most in where these are found. */
export interface Conversation {
  input: Message[];
  output: Message[];
  /** Why the model stopped, per choice. */
  finishReasons: string[];
  /** True for a text and its continuation, without roles. */
  isCompletion: boolean;
}

const messageWords = ({ messages }: Words): MessageSource[] | undefined => messages;
const textWords = ({ texts }: Words): MessageSource[] | undefined => texts;
const reasonWords = ({ finishReasons }: Words): string[] | undefined => finishReasons;

/**
 * Message sources that only calls have, best first. All are tried for every span, because it may follow several
 * conventions.
 */
export const messageSources = derivedFromWords(() => [...wordsOf(messageWords), ...wordsOf(textWords)]);
const allSources = derivedFromWords(() => [...messageSources(), genericMessages]);

/** The conversation of a call: input and output, each from the best source that holds any. */
export function readConversation(span: NormalizedSpan, attributes: SpanAttributes): Conversation {
  const told: Told = { attributes, events: inTimeOrder(span.events) };
  const input = firstUsable('input', told);
  const output = firstUsable('output', told);
  const used = [input.source, output.source].filter((source) => source !== null);
  return {
    input: withInstructions(told, input.messages),
    output: output.messages,
    finishReasons: readFinishReasons(told),
    isCompletion: used.length > 0 && used.every((source) => source.isCompletion === true),
  };
}

/** Whether a message source holds anything. Values do not count, because any span may have one. */
export function hasMessages(span: NormalizedSpan, attributes: SpanAttributes): boolean {
  const told: Told = { attributes, events: span.events };
  return messageSources().some((source) => [source.input(told), source.output(told)].some(({ length }) => length > 0));
}

/** Whether a message has any content. */
export function saysSomething(message: Message): boolean {
  return (message.content?.length ?? 0) > 0 || (message.tool_calls?.length ?? 0) > 0;
}

interface Found {
  messages: Message[];
  source: MessageSource | null;
}

/** Prefers messages with content, because some SDKs send elsewhere the content that they left out of these. */
function firstUsable(side: 'input' | 'output', told: Told): Found {
  let silent: Found = { messages: [], source: null };
  for (const source of allSources()) {
    const messages = source[side](told);
    if (messages.some(saysSomething)) return { messages, source };
    if (silent.source === null && messages.length > 0) silent = { messages, source };
  }
  return silent;
}

function inTimeOrder(events: SpanEvent[]): SpanEvent[] {
  return events.toSorted((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
}

function readFinishReasons(told: Told): string[] {
  for (const attributes of [told.attributes, detailsOf(told)]) {
    for (const key of attributes.present(wordsOf(reasonWords))) {
      const reasons = toTexts(attributes.get(key));
      if (reasons.length > 0) return reasons;
    }
  }
  return reportedReasons(told)
    .map((message) => (isObject(message) ? firstText(message.finish_reason) : ''))
    .filter((reason) => reason !== '');
}
