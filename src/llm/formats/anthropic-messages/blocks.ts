import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { compact, objectsIn, textOrNull } from '../../shared/json-reading.js';
import { type Media, readMedia } from '../shared/media.js';
import { filledText } from '../shared/turns.js';

type Role = 'user' | 'assistant';

/** Blocks that only the model writes. The API accepts them back only unchanged. */
const MODEL_BLOCKS = new Map<string, (part: ContentPart) => JsonObject | null>([
  ['thinking', thinkingBlock],
  ['redacted_thinking', ({ type, data }) => (textOrNull(data) === null ? null : { type, data })],
  ['server_tool_use', serverToolBlock],
  ['web_search_tool_result', searchResultBlock],
  ['bash_code_execution_tool_result', serverResultBlock],
  ['text_editor_code_execution_tool_result', serverResultBlock],
]);

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The block for a part in Anthropic's messages; null for parts that the API does not accept from this role. */
export function anthropicBlock(part: ContentPart, role: Role): JsonObject | null {
  if (part.type === 'text') return textBlock(part, role);
  if (role === 'assistant') return MODEL_BLOCKS.get(part.type)?.(part) ?? null;
  const media = readMedia(part);
  return media && mediaBlock(media);
}

function textBlock(part: ContentPart, role: Role): JsonObject | null {
  const text = filledText(part);
  if (text === null) return null;
  const citations = role === 'assistant' ? objectsIn(part.annotations).flatMap(toCitation) : [];
  return compact({ type: 'text', text, citations });
}

/** Only citations of the API's own search carry the index it asks for. */
function toCitation(annotation: JsonObject): JsonObject[] {
  const { type, url, title, cited_text, encrypted_index } = annotation;
  if (type !== 'url_citation' || textOrNull(encrypted_index) === null) return [];
  const cited = { url: url ?? '', title: title ?? null, cited_text: cited_text ?? '', encrypted_index };
  return [{ type: 'web_search_result_location', ...cited }];
}

/** The API refuses thoughts it did not sign. */
function thinkingBlock({ thinking, signature }: ContentPart): JsonObject | null {
  if (textOrNull(signature) === null) return null;
  return { type: 'thinking', thinking: textOrNull(thinking) ?? '', signature };
}

function serverToolBlock({ type, id, name, input }: ContentPart): JsonObject | null {
  if (textOrNull(id) === null || textOrNull(name) === null) return null;
  return { type, id, name, input: isObject(input) ? input : {} };
}

/** The content is a list of results, or an object with an error. */
function searchResultBlock({ type, tool_use_id, content }: ContentPart): JsonObject | null {
  if (textOrNull(tool_use_id) === null) return null;
  const results: JsonValue = isObject(content) ? content : objectsIn(content).map((result) => compact(result));
  return { type, tool_use_id, content: results };
}

function serverResultBlock({ type, tool_use_id, content }: ContentPart): JsonObject | null {
  return textOrNull(tool_use_id) === null ? null : { type, tool_use_id, content: content ?? {} };
}

function mediaBlock(media: Media): JsonObject | null {
  if (media.kind === 'image') return imageBlock(media);
  if (media.mime === 'text/plain' && media.data !== null) return plainTextBlock(media, media.data);
  if (media.mime !== 'application/pdf' && media.id === null) return null;
  return media.kind === 'file' ? compact({ type: 'document', source: toSource(media), title: media.title }) : null;
}

function imageBlock(media: Media): JsonObject | null {
  if (media.data !== null && !IMAGE_TYPES.has(media.mime)) return null;
  return { type: 'image', source: toSource(media) };
}

function toSource({ data, url, id, mime }: Media): JsonObject {
  if (data !== null) return { type: 'base64', media_type: mime, data };
  return url !== null ? { type: 'url', url } : { type: 'file', file_id: id };
}

function plainTextBlock({ mime, title }: Media, data: string): JsonObject {
  const text = Buffer.from(data, 'base64').toString('utf8');
  return compact({ type: 'document', source: { type: 'text', media_type: mime, data: text }, title });
}
