import type { ContentPart } from '../../llm/shared/blueprint.js';

/** Base64 prefixes of well-known file types. */
const SIGNATURES: [string, string][] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];
const EXTENSIONS: Record<string, string> = {
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};
/** The contract's default media type. */
const DEFAULT_TYPE = 'image/jpeg';
const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** Makes a media part of a URL, a data URL or bare base64. */
export function toMediaPart(source: string): ContentPart {
  const dataUrl = DATA_URL.exec(source);
  if (dataUrl) return mediaPart(source.slice(dataUrl[0].length), dataUrl[1] || DEFAULT_TYPE, 'base64');
  if (isUrl(source)) return mediaPart(source, typeOfUrl(source), 'url');
  return mediaPart(source, typeOfBase64(source), 'base64');
}

/** Turns a URL or bare base64 into a URL from which an image can be loaded. */
export function toImageUrl(source: string): string {
  return isUrl(source) ? source : `data:${typeOfBase64(source)};base64,${source}`;
}

function mediaPart(url: string, type: string, format: 'base64' | 'url'): ContentPart {
  return { type: 'media', media: { title: 'media', type, url, format } };
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text);
}

function typeOfUrl(url: string): string {
  const extension = /\.(\w{1,5})(?:[?#]|$)/.exec(url.slice(url.lastIndexOf('/') + 1))?.[1].toLowerCase();
  return (extension !== undefined && Object.hasOwn(EXTENSIONS, extension) && EXTENSIONS[extension]) || DEFAULT_TYPE;
}

function typeOfBase64(data: string): string {
  return SIGNATURES.find(([start]) => data.startsWith(start))?.[1] ?? DEFAULT_TYPE;
}
