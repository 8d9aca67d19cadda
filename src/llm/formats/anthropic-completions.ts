import { textAt } from '../shared/json-reading.js';
import { chunksOf } from './shared/chunks.js';
import type { VendorFormat } from './shared/vendor-format.js';
import { completion, reading } from './shared/reading.js';
import { promptTexts } from './openai-chat/openai-completions.js';

/** Anthropic's older completions. */
export const anthropicCompletions: VendorFormat = {
  reads: ({ request, response, functionName }) =>
    typeof request.prompt === 'string' &&
    (/anthropic.*completions/.test(functionName) ||
      chunksOf(response).some((chunk) => typeof chunk.completion === 'string')),
  read: (call) => {
    const chunks = chunksOf(call.response);
    const last = chunks.at(-1) ?? null;
    const text = chunks.map((chunk) => textAt(chunk, 'completion') ?? '').join('');
    return reading({ ...call, response: last }, ['prompt'], {
      apiType: 'completions',
      input: completion(promptTexts(call.request.prompt)),
      output: completion([text]),
      recognised: chunks.some((chunk) => typeof chunk.completion === 'string'),
    });
  },
};
