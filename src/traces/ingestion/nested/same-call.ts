import type { ContentPart, Prompt } from '../../../llm/shared/blueprint.js';
import { parseIfJson } from '../../../llm/messages/json-text.js';
import { isObject, type JsonValue } from '../../../platform/json.js';
import { modelNames } from '../../../llm/model-names.js';
import type { PackedCall } from '../../../llm/records/packed-call.js';
import { readFacts } from '../../../llm/records/conversation-facts.js';
import type { TokenUsage } from '../../../llm/shared/token-usage.js';
import { readJson } from '../../../platform/read-json.js';

/** Fields that are compared between two calls that may be one. */
export interface ComparedCall {
  call: PackedCall;
  /** US dollars; null when unknown. */
  cost: number | null;
  answer: Answer;
}

/** Parts of an answer that every instrumentation writes alike; null when there are none. */
interface Answer {
  text: string | null;
  toolCalls: string | null;
}

type NamedModel = Pick<PackedCall, 'model' | 'answeredBy'>;

/** Result of comparing two calls: `unknown` when one of them lacks the value. */
type Agreement = 'same' | 'different' | 'unknown';

/** Number of first characters by which an answer is recognised that an attribute limit has cut off. */
const SURE_BEGINNING = 100;

export function comparedCall(call: PackedCall, cost: number | null): ComparedCall {
  return { call, cost, answer: answerOf(readJson<Prompt>(call.output)) };
}

/** Certainty that a call and the one around it are the same; 0: they are two. */
export function sameness(outer: ComparedCall, inner: ComparedCall): 0 | 1 | 2 {
  if (!namesSameModel(outer.call, inner.call)) return 0;
  const answers = compareAnswers(outer.answer, inner.answer);
  if (answers !== 'unknown') return answers === 'same' ? 2 : 0;
  // A call that failed and was made again is inside the call that succeeded in the end.
  if (isFailed(outer) !== isFailed(inner)) return 0;
  const usage = compareUsage(outer.call, inner.call);
  if (usage === 'same') return 2;
  return usage === 'unknown' && known(outer.call.model) && known(inner.call.model) ? 1 : 0;
}

/**
 * Whether two calls whose answers have the same id may still be two: some servers give all answers one id. They are two
 * when both have an answer and these differ, unless the tokens agree: an instrumentation may report a processed answer.
 */
export function contradict(a: ComparedCall, b: ComparedCall): boolean {
  return compareAnswers(a.answer, b.answer) === 'different' && compareUsage(a.call, b.call) !== 'same';
}

/** Whether a call only adds up what several calls inside it used, as an agent does. */
export function sumsUp({ call: { usage } }: ComparedCall, inner: ComparedCall[]): boolean {
  if (inner.length < 2 || !usage.input || !usage.output) return false;
  const total = (side: 'input' | 'output') => inner.reduce((sum, { call }) => sum + (call.usage[side] ?? 0), 0);
  return total('input') === usage.input && total('output') === usage.output;
}

/**
 * Compares two records of one call: below 0 when the first is better. Records with counts come first, because nothing
 * is paid without counts. Where the counts of answers differ, the outer one has added up several calls.
 * @param a the outer one
 */
export function compareRecords(a: ComparedCall, b: ComparedCall): number {
  const counted = Number(hasUsage(b.call.usage)) - Number(hasUsage(a.call.usage));
  if (counted !== 0) return counted;
  if (hasUsage(a.call.usage) && a.call.usage.output !== b.call.usage.output) return 1;
  // Equally good: the inner one is nearer to the model.
  return valueOf(b) - valueOf(a) || 1;
}

/** The better record of a call, completed by facts that only the other one has. */
export function completed(better: ComparedCall, other: ComparedCall): ComparedCall {
  const [call, more] = [better.call, other.call];
  const sameNumbers = call.usage.output === more.usage.output;
  return {
    cost: better.cost ?? (sameNumbers ? other.cost : null),
    answer: hasAnswer(better) ? better.answer : other.answer,
    call: {
      ...call,
      ...completedConversation(better, other),
      ...completedContext(call, more),
      provider: known(call.provider) ? call.provider : more.provider,
      model: known(call.model) ? call.model : more.model,
      apiType: call.apiType ?? more.apiType,
      usage: sameNumbers ? completedUsage(call.usage, more.usage) : call.usage,
    },
  };
}

function completedConversation(better: ComparedCall, other: ComparedCall) {
  const [call, more] = [better.call, other.call];
  const takesInput = !hasInput(call) && hasInput(more);
  const takesOutput = !hasAnswer(better) && hasAnswer(other);
  if (!takesInput && !takesOutput) return {};
  const input = takesInput ? more.input : call.input;
  const output = takesOutput ? more.output : call.output;
  const conversation = { input: readJson<Prompt>(input), output: readJson<Prompt>(output) };
  return { input, output, facts: readFacts(conversation) };
}

