import { describe, expect, it } from 'vitest';
import { findHeaderProblem } from './headers.js';

describe('headers of a user', () => {
  it.each<[string, Record<string, unknown>]>([
    ['none', {}],
    ['a usual one', { Authorization: 'Bearer abc', 'X-Team': 'support' }],
    ['an empty value', { 'X-Empty': '' }],
    ['Latin-1 and tabs', { 'X-Name': 'Zoë\tÅ' }],
    ['odd characters of names', { "x!#$%&'*+-.^_`|~9": 'a' }],
  ])('with %s can be sent', (_, headers) => expect(findHeaderProblem(headers)).toBeNull());

  it.each<[string, Record<string, unknown>, string]>([
    ['a line break in the value', { A: 'a\r\nB: b' }, 'The header A holds characters'],
    ['a lone line feed', { A: 'a\nb' }, 'The header A holds characters'],
    ['a NUL', { A: 'a\u0000b' }, 'The header A holds characters'],
    ['a character beyond Latin-1', { A: 'naïve ✓' }, 'The header A holds characters'],
    ['a line break in the name', { 'A\r\nB': 'b' }, 'is no name'],
    ['an empty name', { '': 'b' }, 'is no name'],
    ['a space in the name', { 'A B': 'b' }, 'is no name'],
    ['a colon in the name', { 'A:': 'b' }, 'is no name'],
    ['Host', { hOsT: 'internal' }, 'The header hOsT is set by the server.'],
    ['Content-Length', { 'Content-Length': '0' }, 'set by the server'],
    ['Transfer-Encoding', { 'transfer-encoding': 'chunked' }, 'set by the server'],
    ['Connection', { Connection: 'x' }, 'set by the server'],
    ['one that is reserved here', { 'X-Own': 'x' }, 'set by the server'],
    ['the same name twice', { 'X-A': '1', 'x-a': '2' }, 'given twice'],
    ['a number', { A: 1 }, 'must be a text'],
    ['null', { A: null }, 'must be a text'],
    ['a list', { A: ['a'] }, 'must be a text'],
    ['very long values', { A: 'a'.repeat(8_000) }, 'longer than 8000'],
    ['very many', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`A${n}`, ''])), 'more than 50'],
  ])('with %s are refused', (_, headers, problem) => {
    expect(findHeaderProblem(headers, ['x-own'])).toContain(problem);
  });
});
