import type { ContentPart } from '../shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** Location of a picture or file: base64 data, a URL, or an id that only the vendor knows. */
interface MediaSource {
  mime: string | null;
  title: string | null;
  image: boolean;
  data?: string;
  url?: string;
  id?: string;
  detail?: JsonValue;
}

type ReadSource = (part: JsonObject) => MediaSource | null;

const BY_TYPE = new Map<string, ReadSource>([
  // OpenTelemetry
  ['blob', (part) => source(part, { data: part.content })],
  ['uri', (part) => source(part, { url: part.uri })],
  ['file', fileSource],
  ['file_data', fileSource],
  // OpenAI
  ['image_url', imageUrlSource],
  ['input_image', imageUrlSource],
  ['input_file', fileSource],
  ['input_audio', audioSource],
  // Anthropic, LangChain and Vercel
  ['image', imageSource],
  ['document', (part) => nestedSource(part)],
  ['audio', embeddedSource],
  ['video', embeddedSource],
  ['media', (part) => (isObject(part.media) ? null : directSource(part))],
  ['image-data', (part) => directSource(part, true)],
  ['image-url', (part) => directSource(part, true)],
  ['file-data', (part) => directSource(part)],
  ['file-url', (part) => directSource(part)],
  // Pydantic AI
  ['audio-url', (part) => directSource(part)],
  ['video-url', (part) => directSource(part)],
  ['document-url', (part) => directSource(part)],
  ['binary', (part) => source(part, { data: part.content })],
]);

/** The parts of Google and of Bedrock have no type. */
const BY_MEMBER: [string, (data: JsonObject) => MediaSource | null][] = [
  ['inlineData', (data) => source(data, { data: data.data })],
  ['inline_data', (data) => source(data, { data: data.data })],
  ['fileData', (data) => source(data, { url: data.fileUri })],
  ['file_data', (data) => source(data, { url: data.file_uri })],
  ['image', (data) => bedrockSource(data, 'image')],
  ['document', (data) => bedrockSource(data, 'application')],
  ['video', (data) => bedrockSource(data, 'video')],
];

/** The image or media part for a vendor's picture, sound or file; null when it is none, or holds no content. */
export function toMediaPart(part: JsonObject): ContentPart | null {
  const found = typeof part.type === 'string' ? BY_TYPE.get(part.type)?.(part) : sourceByMember(part);
  return found ? toPart(found) : null;
}

function sourceByMember(part: JsonObject): MediaSource | null {
  for (const [member, read] of BY_MEMBER) {
    const data = part[member];
    if (isObject(data)) return read(data);
  }
  return null;
}

function toPart(media: MediaSource): ContentPart {
  const { data, url } = media;
  if (media.image && (data !== undefined || url !== undefined)) return toImagePart(media);
  const format = data !== undefined ? 'base64' : url !== undefined ? 'url' : 'neither';
  const title = media.title ?? 'media';
  return { type: 'media', media: { title, type: media.mime, url: data ?? url ?? media.id ?? null, format } };
}

function toImagePart({ data, url, mime, detail }: MediaSource): ContentPart {
  const image = { url: url ?? `data:${mime ?? 'image/png'};base64,${data}` };
  const image_url = detail === undefined ? image : { ...image, detail };
  return { type: 'image_url', image_url, image_variable: null };
}

interface Content {
  data?: JsonValue;
  url?: JsonValue;
  id?: JsonValue;
  detail?: JsonValue;
}

/** null when the part holds none of the contents. */
function source(part: JsonObject, content: Content, image?: boolean): MediaSource | null {
  if (firstText(content.data, content.url, content.id) === undefined) return null;
  const mime = firstText(part.mime_type, part.mimeType, part.mediaType, part.media_type) ?? null;
  return {
    mime,
    title: firstText(part.filename, part.title) ?? null,
    image: image ?? (part.modality === 'image' || mime?.startsWith('image/') === true),
    ...located(content),
    ...(content.detail === undefined || content.detail === null ? {} : { detail: content.detail }),
  };
}

function firstText(...values: (JsonValue | undefined)[]): string | undefined {
  return values.map(text).find((value) => value !== undefined);
}

/** Data may be in the member for a URL and the other way round; a data URL is a URL. */
function located(content: Content): Pick<MediaSource, 'data' | 'url' | 'id'> {
  const given = text(content.data) ?? text(content.url);
  if (given === undefined) return { id: text(content.id) };
  const isUrl = text(content.data) === undefined || /^(?:data:|https?:\/\/)/.test(given);
  return isUrl ? { url: given } : { data: given };
}

function fileSource(part: JsonObject): MediaSource | null {
  const file = isObject(part.file) ? part.file : part;
  const data = file.file_data ?? file.data ?? file.content ?? file.base64;
  return source({ ...part, ...file }, { data, url: file.file_url ?? file.uri ?? file.url, id: file.file_id });
}

/** With a URL only, it may also be a search result. */
function embeddedSource(part: JsonObject): MediaSource | null {
  return directSource({ ...part, url: null });
}

function directSource(part: JsonObject, image?: boolean): MediaSource | null {
  const data = part.data ?? part.base64;
  return source(part, { data, url: part.url ?? part.file_uri, id: part.file_id }, image);
}

function imageUrlSource(part: JsonObject): MediaSource | null {
  const image = part.image_url;
  if (isObject(image)) return source(part, { url: image.url, detail: image.detail }, true);
  return source(part, { url: image, id: part.file_id, detail: part.detail }, true);
}

function audioSource(part: JsonObject): MediaSource | null {
  const audio = isObject(part.input_audio) ? part.input_audio : part;
  const format = text(audio.format);
  return source({ ...part, mime_type: format === undefined ? null : `audio/${format}` }, { data: audio.data });
}

function imageSource(part: JsonObject): MediaSource | null {
  if (isObject(part.source)) return nestedSource(part, true);
  return directSource({ ...part, data: part.image ?? part.data ?? null }, true);
}

function bedrockSource(data: JsonObject, kind: string): MediaSource | null {
  if (!isObject(data.source)) return null;
  const { bytes, s3Location } = data.source;
  const format = text(data.format);
  const mime_type = format === undefined ? null : `${kind}/${format}`;
  const url = isObject(s3Location) ? s3Location.uri : undefined;
  return source({ mime_type, title: data.name ?? null }, { data: bytes, url }, kind === 'image');
}

function nestedSource(part: JsonObject, image?: boolean): MediaSource | null {
  if (!isObject(part.source)) return null;
  const { data, url, file_id: id } = part.source;
  return source({ ...part, ...part.source }, { data, url, id }, image);
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
