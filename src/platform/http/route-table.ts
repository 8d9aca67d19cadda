import type { FastifyInstance } from 'fastify';

/** The methods of each path. The router itself reports only that the requested method is missing. */
export class RouteTable {
  private readonly routes: { pattern: RegExp; methods: string[] }[] = [];

  add(url: string, methods: string[]): void {
    this.routes.push({ pattern: toPattern(url), methods });
  }

  /** In alphabetical order; empty for an unknown path. */
  methodsAt(path: string): string[] {
    const found = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}

const tables = new WeakMap<FastifyInstance['server'], RouteTable>();

/** Records the routes that are registered from now on. */
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
