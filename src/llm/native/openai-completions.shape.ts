import { isObject, type JsonValue } from '../../platform/json.js';
import { chunksOf } from './chunks.js';
import type { NativeCall, ShapeReading, NativeShape } from './native-call.js';
import { completion, listAt, objectAt, reading } from './reading.js';
import { withServiceTier } from '../token-usage.js';
import { openAiUsage } from './usage.js';

/** OpenAI's older completions: a prompt and texts that go on from it. */
export const openAiCompletions: NativeShape = {
  reads: ({ request, response }) =>
    (typeof request.prompt === 'string' || Array.isArray(request.prompt)) &&
    chunksOf(response).some((chunk) => listAt(chunk, 'choices').length > 0),
  read: readCompletion,
};

function readCompletion(call: NativeCall): ShapeReading {
  const chunks = chunksOf(call.response);
  const usage = chunks.map((chunk) => objectAt(chunk, 'usage')).findLast((found) => found !== null) ?? null;
  const choices = chunks.flatMap((chunk) => listAt(chunk, 'choices')).filter((choice) => isObject(choice));
  const texts = new Map<JsonValue, string>();
  for (const { index = 0, text } of choices) {
    if (typeof text === 'string') texts.set(index, (texts.get(index) ?? '') + text);
  }
  return reading({ ...call, response: chunks.at(-1) ?? null }, ['prompt'], {
    apiType: 'completions',
    input: completion(promptTexts(call.request.prompt)),
    output: completion([...texts.values()]),
    recognised: texts.size > 0,
    usage: withServiceTier(openAiUsage(usage), chunks.at(-1)?.service_tier, call.request.service_tier),
  });
}

/** A prompt may be a list of texts, or tokens by their numbers. */
export function promptTexts(prompt: JsonValue | undefined): string[] {
  if (typeof prompt === 'string') return [prompt];
  if (!Array.isArray(prompt)) return [];
  return prompt.every((text) => typeof text === 'string') ? prompt : [JSON.stringify(prompt)];
}
