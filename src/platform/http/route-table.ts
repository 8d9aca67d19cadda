import type { FastifyInstance } from 'fastify';

/** Which methods a path has. The router itself only says that the one that was asked for is not among them. */
export class RouteTable {
  private readonly routes: { pattern: RegExp; methods: string[] }[] = [];

  add(url: string, methods: string[]): void {
    this.routes.push({ pattern: toPattern(url), methods });
  }

  /** In the order of the alphabet; empty when there is no such path. */
  methodsAt(path: string): string[] {
    const found = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}

const tables = new WeakMap<FastifyInstance['server'], RouteTable>();

/** Keeps the routes that are registered from now on. */
export function rememberRoutes(fastify: FastifyInstance): void {
  const table = new RouteTable();
  tables.set(fastify.server, table);
  fastify.addHook('onRoute', ({ url, method }) => table.add(url, [method].flat()));
}

export function methodsAt({ server }: Pick<FastifyInstance, 'server'>, path: string): string[] {
  return tables.get(server)?.methodsAt(path) ?? [];
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const pattern = escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*/g, '.+');
  return new RegExp(`^${pattern}/?$`);
}
