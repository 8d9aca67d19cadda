import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorTables } from '../../src/platform/errors/problem.js';
import { documentOf, type Operation, operationsOf } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

const PAGE = 'docs/reference/errors.md';

let app: TestApp;
let operations: Operation[];
// Starting the app loads every module, and with it every error table.
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  operations = operationsOf(documentOf(app));
});
afterAll(() => app.stop());

/** Every row of the reference page: code and status. */
function documented(): string[] {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
  return [...page.matchAll(/^\| `([^`]+)` \| (\d{3}) \| .*\S.* \|$/gm)].map(([, code, status]) => `${code} ${status}`);
}

it('documents every error code with its status once, and nothing else', () => {
  const known = [...errorTables.values()].map(({ code, definition }) => `${code} ${definition.status}`);
  expect(known.length).toBeGreaterThan(30);
  expect(documented().sort(), `Run "npm run docs" to bring ${PAGE} up to date.`).toEqual(known.sort());
});

it('shows messages with the names of their values', () => {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
  expect(page).toContain('<id>');
  expect(page).not.toMatch(/undefined|NaN|native code|\[object/);
});

it('names every code in lower case, with a status that means a refusal', () => {
  for (const { code, definition } of errorTables.values()) {
    expect(code).toMatch(/^[a-z0-9]+(_[a-z0-9]+)+$/);
    expect([400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 429, 431, 499, 500, 502, 503, 504]).toContain(
      definition.status,
    );
  }
});

it('sends Retry-After with every error of status 503', () => {
  const passing = [...errorTables.values()].filter(({ definition }) => definition.status === 503);
  expect(passing.length).toBeGreaterThan(0);
  for (const { code, definition } of passing) {
    expect([code, definition.headers?.['retry-after']]).toEqual([code, expect.stringMatching(/^[1-9]\d*$/)]);
  }
});

it('mentions in the OpenAPI document only codes that exist, under their own status', () => {
  for (const { name, responses } of operations) {
    for (const [status, { description = '' }] of Object.entries(responses)) {
      for (const [, code] of description.matchAll(/`([a-z_]+)`/g)) {
        expect([name, code, String(errorTables.get(code!)?.definition.status)]).toEqual([name, code, status]);
      }
    }
  }
});
