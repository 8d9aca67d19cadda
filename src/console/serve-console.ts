import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeNotFound } from '../platform/errors/problem.filter.js';

/** Hashed names: what a URL gives never changes. */
const ASSETS = { maxAge: '365d', immutable: true } as const;
/** A new version of the server has a new page: ask every time. */
const FRESH = { cacheControl: false } as const;

/**
 * The pages of the console, as they were built. Every path below `/console/` that a browser opens is the same page, which finds out
 * by itself what to show; a file that is missing is never that page, which would be a riddle for whoever asked for a script.
 */
export function serveConsole(fastify: FastifyInstance, folder = builtConsole()): void {
  fastify.get('/', (request, reply) => {
    if (!asksForPage(request)) throw routeNotFound(request);
    return reply.redirect('/console/');
  });
  // Clients tell people to look at a sheet under this address.
  fastify.get<{ Params: { table: string }; Querystring: { sheet?: string } }>(
    '/workspace/:workspace/smart-tables/:table',
    ({ params, query }, reply) => {
      const places = [params.table, query.sheet].filter((id) => typeof id === 'string' && id !== '') as string[];
      return reply.redirect(`/console/tables/${places.map(encodeURIComponent).join('/')}`);
    },
  );
  fastify.get('/console', (_request, reply) => reply.redirect('/console/'));
  void fastify.register(async (scope) => {
    await scope.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, dotfiles: 'ignore' });
    scope.get<{ Params: { '*': string } }>('/console/assets/*', (request, reply) =>
      sendFile(request, reply, `assets/${request.params['*']}`),
    );
    scope.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
      const file = asksForPage(request) ? 'index.html' : request.params['*'] || 'index.html';
      return sendFile(request, reply, file);
    });
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: string): FastifyReply {
  const parts = file.split('/');
  // What is written in any other way than the files are is a name that no page has asked for.
  if (parts.some((part) => !/^\w[\w.-]*$/.test(part))) throw routeNotFound(request);
  if (file.startsWith('assets/')) return reply.sendFile(file, ASSETS);
  return reply.header('cache-control', 'no-cache').sendFile(file, FRESH);
}

function asksForPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** `dist/console`, from the sources as well as from what they were compiled to. */
function builtConsole(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = [path.resolve(here, '../..'), path.resolve(here, '../../..')].find((folder) =>
    existsSync(path.join(folder, 'package.json')),
  );
  return path.join(root ?? here, 'dist/console');
}
