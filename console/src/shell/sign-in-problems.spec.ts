import { expect, it } from 'vitest';
import { problemOf } from './sign-in-problems';

it('has words for unknown errors of a sign-in', () => {
  expect(problemOf('something_else')).toContain('(something_else)');
  expect(problemOf(null)).toContain('Sign-in failed');
});
