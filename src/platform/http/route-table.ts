import type { FastifyInstance } from 'fastify';

/** The methods of each path. The router itself reports only that the requested method is missing. */
export class RouteTable {
  private readonly routes: { pattern: RegExp; isFallback: boolean; methods: string[] }[] = [];

  add(url: string, methods: string[], isFallback = false): void {
    this.routes.push({ pattern: toPattern(url), isFallback, methods });
  }

  /** In alphabetical order; empty for an unknown path. A fallback counts only where no other route takes the path. */
  methodsAt(path: string): string[] {
    const found = this.routes.filter(({ pattern }) => pattern.test(path));
    const others = found.filter(({ isFallback }) => !isFallback);
    const methods = (others.length > 0 ? others : found).flatMap((route) => route.methods);
    return [...new Set(methods)].sort();
  }
}

const tables = new WeakMap<FastifyInstance['server'], RouteTable>();

/** Records the routes that are registered from now on. */
export function rememberRoutes(fastify: FastifyInstance): void {
  const table = new RouteTable();
  tables.set(fastify.server, table);
  fastify.addHook('onRoute', ({ url, method, config }) => table.add(url, [method].flat(), config?.isFallback));
}

export function methodsAt({ server }: Pick<FastifyInstance, 'server'>, path: string): string[] {
  return tables.get(server)?.methodsAt(path) ?? [];
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const pattern = escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*/g, '.+');
  return new RegExp(`^${pattern}/?$`);
}
