import type { ContentPart, Message, Prompt } from '../shared/blueprint.js';
import type { PromptLink } from '../shared/prompt-reference.js';
import { flatten, scalarText } from '../../platform/json-paths.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { findObject, readArguments } from './answer-json.js';

/** Stored in `request_logs.output_shape`. */
export const OUTPUT_SHAPES = { NONE: 0, TEXT: 1, JSON: 2, TOOL_CALLS: 3 } as const;
export type OutputShape = (typeof OUTPUT_SHAPES)[keyof typeof OUTPUT_SHAPES];

/** Limit of paths for one answer or one set of variables, and of values whose words are indexed. */
export const MOST_PATHS = 1000;
const LIMITS = { paths: MOST_PATHS, values: 100_000 };

/** Input and output of a log, from which search takes its facts. */
export interface Conversation {
  input: Prompt;
  output: Prompt;
}

/** The derived columns of a request log that depend on its messages. */
export interface ConversationFacts {
  outputShape: OutputShape;
  turnCount: number;
  toolCallCount: number;
  toolNames: string[];
  /** Paths of `outputData`, at most 1,000. */
  outputKeys: string[];
  outputData: JsonObject | null;
}

/** The derived columns of a request log. */
export interface DerivedFacts extends ConversationFacts {
  /** Paths of all variables, at most 1,000. */
  inputVariableKeys: string[];
}

/** Runs during ingestion, so it reads every text at most once. */
export function readFacts({ input, output }: Conversation): ConversationFacts {
  const { shape, data, toolNames } = readAnswer(output);
  return {
    outputShape: shape,
    turnCount: turnsOf(input) + turnsOf(output) + (output.type === 'completion' && output.content.length > 0 ? 1 : 0),
    toolCallCount: toolCallsIn(input) + toolCallsIn(output),
    toolNames,
    outputKeys: data ? pathsOf(data) : [],
    outputData: data,
  };
}

export function deriveFacts(conversation: Conversation, variables: JsonObject): DerivedFacts {
  return { ...readFacts(conversation), inputVariableKeys: variableKeys(variables, null) };
}

/** The part of a prompt that names its variables. */
type AskingPrompt = Pick<PromptLink, 'variables'>;

/**
 * The paths of a call's variables that it is found by, at most 1,000: those of the variables that its prompt asks for,
 * or all when its prompt is unknown.
 */
export function variableKeys(variables: JsonObject, prompt: AskingPrompt | null): string[] {
  if (!prompt) return pathsOf(variables);
  const asked = prompt.variables.filter((name) => Object.hasOwn(variables, name));
  return pathsOf(Object.fromEntries(asked.map((name) => [name, variables[name]!])));
}

/** The paths of a document, at most 1,000. */
function pathsOf(document: JsonObject): string[] {
  return [...flatten(document, LIMITS).paths];
}

interface Answer {
  shape: OutputShape;
  data: JsonObject | null;
  toolNames: string[];
  /** The text of the answer. */
  text: string;
  /** The text around the JSON. */
  around: string;
}

/** The answer is the last message of the assistant in the output, or the text of a completion. */
export function readAnswer(output: Prompt): Answer {
  const message = output.type === 'chat' ? answerOf(output.messages) : undefined;
  const text = textOf(output.type === 'completion' ? output.content : message?.content);
  const calls = message ? toolCallsOf(message) : [];
  if (calls.length > 0) {
    const data = { tool_calls: calls.map(asData) };
    return { shape: OUTPUT_SHAPES.TOOL_CALLS, data, toolNames: calls.map(({ name }) => name), text, around: text };
  }
  const found = findObject(text);
  if (found) return { shape: OUTPUT_SHAPES.JSON, data: found.object, toolNames: [], text, around: found.around };
  const parts = output.type === 'completion' ? output.content : (message?.content ?? []);
  const nothing = text === '' && parts.length === 0;
  return { shape: nothing ? OUTPUT_SHAPES.NONE : OUTPUT_SHAPES.TEXT, data: null, toolNames: [], text, around: text };
}

/**
 * The answer as text: unchanged, or a line "path: value" for every value of its JSON, or its text and then a line for
 * the name and every argument of its tool calls. Null when there is none.
 */
