import { describe, expect, it } from 'vitest';
import {
  failureCode,
  isConnectionFailure,
  isDataFailure,
  isPassingDatabaseFailure,
  isPassingFailure,
  isStorageFailure,
  uniqueViolation,
} from './failures.js';

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
  ])('is recognised %s', (_, error) => {
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

describe('a failure that may pass', () => {
  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

  it.each([
    ['a full disk of the database', failure('53100')],
    ['one that TypeORM reports', { driverError: failure('53100') }],
    ['memory that is used up', failure('53200')],
    ['a disk of the database that fails', failure('58030')],
    ['a database that is read-only', failure('25006')],
    ['a full disk of this machine', failure('ENOSPC')],
    ['a quota that is used up', failure('EDQUOT')],
    ['a Redis that cannot persist', reply('MISCONF Errors writing to the AOF file: No space left on device')],
    ['a Redis without memory', reply("OOM command not allowed when used memory > 'maxmemory'.")],
  ])('is %s: writes are impossible', (_, error) => {
    expect([isStorageFailure(error), isPassingFailure(error), isConnectionFailure(error)]).toEqual([true, true, false]);
    expect(isPassingDatabaseFailure(error)).toBe(true);
  });

  it.each([
    ['a server that shuts down', failure('57P01'), true],
    ['one that panics, whatever the reason', failure('53100', '', { severity: 'PANIC' }), true],
    ['too many connections', failure('53300'), true],
    ['a broken connection, which may be one to another server', failure('ECONNRESET'), false],
    ['a broken connection in a statement', { driverError: failure('ECONNRESET') }, true],
  ])('is %s', (_, error, isOfDatabase) => {
    expect([isPassingFailure(error), isPassingDatabaseFailure(error)]).toEqual([true, isOfDatabase]);
  });

  it.each([
    ['data that are refused', failure('23505')],
    ['a broken index', failure('XX002')],
    ['a deadlock', failure('40P01')],
    ['any other reply of Redis', reply('WRONGTYPE Operation against a key')],
    ['an error of the code', new Error('MISCONF ')],
  ])('is not %s', (_, error) => expect(isPassingFailure(error)).toBe(false));
});
