import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SwaggerCustomOptions } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import { readExampleIds } from './example-ids.js';

/** The sections are folded: drawing every operation and schema at once takes a browser seconds. */
export const SWAGGER_OPTIONS: SwaggerCustomOptions = {
  jsonDocumentUrl: 'openapi.json',
  yamlDocumentUrl: 'openapi.yaml',
  customSiteTitle: 'Tracesheet API',
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    filter: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 1,
    // Colouring a long answer takes longer than drawing it.
    syntaxHighlight: { activated: false },
  },
};

/** Less is not worth it. */
const LEAST_BYTES = 1024;
const DOCUMENT = /^\/(?:docs(?:\/|$)|openapi\.)/;

interface Packed {
  text: string;
  etag: string;
  gzip: Buffer;
}

/** Sends the document and its pages compressed, and not at all to whoever has them already. */
export function sendDocuments(fastify: FastifyInstance, db: DataSource): void {
  const known = new Map<string, Packed>();
  const exampleIds = oneAtATime(() => readExampleIds(db));
  fastify.addHook('onSend', async (request, reply, payload) => {
    const path = request.url.split('?')[0]!;
    const fits = DOCUMENT.test(path) && reply.statusCode === 200 && typeof payload === 'string';
    if (!fits || payload.length < LEAST_BYTES) return payload;
    // Without a database the document is still of use.
    const text = withExampleIds(await exampleIds().catch(() => new Map<string, string>()), payload);
    let packed = known.get(path);
    if (packed?.text !== text) known.set(path, (packed = pack(text)));
    // A new version of the server has a new document: ask every time, but send it once.
    void reply.headers({ etag: packed.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
    if (request.headers['if-none-match'] === packed.etag) {
      void reply.status(304).removeHeader('content-length');
      return null;
    }
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return text;
    void reply.headers({ 'content-encoding': 'gzip', 'content-length': packed.gzip.length });
    return packed.gzip;
  });
}

/** The document with the ids of the example data in its paths, so that its examples can be sent as they stand. */
function withExampleIds(ids: Map<string, string>, text: string): string {
  return [...ids].reduce((filled, [shown, id]) => filled.replaceAll(shown, id), text);
}

/** Whoever asks while it is read gets the same: anybody may ask for the document without a key, as often as they like. */
function oneAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => (reading ??= read().finally(() => (reading = null)));
}

function pack(text: string): Packed {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { text, etag, gzip: gzipSync(text) };
}
