import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Shorter answers are sent sooner than they are compressed. */
const LEAST_BYTES = 32 * 1024;
/** The fastest level: an answer is sent once, and higher levels take many times as long for little. */
const LEVEL = { level: 1 };
const compress = promisify(gzip);

/** Sends long JSON answers compressed to whoever takes that. The work is done off the event loop. */
export function compressAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (!isLong(payload) || !isCompressible(reply)) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!takesGzip(request)) return payload;
    void reply.header('content-encoding', 'gzip').removeHeader('content-length');
    // What goes wrong on either side ends the other; the answer is then cut off, as it would be without this.
    if (payload instanceof Readable) return pipeline(payload, createGzip(LEVEL), () => undefined);
    return compress(payload, LEVEL);
  });
}

/** Of a stream nobody knows how long it is; those are used for what can be long. */
function isLong(payload: unknown): payload is string | Buffer | Readable {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length >= LEAST_BYTES;
  return payload instanceof Readable;
}

/** Event streams are not: each event has to arrive by itself. */
function isCompressible(reply: FastifyReply): boolean {
  const type = String(reply.getHeader('content-type') ?? '');
  return type.startsWith('application/json') && reply.getHeader('content-encoding') === undefined;
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(String(headers['accept-encoding'] ?? ''));
}
