import { existsSync } from 'node:fs';
import { domains } from '../../src/platform/domain.js';
import type { Client } from './client.js';
import type { Operation } from './operations.js';
import type { TestApp } from './test-app.js';

/** Values for path parameters, by name. */
export type Ids = Record<string, string | number>;

/** Facts about the routes of a domain for the contract tests, in `src/<domain>/examples.fixture.ts`. */
export interface Examples {
  /** Values of its path parameters that exist nowhere. */
  unknown?: Ids;
  /** Bodies that pass validation, by method and path: only the id can be refused. */
  bodies?: Record<string, object>;
  /** Required query parameters, by method and path. */
  queries?: Record<string, string>;
  /**
   * Puts something of everything into the workspace of `me` and gives its ids by path parameter. `ids` are those of the domains
   * before it in `src/domains.ts`.
   */
  create?(clients: { me: Client; operator: Client }, ids: Ids): Promise<Ids>;
}

/** The form of a UUID that exists nowhere. */
export const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

/** The examples of these domains, in this order. */
export async function readExamples(names: Iterable<string> = domains.keys()): Promise<Required<Examples>[]> {
  const withExamples = [...names].filter((name) => existsSync(`src/${name}/examples.fixture.ts`));
  const modules = withExamples.map((name) => import(`../../src/${name}/examples.fixture.ts`));
  const read = (await Promise.all(modules)) as { default: Examples }[];
  const nothing = { unknown: {}, bodies: {}, queries: {}, create: () => Promise.resolve({}) };
  return read.map((module) => ({ ...nothing, ...module.default }));
}

/**
 * Puts something of everything into the first workspace, or that of another client, and gives its ids by path parameter. The app must
 * work, unless `names` are domains that need no worker.
 */
export async function inhabit(app: TestApp, names?: string[], me = app.client): Promise<Ids> {
  const ids: Ids = {};
  const clients = { me, operator: app.operator() };
  for (const { create } of await readExamples(names)) Object.assign(ids, await create(clients, ids));
  return ids;
}

/** Client that may call a route: the operator or the first workspace. */
export function clientFor(app: TestApp, { path }: Operation): Client {
  return path.startsWith('/api/admin') ? app.operator() : app.client;
}
