import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** Errors of routes that people do not open in a browser. */
const OF_ROUTES = [
  'identity_provider_exists',
  'identity_provider_read_only',
  'identity_provider_issuer_refused',
  'identity_not_found',
  'last_way_to_sign_in',
  'logout_token_invalid',
];

it('the console has a text for every error of a sign-in', () => {
  const words = readFileSync('console/src/shell/sign-in-problems.ts', 'utf8');
  const codes = Object.keys(SingleSignOnErrors).filter((code) => !OF_ROUTES.includes(code));
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !words.includes(`${code}:`))).toEqual([]);
});
