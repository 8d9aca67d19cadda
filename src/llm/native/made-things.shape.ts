import { isObject, type JsonValue } from '../../platform/json.js';
import type { ContentPart } from '../blueprint.js';
import type { NativeCall, NativeReading, NativeShape } from './native-call.js';
import { completion, listAt, objectAt, reading } from './reading.js';
import { promptTexts } from './openai-completions.shape.js';
import { openAiUsage } from './usage.js';

/** Calls that turn a text into pictures. */
export const images: NativeShape = {
  reads: ({ functionName, response }) => /\bimages\.generate$/.test(functionName) && !hasChoices(response),
  read: (call) => {
    const { request, response } = call;
    const pictures = listAt(response, 'data').flatMap((picture) => toPart(picture, request.output_format));
    return reading(call, ['prompt'], {
      apiType: 'images',
      input: completion(promptTexts(request.prompt)),
      output: { ...completion([]), content: pictures },
      usage: openAiUsage(objectAt(response, 'usage')),
    });
  },
};

function hasChoices(response: JsonValue): boolean {
  return listAt(response, 'choices').length > 0;
}

function toPart(picture: JsonValue, format: JsonValue | undefined): ContentPart[] {
  if (!isObject(picture)) return [];
  const { b64_json: data, url, ...provider_metadata } = picture;
  const mime_type = `image/${typeof format === 'string' ? format : 'png'}`;
  const address = typeof data === 'string' ? `data:${mime_type};base64,${data}` : url;
  if (typeof address !== 'string') return [];
  return [{ type: 'output_media', url: address, id: null, mime_type, media_type: 'image', provider_metadata }];
}

/** Calls that turn texts into vectors. The vectors are not kept. */
export const embeddings: NativeShape = {
  reads: ({ functionName, response }) =>
    /\bembeddings?\b/.test(functionName) || listAt(response, 'data').some(isVector),
  read: readEmbeddings,
};

function isVector(entry: JsonValue): boolean {
  return isObject(entry) && entry.embedding !== undefined;
}

function readEmbeddings(call: NativeCall): NativeReading {
  const { request, response } = call;
  const vectors = listAt(response, 'data');
  return reading(call, ['input'], {
    apiType: 'embeddings',
    input: completion(promptTexts(request.input)),
    output: completion([]),
    usage: openAiUsage(objectAt(response, 'usage')),
    recognised: vectors.length > 0 && vectors.every(isVector),
  });
}
