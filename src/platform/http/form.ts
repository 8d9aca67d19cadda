import { Busboy } from '@fastify/busboy';
import { Problem } from '../errors/problem.js';
import { PlatformErrors } from '../errors/platform.errors.js';

/** The names of the parts of a form; the document shows the first. */
export interface FormParts {
  json: string[];
  file: string[];
}

export interface Form {
  /** Empty when the form has no such part. */
  json: Buffer;
  file: Buffer | undefined;
}

/** Limits beyond any form of a client. */
const LIMITS = { parts: 20, headerPairs: 50, headerSize: 16 * 1024 };

/**
 * Reads a form (multipart/form-data, RFC 7578). Texts under other names are ignored, as are unknown keys of JSON. A file under
 * another name is refused, because it would be lost. Rejects with form_unreadable, form_part_unknown and form_part_repeated.
 */
export function readForm(body: Buffer, contentType: string, parts: FormParts): Promise<Form> {
  return new Promise((resolve, reject) => {
    const found = new Map<'json' | 'file', Buffer>();
    const fail = (error: unknown) =>
      reject(
        error instanceof Problem ? error : PlatformErrors.form_unreadable((error as Error).message.replace(/\.$/, '')),
      );
    const keep = (name: string, content: Buffer, isFile: boolean) => {
      const kind = parts.json.includes(name) ? 'json' : parts.file.includes(name) ? 'file' : null;
      if (kind === null && isFile) return fail(PlatformErrors.form_part_unknown(name, parts.file[0]!));
      if (kind !== null && found.has(kind)) return fail(PlatformErrors.form_part_repeated(name));
      if (kind !== null) found.set(kind, content);
    };
    try {
      const form = new Busboy({
        headers: { 'content-type': contentType },
        limits: { ...LIMITS, fieldSize: body.length, fileSize: body.length + 1 },
      });
      form.on('field', (name, value) => keep(name, Buffer.from(value), false));
      form.on('file', (name, stream) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => keep(name, Buffer.concat(pieces), true));
        stream.on('error', fail);
      });
      form.on('partsLimit', () => fail(PlatformErrors.form_unreadable(`it has more than ${LIMITS.parts} parts`)));
      form.on('error', fail);
      form.on('finish', () => resolve({ json: found.get('json') ?? Buffer.alloc(0), file: found.get('file') }));
      form.end(body);
    } catch (error) {
      fail(error);
    }
  });
}
