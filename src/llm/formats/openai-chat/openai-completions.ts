import type { ModelCall } from '../../providers/model-provider.js';
import { promptText } from '../shared/conversation.js';
import { listAt, objectAt, textAt } from '../../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, VendorFormat } from '../shared/vendor-format.js';
import { completion, reading } from '../shared/reading.js';
import { withServiceTier } from '../../shared/token-usage.js';
import { openAiUsage } from './usage.js';

/** Arguments of endpoints that take one text, such as those for completions and for images. */
export function completionKwargs(call: ModelCall): JsonObject {
  return { prompt: promptText(call.prompt), model: call.model, ...call.parameters };
}

/** OpenAI's older completions: a prompt and texts that go on from it. */
export const openAiCompletions: VendorFormat = {
  reads: ({ request, response }) =>
    (typeof request.prompt === 'string' || Array.isArray(request.prompt)) &&
    chunksOf(response).some((chunk) => listAt(chunk, 'choices').length > 0),
  read: readCompletion,
  stream: {
    reads: (chunk) => listAt(chunk, 'choices').some((choice) => isObject(choice) && typeof choice.text === 'string'),
    piece(chunk) {
      const text = textAt(
        listAt(chunk, 'choices').find((choice) => isObject(choice) && (choice.index ?? 0) === 0),
        'text',
      );
      return text === null ? null : { text };
    },
    ends: (chunk) => listAt(chunk, 'choices').some((choice) => textAt(choice, 'finish_reason') !== null),
  },
};

function readCompletion(call: NativeCall): FormatReading {
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
