import { describe, expect, it } from 'vitest';
import { domainOf, readDomains, withOpenid } from './provider.js';

describe('domains', () => {
  it('are compared in ASCII and lower case, each once', () => {
    expect(readDomains([' Example.COM', '@example.com', 'bücher.example', 'XN--BCHER-KVA.example'])).toEqual([
      'example.com',
      'xn--bcher-kva.example',
    ]);
    expect(domainOf('"a@b"@Bücher.Example')).toBe('xn--bcher-kva.example');
    expect(domainOf('ada@ｅxample.com')).toBe('example.com');
  });

  it.each(['', 'localhost', '*.example.com', 'example.com/x', 'a b.com', 'x:1.com', '-a.com', 'a..com', '\ud800.com'])(
    'are refused when one is %j',
    (text) => {
      expect(readDomains(['example.com', text])).toBeNull();
    },
  );

  it.each([
    'ada@example.com/x',
    'ada@example.com#',
    'ada@example.com\\x',
    'ada@example.com:80',
    'ada@exa\tmple.com',
    'ada',
    '',
  ])('are empty for the address %j', (email) => {
    expect(domainOf(email)).toBe('');
  });
});

it('scopes always hold openid, each once', () => {
  expect(withOpenid('')).toBe('openid');
  expect(withOpenid('email, profile  email')).toBe('openid email profile');
  expect(withOpenid('profile openid')).toBe('openid profile');
});
