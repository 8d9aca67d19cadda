import { isObject, type JsonValue } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { textOrNull } from '../../shared/json-reading.js';

/** A picture, sound, film or file of a prompt. Exactly one of `data`, `url` and `id` is set. */
export interface Media {
  kind: 'image' | 'audio' | 'video' | 'file';
  mime: string;
  /** Base64. */
  data: string | null;
  /** http(s) or the address of a vendor's storage; never a data URL. */
  url: string | null;
  /** The id under which the vendor keeps the file. */
  id: string | null;
  title: string | null;
  /** Level of detail for a picture. */
  detail: string | null;
}

type Location = Pick<Media, 'data' | 'url' | 'id'> & { mime: string | null };

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Type of media without a type, by the prompt vocabulary. */
const DEFAULT_MIME = 'image/jpeg';

const MIME_BY_ENDING = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
  ['txt', 'text/plain'],
]);

/** The medium of a part of type image_url, media or output_media; null for other parts and for empty ones. */
export function readMedia(part: ContentPart): Media | null {
  switch (part.type) {
    case 'image_url':
      return readImage(part.image_url);
    case 'media':
      return readFile(part.media);
    case 'output_media':
      return build(locate(part.url, false), { mime: part.mime_type, fallback: 'image/png' });
    default:
      return null;
  }
}

/** The address of a medium, which may be a data URL; null when only the vendor's id is known. */
export function mediaAddress(media: Media): string | null {
  return media.data === null ? media.url : `data:${media.mime};base64,${media.data}`;
}

function readImage(image: JsonValue | undefined): Media | null {
  const given = isObject(image) ? image : { url: image ?? null };
  return build(locate(given.url, false), { detail: given.detail });
}

function readFile(media: JsonValue | undefined): Media | null {
  if (!isObject(media)) return null;
  const mayBeId = media.format !== 'base64' && media.format !== 'url';
  return build(locate(media.url, mayBeId), { mime: media.type, title: media.title });
}

/** Text that is no URL is base64. If the prompt gives no type, it is the vendor's id of a file. */
function locate(value: JsonValue | undefined, mayBeId: boolean): Location | null {
  const text = textOrNull(value);
  if (text === null) return null;
  const dataUrl = DATA_URL.exec(text);
  if (dataUrl) return fromDataUrl(dataUrl);
  // Base64 has no braces, so this is an address with an unfilled variable.
  if (SCHEME.test(text) || text.includes('{')) return { data: null, url: text, id: null, mime: mimeOfAddress(text) };
  if (mayBeId) return { data: null, url: null, id: text, mime: null };
  return { data: text, url: null, id: null, mime: null };
}

function fromDataUrl([, mime, options, content]: RegExpExecArray): Location | null {
  if (content === '') return null;
  const data = options.includes(';base64') ? content : Buffer.from(unescaped(content)).toString('base64');
  return { data, url: null, id: null, mime: mime || null };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Description {
  mime?: JsonValue;
  fallback?: string;
  title?: JsonValue;
  detail?: JsonValue;
}

function build(location: Location | null, { mime, fallback, title, detail }: Description): Media | null {
  if (location === null) return null;
  const type = textOrNull(mime) ?? location.mime ?? fallback ?? DEFAULT_MIME;
  return {
    ...location,
    mime: type,
    kind: kindOf(type),
    title: textOrNull(title),
    detail: textOrNull(detail),
  };
}

function kindOf(mime: string): Media['kind'] {
  const family = mime.slice(0, mime.indexOf('/'));
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}

function mimeOfAddress(url: string): string | null {
  const path = url.split(/[?#]/, 1)[0];
  return MIME_BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? null;
}
