import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SwaggerCustomOptions } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
    plugins: [resolveOnlyWhatIsShown],
  },
};

/**
 * A plugin of Swagger UI that resolves the references of the unfolded operation only. By default Swagger UI resolves the whole
 * document again for each part that it shows, which takes seconds. Recursive schemas stay references. The browser gets the
 * text of this function, so it must not refer to anything outside.
 */
function resolveOnlyWhatIsShown(): object {
  type Json = Record<string, unknown>;
  const resolveSubtree = (document: Json, path: string[]) => {
    const find = (keys: string[]) => keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
    const unescape = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    const follow = (value: unknown, within: string[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => follow(item, within));
      if (value === null || typeof value !== 'object') return value;
      const { $ref, ...beside } = value as Json;
      if (typeof $ref !== 'string' || !$ref.startsWith('#/'))
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, follow(part, within)]));
      if (within.includes($ref)) return value;
      const found = follow(find($ref.slice(2).split('/').map(unescape)), [...within, $ref]);
      return { ...(found as Json), ...beside, $$ref: $ref };
    };
    return Promise.resolve({ errors: [], spec: follow(find(path), []) });
  };
  return { fn: { resolveSubtree } };
}

/** Minimum size for compression. */
const LEAST_BYTES = 1024;
const DOCUMENT = /^\/(?:docs(?:\/|$)|openapi\.)/;

interface Packed {
  text: string;
  etag: string;
  gzip: Buffer;
}

/** An answer of a route of the document, which is the same as long as the process runs. */
interface Written {
  text: string;
  type: string;
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0]!;

/** Sends the document and its pages compressed, and answers 304 to clients that have the same version. */
export function sendDocuments(fastify: FastifyInstance, db: DataSource): void {
  const known = new Map<string, Packed>();
  const written = new Map<string, Written>();
  // Writing the document as YAML takes a fifth of a second, and anybody can request it at any rate.
  const sendWritten = async (request: FastifyRequest, reply: FastifyReply) => {
    const before = written.get(pathOf(request));
    if (before) return reply.type(before.type).send(before.text);
  };
  fastify.addHook('onRoute', (route) => {
    if (!DOCUMENT.test(route.url)) return;
    route.config = { ...route.config, public: true };
    route.preHandler = sendWritten;
  });
  const exampleIds = oneAtATime(() => readExampleIds(db));
  fastify.addHook('onSend', async (request, reply, payload) => {
    const path = pathOf(request);
    const fits = DOCUMENT.test(path) && reply.statusCode === 200 && typeof payload === 'string';
    if (!fits || payload.length < LEAST_BYTES) return payload;
    written.set(path, { text: payload, type: String(reply.getHeader('content-type')) });
    // The document is useful without a database, too.
    const text = withExampleIds(await exampleIds().catch(() => new Map<string, string>()), payload);
    let packed = known.get(path);
    if (packed?.text !== text) known.set(path, (packed = pack(text)));
    // Clients must revalidate, because a new version of the server has a new document.
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

/** Puts the ids of the example data into the paths of the document, so its examples can be sent unchanged. */
function withExampleIds(ids: Map<string, string>, text: string): string {
  return [...ids].reduce((filled, [shown, id]) => filled.replaceAll(shown, id), text);
}

/** Shares a running read among concurrent requests, because the document is public and can be requested without limit. */
function oneAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => (reading ??= read().finally(() => (reading = null)));
}

function pack(text: string): Packed {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { text, etag, gzip: gzipSync(text) };
}
