import { afterAll, beforeAll, expect, it } from 'vitest';
import { every } from '../support/every.js';
import { documentOf } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

it('a method that a path of the document does not have is answered with 405 and those that it has', async () => {
  const { paths } = documentOf(app);
  const routes = Object.entries(paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{identifier\}$/, '.+').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    methods: Object.keys(operations).map((method) => method.toUpperCase()),
  }));
  const cases = routes.flatMap(({ path, methods: known }) => {
    const url = path.replace(/\{[^}]+\}/g, '7');
    // A word may also stand in the place of an id, and so belong to another path.
    const methods = routes.filter(({ pattern }) => pattern.test(url)).flatMap((route) => route.methods);
    return METHODS.filter((method) => !methods.includes(method)).map((method) => ({ url, method, known }));
  });
  expect(cases.length).toBeGreaterThan(150);
  await every(cases, async ({ url, method, known }) => {
    const { status, headers, body } = await app.client.request(method, url);
    expect(`${method} ${url} ${status}`).toBe(`${method} ${url} 405`);
    const allowed = String(headers.allow).split(', ');
    expect(allowed).toEqual(expect.arrayContaining(known));
    expect(allowed).not.toContain(method);
    // SCIM has a form of its own for errors.
    const { error = 'method_not_allowed', message, detail = message } = body as Record<string, unknown>;
    expect([error, detail]).toEqual(['method_not_allowed', expect.stringContaining(method)]);
  });
});

it('a path that does not exist is still answered with 404', async () => {
  for (const method of METHODS) {
    const { status, body } = await app.client.request(method, '/api/public/v2/nowhere');
    expect([method, status, body]).toEqual([method, 404, expect.objectContaining({ error: 'route_not_found' })]);
  }
});
