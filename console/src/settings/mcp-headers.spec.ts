import { expect, it } from 'vitest';
import { readHeaders } from './mcp-headers';

it('reads headers from lines', () => {
  expect(readHeaders('X-Team: search\n\n  Accept-Language :en: fr \r\n')).toEqual({
    'X-Team': 'search',
    'Accept-Language': 'en: fr',
  });
  expect(readHeaders(' \n')).toBeNull();
});

it.each(['X-Team', ': value', 'X-Team:'])('refuses the line %j', (line) => {
  expect(() => readHeaders(line)).toThrow('is no header');
});