function completedContext(call: PackedCall, more: PackedCall) {
  return {
    parameters: { ...more.parameters, ...call.parameters },
    tags: [...new Set([...call.tags, ...more.tags])],
    metadata: { ...more.metadata, ...call.metadata },
    promptInputVariables: { ...more.promptInputVariables, ...call.promptInputVariables },
    prompt: call.prompt ?? more.prompt,
  };
}

function completedUsage(usage: PackedCall['usage'], more: PackedCall['usage']): PackedCall['usage'] {
  return {
    ...usage,
    cached: usage.cached ?? more.cached,
    cacheWrite: usage.cacheWrite ?? more.cacheWrite,
    thinking: usage.thinking ?? more.thinking,
  };
}

const known = (name: string): boolean => name !== 'unknown';

/** Whether tokens were counted. Some senders write 0 where nothing is counted. */
export const hasUsage = (usage: TokenUsage): boolean => Boolean(usage.input) || Boolean(usage.output);
const hasAnswer = ({ answer }: ComparedCall): boolean => answer.text !== null || answer.toolCalls !== null;
const isFailed = ({ call }: ComparedCall): boolean => call.status === 'ERROR';

/** Input of an empty chat. It is short, so longer inputs are not searched. */
const EMPTY_INPUT = /"(?:messages|content)":\s*\[\s*\]/;
const hasInput = ({ input }: PackedCall): boolean => input.length > 1000 || !EMPTY_INPUT.test(input);

/** Messages count more than all smaller facts together. */
function valueOf(record: ComparedCall): number {
  const { call, cost } = record;
  const { input, output, cached, cacheWrite, thinking } = call.usage;
  const small = [
    ...[input, output, cached, cacheWrite, thinking, cost, call.apiType, call.prompt].map((value) => value !== null),
    known(call.provider),
    Object.keys(call.parameters).length > 0,
    record.answer.toolCalls !== null,
  ];
  return 40 * Number(hasAnswer(record)) + 20 * Number(hasInput(call)) + small.filter(Boolean).length;
}

/** Names of one model differ by vendor, path and date; unknown names are ignored. */
export function namesSameModel(outer: NamedModel, inner: NamedModel): boolean {
  const names = [outer, inner].map(({ model, answeredBy }) =>
    [model, answeredBy ?? ''].filter((name) => name !== '' && known(name)).flatMap(modelNames),
  );
  const [ofOuter, ofInner] = [new Set(names[0]), names[1]!];
  return ofOuter.size === 0 || ofInner.length === 0 || ofInner.some((name) => ofOuter.has(name));
}

function compareUsage(outer: PackedCall, inner: PackedCall): Agreement {
  const [a, b] = [outer.usage, inner.usage];
  const output = compareExactly(a.output, b.output);
  const input = a.input === null || b.input === null ? 0 : Math.abs(a.input - b.input);
  // Some senders count cached tokens beside the input, some inside it.
  const isCounted = [0, cachedIn(a), cachedIn(b)].includes(input);
  return output === 'different' || !isCounted ? 'different' : output;
}

const cachedIn = ({ cached, cacheWrite }: PackedCall['usage']): number => (cached ?? 0) + (cacheWrite ?? 0);

function compareAnswers(outer: Answer, inner: Answer): Agreement {
  const sides = [compareTexts(outer.text, inner.text), compareExactly(outer.toolCalls, inner.toolCalls)];
  return sides.includes('different') ? 'different' : sides.includes('same') ? 'same' : 'unknown';
}

function compareExactly<T>(a: T | null, b: T | null): Agreement {
  if (a === null || b === null) return 'unknown';
  return a === b ? 'same' : 'different';
}

function compareTexts(a: string | null, b: string | null): Agreement {
  if (a === null || b === null || a === b) return compareExactly(a, b);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= SURE_BEGINNING && long.startsWith(short) ? 'same' : 'different';
}

function answerOf(output: Prompt): Answer {
  const messages = output.type === 'chat' ? output.messages : [{ content: output.content, tool_calls: null }];
  const text = messages.map(({ content }) => textIn(content ?? [])).join('');
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  return {
    text: text === '' ? null : comparable(text),
    toolCalls: calls.length === 0 ? null : JSON.stringify(calls.map(({ function: called }) => comparableCall(called))),
  };
}

const comparableCall = ({ name, arguments: given }: { name: string; arguments: string }): JsonValue => [
  name,
  comparable(given),
];

const textIn = (parts: ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');

/** Data are compared without their formatting, texts without their white space. */
function comparable(text: string): string {
  const value = parseIfJson(text) ?? text;
  return typeof value === 'object' ? JSON.stringify(sorted(value)) : text.replace(/\s+/g, '');
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
