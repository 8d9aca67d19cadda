import type { ContentPart } from '../../llm/shared/blueprint.js';
import { isObject, type JsonObject } from '../../platform/json.js';

/** Members of parts that hold the place of a picture, a sound or a file. */
const HOLDERS = ['image_url', 'media', 'file', 'input_audio', 'document', 'video'];
const WEB_ADDRESS = /^\s*(?:https?:|\{)/i;

/** Where the media of a part are on the web, as a text that may hold variables. Null for content that stands in the part itself. */
export function addressOf(part: ContentPart): string | null {
  const holder = holderOf(part);
  const url = holder ? holder.value.url : part.url;
  return typeof url === 'string' && WEB_ADDRESS.test(url) ? url : null;
}

export function withAddress(part: ContentPart, url: string): ContentPart {
  const holder = holderOf(part);
  return holder ? { ...part, [holder.name]: { ...holder.value, url } } : { ...part, url };
}

function holderOf(part: ContentPart): { name: string; value: JsonObject } | null {
  for (const name of HOLDERS) {
    const value = part[name];
    if (isObject(value) && value.url !== undefined) return { name, value };
  }
  return null;
}
