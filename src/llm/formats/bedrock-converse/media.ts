import type { JsonObject } from '../../../platform/json.js';
import { compact } from '../../shared/json-reading.js';
import type { Media } from '../shared/media.js';

/** Block and format by MIME type. Converse supports no others. */
const FORMS = new Map<string, [block: 'image' | 'document' | 'video', format: string]>([
  ['image/png', ['image', 'png']],
  ['image/jpeg', ['image', 'jpeg']],
  ['image/jpg', ['image', 'jpeg']],
  ['image/gif', ['image', 'gif']],
  ['image/webp', ['image', 'webp']],
  ['application/pdf', ['document', 'pdf']],
  ['text/csv', ['document', 'csv']],
  ['text/html', ['document', 'html']],
  ['text/plain', ['document', 'txt']],
  ['text/markdown', ['document', 'md']],
  ['application/msword', ['document', 'doc']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['document', 'docx']],
  ['application/vnd.ms-excel', ['document', 'xls']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['document', 'xlsx']],
  ['video/mp4', ['video', 'mp4']],
  ['video/quicktime', ['video', 'mov']],
  ['video/webm', ['video', 'webm']],
]);

/** The block of Converse for a medium; null for unsupported formats and for addresses outside S3. */
export function bedrockMedia(media: Media): JsonObject | null {
  const form = FORMS.get(media.mime);
  const source = toSource(media);
  if (form === undefined || source === null) return null;
  const [block, format] = form;
  return { [block]: compact({ format, name: block === 'document' ? documentName(media.title) : null, source }) };
}

function toSource({ data, url }: Media): JsonObject | null {
  if (data !== null) return { bytes: data };
  return url?.startsWith('s3://') === true ? { s3Location: { uri: url } } : null;
}

/** Latin letters, digits, single blanks and a few signs are all that a name may hold. */
function documentName(title: string | null): string {
  const name = (title ?? '').replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim();
  return name === '' ? 'media' : name.slice(0, 200);
}
