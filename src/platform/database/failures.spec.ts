import { describe, expect, it } from 'vitest';
import { failureCode, isDataFailure, uniqueViolation } from './failures.js';

const failure = (code: string, message = '', more: object = {}) => Object.assign(new Error(message), { code, ...more });
const said = (name: string) => `duplicate key value violates unique constraint "${name}"`;

describe('the violation of a unique constraint', () => {
  it.each([
    ['as PostgreSQL tells it', failure('23505', said('tools_name_key'), { constraint: 'tools_name_key' })],
    [
      'inside an error of TypeORM',
      { driverError: failure('23505', said('tools_name_key'), { constraint: 'tools_name_key' }) },
    ],
    ['of a shard, which names no constraint', failure('23505', said('tools_name_key_102013'))],
    ['of a shard in a COPY, which has another code', failure('XX000', said('tools_name_key_102013'))],
    ['of a shard, inside an error of TypeORM', { driverError: failure('XX000', said('tools_name_key_102013')) }],
  ])('is known %s', (_, error) => {
    expect(failureCode(error)).toBe('23505');
    expect(isDataFailure(error)).toBe(true);
    expect(uniqueViolation(error)).toBe('tools_name_key');
  });

  it.each([
    ['another internal error', failure('XX000', 'cache lookup failed'), 'XX000'],
    ['another violation', failure('23503', 'violates foreign key constraint "a_fkey"'), '23503'],
    ['something else', null, null],
  ])('is not %s', (_, error, code) => {
    expect(failureCode(error)).toBe(code);
    expect(uniqueViolation(error)).toBeNull();
  });
});
