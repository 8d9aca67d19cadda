import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './redis-address.js';

describe('the value of REDIS_URL', () => {
  it.each([
    ['redis://localhost', { kind: 'server', options: { host: 'localhost', port: 6379, db: 0 } }],
    [' redis://:p%40ss@h:7000/3 ', { kind: 'server', options: { password: 'p@ss', host: 'h', port: 7000, db: 3 } }],
    [
      'redis://me:a:b@h',
      { kind: 'server', options: { username: 'me', password: 'a:b', host: 'h', port: 6379, db: 0 } },
    ],
    ['rediss://[::1]:7000', { kind: 'server', options: { host: '::1', port: 7000, db: 0, tls: {} } }],
    [
      'redis+cluster://:p@a:1,b,[fe80::1]:3',
      {
        kind: 'cluster',
        options: { password: 'p' },
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6379 },
          { host: 'fe80::1', port: 3 },
        ],
      },
    ],
    [
      'redis+sentinel://:p@a,b:1/my%20master/2?sentinelPassword=s%2F',
      {
        kind: 'sentinel',
        options: {
          password: 'p',
          name: 'my master',
          db: 2,
          sentinelPassword: 's/',
          sentinels: [
            { host: 'a', port: 26379 },
            { host: 'b', port: 1 },
          ],
        },
      },
    ],
    [
      'rediss+sentinel://a/m',
      {
        kind: 'sentinel',
        options: {
          name: 'm',
          db: 0,
          tls: {},
          sentinelTLS: {},
          enableTLSForSentinelMode: true,
          sentinelPassword: undefined,
          sentinels: [{ host: 'a', port: 26379 }],
        },
      },
    ],
  ])('%s', (text, address) => {
    expect(parseRedisUrl(text)).toEqual(address);
  });

  it.each([
    ['http://localhost', /starts with redis:/],
    ['localhost:6379', /starts with redis:/],
    ['redis://', /starts with redis:/],
    ['redis://a,b', /redis\+sentinel:\/\/ or redis\+cluster:\/\//],
    ['redis://a:99999', /host:port/],
    ['redis+cluster://a:x', /host:port/],
    ['redis+cluster://a,,b', /host:port/],
    ['redis+cluster://a/1', /no database/],
    ['redis+sentinel://a', /name of the master/],
    ['redis://a/first', /number of a database/],
    ['redis://:100%@a', /percent-encoded/],
  ])('%s is refused without repeating it', (text, message) => {
    expect(() => parseRedisUrl(text)).toThrow(message);
    expect(() => parseRedisUrl(text)).not.toThrow('100%');
  });
});
