import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Sending shorter answers takes less time than compressing them. */
const LEAST_BYTES = 32 * 1024;
/** The fastest level: an answer is sent once, and higher levels take many times as long for a small gain. */
const LEVEL = { level: 1 };
const compress = promisify(gzip);

/** Compresses long JSON answers for clients that accept it, off the event loop. */
export function compressAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (!isLong(payload) || !isCompressible(reply)) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!takesGzip(request)) return payload;
    void reply.header('content-encoding', 'gzip').removeHeader('content-length');
    // An error on either side ends the other; the answer is then truncated, as without compression.
    if (payload instanceof Readable) return pipeline(payload, createGzip(LEVEL), () => undefined);
    return compress(payload, LEVEL);
  });
}

/** Streams count as long: their length is unknown, and long answers use them. */
function isLong(payload: unknown): payload is string | Buffer | Readable {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length >= LEAST_BYTES;
  return payload instanceof Readable;
}

/** Event streams are not compressed: each event has to arrive by itself. */
function isCompressible(reply: FastifyReply): boolean {
  const type = String(reply.getHeader('content-type') ?? '');
  return type.startsWith('application/json') && reply.getHeader('content-encoding') === undefined;
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(String(headers['accept-encoding'] ?? ''));
}
