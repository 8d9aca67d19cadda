import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { problemOf, SIGN_IN_PROBLEMS } from './sign-in-problems';

/** Errors of routes that people do not open in a browser. */
const OF_ROUTES = [
  'identity_provider_exists',
  'identity_provider_read_only',
  'identity_provider_issuer_refused',
  'identity_not_found',
  'last_way_to_sign_in',
  'logout_token_invalid',
];

it('has words for every error of a sign-in, and for unknown ones', () => {
  const table = path.resolve(import.meta.dirname, '../../../src/single-sign-on/single-sign-on.errors.ts');
  const codes = [...readFileSync(table, 'utf8').matchAll(/^ {2}(\w+): \{/gm)].map(([, code]) => code!);
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !OF_ROUTES.includes(code) && !(code in SIGN_IN_PROBLEMS))).toEqual([]);
  expect(problemOf('something_else')).toContain('(something_else)');
  expect(problemOf(null)).toContain('did not succeed');
});
