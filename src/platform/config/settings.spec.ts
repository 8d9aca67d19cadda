import { describe, expect, it } from 'vitest';
import { platformSettings } from './config.js';
import { ConfigurationError, readSettings } from './settings.js';

const VALID = { DATABASE_URL: 'postgres://localhost/app', REDIS_URL: 'redis://localhost:6379' };

describe('readSettings', () => {
  it('fills in defaults and treats empty variables as unset', () => {
    expect(load({ ...VALID, PORT: '' })).toMatchObject({ port: 3000, adminToken: null, logLevel: 'info' });
  });

  it('lists every problem at once and repeats no secret', () => {
    const env = {
      DATABASE_URL: 'mysql://user:hunter2@host/app',
      PORT: '99999',
      LOG_LEVEL: 'loud',
      ADMIN_TOKEN: 'short',
    };
    const error = captured(() => load(env));
    expect(error.problems.map((problem) => problem.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'PORT',
      'LOG_LEVEL',
      'ADMIN_TOKEN',
    ]);
    expect(error.message).not.toMatch(/hunter2|short/);
  });

  it('reads switches and levels in any letter case', () => {
    const read = (word: string) => load({ ...VALID, OUTBOUND_ALLOW_PRIVATE: word }).outboundAllowPrivate;
    expect(['on', 'TRUE', 'Yes', '1', ' on '].map(read)).toEqual([true, true, true, true, true]);
    expect(['off', 'False', 'NO', '0', ''].map(read)).toEqual([false, false, false, false, false]);
    expect(captured(() => read('maybe')).problems).toEqual([
      'OUTBOUND_ALLOW_PRIVATE must be on or off, not "maybe"; true/false, yes/no and 1/0 mean the same',
    ]);
    expect(load({ ...VALID, LOG_LEVEL: 'INFO' }).logLevel).toBe('info');
  });

  it.each(['1.5', 'abc', '-1', '1e3'])('refuses %s as a port', (PORT) => {
    expect(captured(() => load({ ...VALID, PORT })).problems).toHaveLength(1);
  });

  it.each(['proxy.local', '10.0.0.0/8,proxy.local', '10.0.0.0/99', ','])('refuses %s as trusted proxies', (text) => {
    expect(captured(() => load({ ...VALID, TRUSTED_PROXIES: text })).problems).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES must be addresses or networks, separated by commas: invalid/),
    ]);
    expect(load({ ...VALID, TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toBe('10.0.0.0/8, ::1');
  });

  it('refuses headers of traces whose values are not encoded, without repeating them', () => {
    const read = (text: string) => load({ ...VALID, OTEL_EXPORTER_OTLP_HEADERS: text }).otlpHeaders;
    expect(captured(() => read('x-team=a,x-api-key=hunter2%')).problems).toEqual([
      'OTEL_EXPORTER_OTLP_HEADERS must have values that are encoded as in a URL, with %25 for a percent sign: that of x-api-key is not',
    ]);
    expect(read('x-api-key=hunter2%25')).toBe('x-api-key=hunter2%25');
  });

  it('reads a key of the right length and refuses everything else without repeating it', () => {
    const key = Buffer.alloc(32, 7);
    expect(load(VALID).secretsKey).toBeNull();
    expect(load({ ...VALID, SECRETS_KEY: key.toString('base64') }).secretsKey).toEqual(key);
    for (const SECRETS_KEY of ['hunter2', key.toString('hex'), `${key.toString('base64')}hunter2`, '*'.repeat(44)]) {
      expect(captured(() => load({ ...VALID, SECRETS_KEY })).problems).toEqual([
        'SECRETS_KEY must be 32 bytes in base64',
      ]);
    }
  });
});

const load = (env: Record<string, string>) => readSettings(platformSettings, env);

function captured(run: () => unknown): ConfigurationError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error('The configuration was accepted.');
}
