import type { JsonValue } from '../../../platform/json.js';
import { type CompletionPrompt, newCompletion, type Prompt } from '../../shared/blueprint.js';
import { isEmpty, textAt, without } from '../../shared/json-reading.js';
import { textPart } from '../../messages/parts.js';
import { toTools } from '../../messages/tool-definitions.js';
import type { NativeCall, FormatReading } from './vendor-format.js';
import { NO_USAGE } from './usage.js';

/** LangChain's clients have their own name for it. */
const MODEL_MEMBERS = ['model', 'model_name'];

/** Fields that a format has read; all others have their default. */
interface Found extends Partial<FormatReading> {
  input: Prompt;
  output: Prompt;
  /** Whether the response has the form of an answer, even if it is empty. */
  recognised?: boolean;
}

/** The reading of a call, from the fields its format has found. `used` are the arguments that these fields contain. */
export function reading(
  { request, response }: NativeCall,
  used: string[],
  { recognised = false, ...found }: Found,
): FormatReading {
  const named = MODEL_MEMBERS.find((member) => textAt(request, member) !== null) ?? 'model';
  const isKnown = recognised || saysAnything(found.output) || isEmpty(response);
  return {
    model: textAt(request, named) ?? textAt(response, 'model'),
    answeredBy: textAt(response, 'model'),
    apiType: null,
    parameters: without(request, ['model', named, ...used]),
    usage: NO_USAGE,
    price: null,
    readsPositional: false,
    responseUnknown: !isKnown,
    ...found,
  };
}

/** A completion of these texts; empty ones are left out. */
export function completion(texts: string[]): CompletionPrompt {
  return newCompletion(texts.filter((text) => text !== '').map(textPart));
}

/** The tools of a request in one form; null when there are none. */
export function toolsOf(given: JsonValue | undefined): JsonValue[] | null {
  return Array.isArray(given) && given.length > 0 ? given.flatMap(toTools) : null;
}

/** Whether there is a message or content at all. */
export function saysAnything(prompt: Prompt): boolean {
  if (prompt.type === 'completion') return prompt.content.length > 0;
  return prompt.messages.some(
    ({ content, tool_calls, function_call }) =>
      (content?.length ?? 0) > 0 || (tool_calls?.length ?? 0) > 0 || (function_call ?? null) !== null,
  );
}