export function searchedOutput(output: Prompt): string | null {
  const { shape, data, text } = readAnswer(output);
  if (shape === OUTPUT_SHAPES.JSON) return lines(data!).join('\n');
  if (shape === OUTPUT_SHAPES.TOOL_CALLS) return [...(text === '' ? [] : [text]), ...callLines(data!)].join('\n');
  return text === '' ? null : text;
}

/** Every message but the answer as "[role]: text", a blank line between them; for a completion its prompt. */
export function searchedInput({ input, output }: Conversation): string | null {
  if (input.type === 'completion') return textOf(input.content) || null;
  const turns = messagesBefore({ input, output }).map((message) => `[${message.role}]: ${textOf(message.content)}`);
  return turns.length > 0 ? turns.join('\n\n') : null;
}

/** Thinking of the model; null when the output has none. */
export function thinkingText(output: Prompt): string | null {
  const contents = output.type === 'completion' ? [output.content] : output.messages.map(({ content }) => content);
  const thoughts = contents.flatMap((parts) =>
    (parts ?? []).flatMap((part) =>
      part.type === 'thinking' && typeof part.thinking === 'string' ? part.thinking : [],
    ),
  );
  return thoughts.length > 0 ? thoughts.join('\n') : null;
}

/** The last message of the user; null when there is none. */
export function lastUserMessage({ input, output }: Conversation): string | null {
  const said = [input, output].flatMap((prompt) => (prompt.type === 'chat' ? prompt.messages : []));
  const last = said.findLast(({ role }) => role === 'user');
  return last ? textOf(last.content) : null;
}

/** The texts of a call for free-text search, without roles. Words of two texts never join. */
export interface SearchedTexts {
  /** Texts of all messages but the answer; JSON and tool calls of the answer as lines of paths and values. */
  texts: string[];
  /** The answer as written. */
  answer: string;
  /** Text of the answer around its JSON. */
  around: string;
}

export function searchedTexts({ input, output }: Conversation): SearchedTexts {
  const { shape, data, text, around } = readAnswer(output);
  const prompt = input.type === 'completion' ? [textOf(input.content)] : [];
  const said = messagesBefore({ input, output }).map((message) => textOf(message.content));
  const structured =
    shape === OUTPUT_SHAPES.JSON ? lines(data!) : shape === OUTPUT_SHAPES.TOOL_CALLS ? callLines(data!) : [];
  return { texts: [...prompt, ...said, ...structured], answer: text, around };
}

function messagesBefore({ input, output }: Conversation): Message[] {
  const before = input.type === 'chat' ? input.messages : [];
  if (output.type === 'completion' || output.messages.length === 0) return before;
  const answer = answerOf(output.messages);
  return [...before, ...output.messages.filter((message) => message !== answer)];
}

function answerOf(messages: Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'assistant');
}

function textOf(parts: ContentPart[] | null | undefined): string {
  if (!parts) return '';
  let text = '';
  for (const part of parts) if (part.type === 'text' && typeof part.text === 'string') text += part.text;
  return text;
}

interface Call {
  id?: string;
  name: string;
  arguments: string;
}

function toolCallsOf({ tool_calls: calls, function_call: call }: Message): Call[] {
  const made: Call[] = [];
  for (const { id, function: called } of calls ?? []) if (called) made.push({ id, ...called });
  if (call) made.push(call);
  return made;
}

function asData({ id, name, arguments: text }: Call): JsonObject {
  return { ...(id !== undefined && { id }), type: 'function', function: { name, arguments: readArguments(text) } };
}

function lines(data: JsonObject): string[] {
  return flatten(data, LIMITS).values.map(([path, value]) => `${path}: ${scalarText(value)}`);
}

/** Values only: the names of the paths are the same in all calls. */
function callLines({ tool_calls: calls }: JsonObject): string[] {
  return (calls as { function: JsonValue }[]).flatMap((call) =>
    flatten(call.function, LIMITS).values.map(([, value]) => scalarText(value)),
  );
}

function turnsOf(prompt: Prompt): number {
  if (prompt.type === 'completion') return 0;
  let turns = 0;
  for (const { role } of prompt.messages) if (role === 'assistant') turns++;
  return turns;
}

function toolCallsIn(prompt: Prompt): number {
  if (prompt.type === 'completion') return 0;
  let calls = 0;
  for (const message of prompt.messages) calls += (message.tool_calls?.length ?? 0) + (message.function_call ? 1 : 0);
  return calls;
}
