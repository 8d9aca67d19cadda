import type { SpanAttributes } from './attributes.js';

const LLM_OPERATIONS = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'completion',
  'acompletion',
  'responses',
  'messages',
  'converse',
  'interactions.create',
  'chat.completions',
  'chat_completion',
  'text.completions',
  'generate_text',
  'stream_text',
  'call_llm',
]);

/** Span types of operations that are no calls of a language model. */
const OTHER_OPERATIONS = new Map([
  ['execute_tool', 'TOOL'],
  ['invoke_agent', 'LLM_SESSION'],
  ['create_agent', 'LLM_SESSION'],
  ['invoke_workflow', 'LLM_SESSION'],
  // A step of an agent repeats the usage of its calls.
  ['agent_step', 'LLM_SESSION'],
  ['plan', 'LLM_SESSION'],
  ['retrieval', 'RETRIEVER'],
  ['embeddings', 'EMBEDDING'],
]);

/** Operations that every vendor and gateway names differently. LiteLLM puts an `a` before asynchronous ones. */
const OTHER_FAMILIES: [names: RegExp, spanType: string][] = [
  [/^a?re_?rank(?:ing)?$/, 'RETRIEVER'],
  [/^(?:(?:create_)?a?embed(?:ding)?s?(?:\.create)?|(?:batch_)?embed_(?:contents?|many))$/, 'EMBEDDING'],
  // `images.generate`, `audio.speech.create`, `aimage_generation`, `atranscription`
  [
    /^a?(?:images?|audio|speech|tts|stt|transcri(?:be|ptions?)|videos?|moderat(?:e|ions?)|ocr)(?:[._].*)?$/,
    'CODE_EXECUTION',
  ],
  [
    /^(?:(?:generate|create|edit)_(?:image|audio|speech|video)s?|text_to_(?:image|audio|speech|video))$/,
    'CODE_EXECUTION',
  ],
  [/^evaluat/, 'CODE_EXECUTION'],
];

const API_KEYS = ['promptlayer.api.type', 'openai.api.type'];
const KEYS = ['gen_ai.operation.name', ...API_KEYS];

/** `gen_ai.operation.name`, lower-case; null when absent. */
export function operationOf(attributes: SpanAttributes): string | null {
  return attributes.text('gen_ai.operation.name')?.trim().toLowerCase() ?? null;
}

/** Whether an operation is a call of a language model. */
export const isLlmOperation = (operation: string): boolean => LLM_OPERATIONS.has(operation);

/**
 * The span type of an operation that is no call of a language model; null for calls and unknown operations. The API
 * decides where the operation does not.
 */
export function readOtherOperation(attributes: SpanAttributes): string | null {
  if (attributes.present(KEYS).length === 0) return null;
  const operation = operationOf(attributes) ?? '';
  // Nearly every operation is a call, so the patterns are avoided.
  if (LLM_OPERATIONS.has(operation)) return null;
  return typeOfOtherOperation(operation) ?? typeOfOtherOperation(apiOf(attributes));
}

/** The same for an operation by its name in lower case. */
export function typeOfOtherOperation(operation: string): string | null {
  if (operation === '') return null;
  return OTHER_OPERATIONS.get(operation) ?? OTHER_FAMILIES.find(([names]) => names.test(operation))?.[1] ?? null;
}

/** The API in the spelling of operations. */
function apiOf(attributes: SpanAttributes): string {
  const api = attributes.firstText(API_KEYS) ?? '';
  return api.trim().toLowerCase().replaceAll('-', '_');
}
