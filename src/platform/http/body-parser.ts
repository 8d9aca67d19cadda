import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import type { BodyBudget } from './body-budget.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { fitsJsonLimits } from '../json-limits.js';
import { mayHoldUnsafeText, safeJson } from '../safe-text.js';

const unzip = promisify(gunzip);

/** Outside ingestion deeper JSON is refused: everything that walks a body may then recurse. */
const JSON_LIMITS = { depth: 64, containers: 1_000_000 };

/**
 * The one body parser of the server. Bodies are read as bytes up to the route's limit, gunzipped, and parsed as JSON
 * unless the route asked for the raw bytes; text that cannot be stored is replaced here, once.
 */
export function registerBodyParser(fastify: FastifyInstance, config: Config, budget: BodyBudget): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: config.ingestBodyLimit },
    async (request: FastifyRequest, body: Buffer) => {
      const limit = bodyLimit(request, config);
      const bytes = await decompress(request, body, limit);
      if (!request.routeOptions.config.rawBody) return parseJson(request, bytes);
      // Decompression may have made more of it than was reserved when the request came in.
      if (!budget.reserve(request, bytes.length)) throw PlatformErrors.ingestion_busy();
      return bytes;
    },
  );
}

/** The largest body, in bytes, that the matched route accepts. */
export function bodyLimit(request: FastifyRequest, config: Config): number {
  return config[request.routeOptions.config.bodyLimitOf ?? 'bodyLimit'];
}

async function decompress(request: FastifyRequest, body: Buffer, limit: number): Promise<Buffer> {
  if (body.length > limit) throw PlatformErrors.body_too_large(limit);
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') throw PlatformErrors.encoding_unsupported(encoding);
  try {
    return await unzip(body, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? PlatformErrors.body_too_large(limit) : PlatformErrors.encoding_unreadable();
  }
}

function parseJson(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') throw PlatformErrors.media_type_unsupported(mediaType);
  const text = bytes.toString('utf8');
  if (!fitsJsonLimits(text, JSON_LIMITS)) throw PlatformErrors.json_too_deep(JSON_LIMITS.depth);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw PlatformErrors.json_unreadable();
  }
  return mayHoldUnsafeText(text) ? safeJson(value) : value;
}
