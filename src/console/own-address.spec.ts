import { describe, expect, it } from 'vitest';
import { originOf, pageAt } from './own-address.js';

describe('the page to return to', () => {
  it.each([
    '/console/',
    '/console/traces?query=a%20b#span',
    '/console/tables/1/2',
    '/console/settings/account',
    '/console//double',
  ])('may be a page of the console: %s', (path) => {
    expect(pageAt(path)).toBe(path);
  });

  it.each([
    undefined,
    '',
    '/',
    'https://evil.example/console/',
    '//evil.example/console/',
    '///evil.example',
    '/\\evil.example',
    '/console/../../evil',
    '/console/..//evil.example/',
    '/console/%2e%2e//evil.example/',
    '\\console\\',
    'javascript:alert(1)',
    '/console',
    '/consolation/',
    '/api/public/v2/me',
    '/console/sign-in/acme',
    '/console/./sign-in/acme',
    ' /console/',
    '/\t/evil.example',
    '\u0000/console/',
  ])('is the first page for %j', (text) => {
    expect(pageAt(text)).toBe('/console/');
  });

  it('never holds characters that end a header', () => {
    expect(pageAt('/console/x\r\nset-cookie: a=b')).toBe('/console/xset-cookie:%20a=b');
  });
});

it('the address of the server is PUBLIC_URL, or that of the request', () => {
  const request = { protocol: 'http', host: 'localhost:3000' } as const;
  expect(originOf(request, { publicUrl: '' })).toBe('http://localhost:3000');
  expect(originOf({ protocol: 'http', host: 'LOCALHOST:80' }, { publicUrl: '' })).toBe('http://localhost');
  expect(originOf(request, { publicUrl: 'https://sheets.example.com/below/' })).toBe('https://sheets.example.com');
});
