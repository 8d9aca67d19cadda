import type { Readable } from 'node:stream';
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonValue } from '../json.js';
import { overflows, readJson } from '../read-json.js';
import type { Config } from '../config/config.js';
import type { BodyBudget } from './body-budget.js';
import { readBody } from './body-reader.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Problem, ValidationProblem } from '../errors/problem.js';
import { parseExactly } from '../exact-integers.js';
import { fitsJsonLimits } from '../json-limits.js';
import { holdsUnsafeText, mayHoldUnsafeText, safeJson } from '../safe-text.js';
import { readForm } from './form.js';
import { detachLargeTexts } from './large-text.js';

const INFLATE_CHUNK = 256 * 1024;
/** Bytes of a body besides its file, such as the filters of an import of request logs. */
const AROUND_FILE = 1024 * 1024;

/** Limits outside of ingestion, so that code can recurse through a body. */
const JSON_LIMITS = { depth: 64, containers: 1_000_000 };

/**
 * The one body parser of the server. Bodies are read as bytes up to the route's limit, decompressed, and parsed as JSON unless the
 * route needs the raw bytes. Text that cannot be stored is replaced here, once.
 */
export function registerBodyParser(fastify: FastifyInstance, config: Config, budget: BodyBudget): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const limit = bodyLimit(request, config);
    const hold = (bytes: number) => {
      const refusal = budget.hold(request, request.bodyOwner!, bytes);
      if (refusal) throw refusal;
    };
    const keep = (bytes: number) => {
      if (bytes > limit) throw bodyTooLarge(request, limit);
      hold(bytes);
    };
    const body = await readBody(payload, { announced: announcedLength(request), pace: config, keep });
    request.receivedBytes = body.length;
    const decoder = decoderOf(request, body);
    const keepDecompressed = (bytes: number) => {
      if (bytes > limit) throw bodyTooLarge(request, limit);
      hold(body.length + bytes);
    };
    const bytes = decoder ? await decompress(body, decoder, keepDecompressed) : body;
    return request.routeOptions.config.rawBody ? bytes : parseBody(request, bytes);
  });
}

/** Routes that answer 400 for a too large file do so before and after decoding. */
export function bodyTooLarge({ routeOptions }: FastifyRequest, limit: number): Problem {
  return routeOptions.config.largeFileIs400
    ? PlatformErrors.body_of_file_too_large(limit)
    : PlatformErrors.body_too_large(limit);
}

/** The largest body, in bytes, that the matched route accepts from this caller. */
export function bodyLimit(request: FastifyRequest, config: Config): number {
  return request.bodyLimit ?? limitOf(request.routeOptions.config, config);
}

/** In bytes; 0 for a chunked body and without a body. */
export function announcedLength({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

function limitOf({ takesFile, bodyLimitOf }: Partial<FastifyContextConfig>, config: Config): number {
  // Four characters for three bytes, plus the rest of the body.
  if (takesFile) return Math.max(Math.ceil(config.importMaxBytes / 3) * 4 + AROUND_FILE, config.bodyLimit);
  return config[bodyLimitOf ?? 'bodyLimit'];
}

type Decoder = ReturnType<typeof createGunzip>;

/** Null for a body that is not compressed. */
function decoderOf(request: FastifyRequest, body: Buffer): Decoder | null {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const options = { chunkSize: INFLATE_CHUNK };
  if (encoding === 'identity') return null;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(options);
  if (encoding === 'deflate') return hasZlibHeader(body) ? createInflate(options) : createInflateRaw(options);
  throw PlatformErrors.encoding_unsupported(encoding);
}

/** "deflate" means the zlib format (RFC 1950), but some clients omit its header. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

/** Decompresses in pieces, so that a small body that becomes a thousand times as large is stopped early. */
async function decompress(body: Buffer, stream: Decoder, keep: (bytes: number) => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.end(body);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length;
      keep(size);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof Problem ? error : PlatformErrors.encoding_unreadable();
  }
  return Buffer.concat(pieces, size);
}

async function parseBody(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  const { takesForm, jsonTypes = [] } = request.routeOptions.config;
  if (mediaType === 'application/json' || jsonTypes.includes(mediaType)) return parseJson(request, bytes);
  if (!takesForm || mediaType !== 'multipart/form-data') throw PlatformErrors.media_type_unsupported(mediaType);
  const { json, file } = await readForm(bytes, contentType, takesForm);
  request.uploadedFile = file;
  if (json.length === 0) return undefined;
  try {
    return parseJson(request, json);
  } catch (error) {
    const isUnreadable = error instanceof Problem && error.code === PlatformErrors.json_unreadable.code;
    throw isUnreadable ? PlatformErrors.form_json_unreadable(takesForm.json[0]!) : error;
  }
}

/** A number beyond the range of a double would become Infinity, which JSON writes as null. */
const TOO_LARGE = {
  loc: ['body'],
  msg: 'Numbers should be at most 1.8e308. Send a larger one as a text',
  type: 'finite_number',
};

function parseJson(request: FastifyRequest, bytes: Buffer): unknown {
  const { takesFile, exactIntegers } = request.routeOptions.config;
  const { rest, attach } = takesFile ? detachLargeTexts(bytes) : { rest: bytes, attach: (value: unknown) => value };
  const text = rest.toString('utf8');
  if (!fitsJsonLimits(text, JSON_LIMITS)) throw PlatformErrors.json_too_deep(JSON_LIMITS.depth);
  let value: unknown;
  try {
    value = exactIntegers ? parseExactly(text) : readJson(text);
  } catch {
    throw PlatformErrors.json_unreadable();
  }
  if (!exactIntegers && overflows(text, value as JsonValue)) throw new ValidationProblem([TOO_LARGE]);
  request.bodySanitized = mayHoldUnsafeText(text) && holdsUnsafeText(value);
  return attach(request.bodySanitized ? safeJson(value) : value);
}
