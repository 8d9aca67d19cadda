import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeNotFound } from '../platform/http/problem.filter.js';

/** Names with a hash: the content of a URL never changes. */
const ASSETS = { maxAge: '365d', immutable: true } as const;
/** The page changes with the version of the server: revalidate it every time. */
const FRESH = { cacheControl: false } as const;
const FILE = { config: { public: true } } as const;

/**
 * The built console. Every path below `/console/` that a browser opens is the same page, which chooses the screen itself. A
 * missing file is never answered with that page, which would confuse requests for scripts.
 */
export function serveConsole(fastify: FastifyInstance, folder = builtConsole()): void {
  fastify.get('/', FILE, (request, reply) => {
    if (!asksForPage(request)) throw routeNotFound(request);
    return reply.redirect('/console/');
  });
  // Clients print this address of a sheet.
  fastify.get<{ Params: { table: string }; Querystring: { sheet?: string } }>(
    '/workspace/:workspace/smart-tables/:table',
    FILE,
    ({ params, query }, reply) => {
      const places = [params.table, query.sheet].filter((id) => typeof id === 'string' && id !== '') as string[];
      return reply.redirect(`/console/tables/${places.map(encodeURIComponent).join('/')}`);
    },
  );
  fastify.get('/console', FILE, (_request, reply) => reply.redirect('/console/'));
  void fastify.register(async (scope) => {
    await scope.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, dotfiles: 'ignore' });
    scope.get<{ Params: { '*': string } }>('/console/assets/*', FILE, (request, reply) =>
      sendFile(request, reply, `assets/${request.params['*']}`),
    );
    scope.get<{ Params: { '*': string } }>(
      '/console/*',
      { config: { public: true, isFallback: true } },
      (request, reply) => {
        const file = asksForPage(request) ? 'index.html' : request.params['*'] || 'index.html';
        return sendFile(request, reply, file);
      },
    );
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: string): FastifyReply {
  const parts = file.split('/');
  // File names have only these characters; any other name is missing.
  if (parts.some((part) => !/^\w[\w.-]*$/.test(part))) throw routeNotFound(request);
  if (file.startsWith('assets/')) return reply.sendFile(file, ASSETS);
  return reply.header('cache-control', 'no-cache').sendFile(file, FRESH);
}

function asksForPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** `dist/console`, from the sources and from their build. */
function builtConsole(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = [path.resolve(here, '../..'), path.resolve(here, '../../..')].find((folder) =>
    existsSync(path.join(folder, 'package.json')),
  );
  return path.join(root ?? here, 'dist/console');
}
