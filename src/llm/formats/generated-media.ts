import { listAt, objectAt, textAt } from '../shared/json-reading.js';
import { isObject, type JsonValue } from '../../platform/json.js';
import type { ContentPart } from '../shared/blueprint.js';
import type { NativeCall, FormatReading, VendorFormat } from './shared/vendor-format.js';
import { completion, reading } from './shared/reading.js';
import { promptTexts } from './openai-chat/openai-completions.js';
import { openAiUsage, reportedCost } from './openai-chat/usage.js';

/** Medium that a function makes from a text, and its default format. */
interface Maker {
  functions: RegExp;
  apiType: string;
  media: 'image' | 'video' | 'audio';
  format: string;
}

const MAKERS: Maker[] = [
  { functions: /\bimages\.generate$/, apiType: 'images', media: 'image', format: 'png' },
  { functions: /\bvideo_generation\.generate$/, apiType: 'video', media: 'video', format: 'mp4' },
  { functions: /\b(?:tts\.create_speech|audio\.speech\.create)$/, apiType: 'speech', media: 'audio', format: 'mp3' },
];

/** Formats whose names differ from their MIME type. */
const SUBTYPES = new Map([
  ['jpg', 'jpeg'],
  ['mp3', 'mpeg'],
]);

/** Calls that turn a text into pictures, films or speech. */
export const madeMedia: VendorFormat = {
  reads: (call) => makerOf(call) !== undefined && listAt(call.response, 'choices').length === 0,
  read: (call) => readMedia(call, makerOf(call)!),
};

function makerOf({ functionName }: NativeCall): Maker | undefined {
  return MAKERS.find(({ functions }) => functions.test(functionName));
}

function readMedia(call: NativeCall, maker: Maker): FormatReading {
  const { request, response } = call;
  const asked = request.prompt === undefined ? 'input' : 'prompt';
  const usage = objectAt(response, 'usage');
  const mime_type = `${maker.media}/${subtypeOf(call, maker)}`;
  const made = listAt(response, 'data').flatMap((thing) => toPart(thing, { mime_type, media_type: maker.media }));
  return reading(call, [asked], {
    apiType: maker.apiType,
    input: completion(promptTexts(request[asked])),
    output: { ...completion([]), content: made },
    usage: openAiUsage(usage),
    price: reportedCost(usage),
  });
}

/**
 * The format in the response takes precedence over the requested one. Only requests for speech have a
 * `response_format`.
 */
function subtypeOf({ request, response }: NativeCall, { media, format }: Maker): string {
  const asked = textAt(request, media === 'audio' ? 'response_format' : 'output_format');
  const told = textAt(response, 'output_format') ?? asked ?? format;
  return SUBTYPES.get(told) ?? told;
}

function toPart(thing: JsonValue, type: { mime_type: string; media_type: string }): ContentPart[] {
  if (!isObject(thing)) return [];
  const { b64_json: data, url, media_type: _, ...provider_metadata } = thing;
  const address = typeof data === 'string' ? `data:${type.mime_type};base64,${data}` : url;
  if (typeof address !== 'string') return [];
  return [{ type: 'output_media', url: address, id: null, ...type, provider_metadata }];
}

/** Calls that turn texts into vectors. The vectors are not kept. */
export const embeddings: VendorFormat = {
  reads: ({ functionName, response }) =>
    /\bembeddings?\b/.test(functionName) || listAt(response, 'data').some(isVector),
  read: readEmbeddings,
};

function isVector(entry: JsonValue): boolean {
  return isObject(entry) && entry.embedding !== undefined;
}

function readEmbeddings(call: NativeCall): FormatReading {
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
