import { expect, it } from 'vitest';
import { placesFor } from './places';

const ID = '0af7651916cd43dd8448eb211c80319c';

const both = (words: string) => [`/traces?q=${words}`, `/logs?q=${words}`];

it.each([
  ['fail', ['/traces?status=ERROR', '/logs?status=ERROR', '/traces?q=fail', '/logs?q=fail']],
  ['blue parcel & more', ['/traces?q=blue+parcel+%26+more', '/logs?q=blue+parcel+%26+more']],
  ['1234', ['/logs?f=pl_id+is+1234&id=1234', '/traces?q=1234', '/logs?q=1234']],
  [ID.toUpperCase(), [`/traces/${ID}`, `/traces?q=${ID.toUpperCase()}`, `/logs?q=${ID.toUpperCase()}`]],
  [`00-${ID}-b7ad6b7169203331-01`, [`/traces/${ID}`, ...both(`00-${ID}-b7ad6b7169203331-01`)]],
  [ID.slice(1), both(ID.slice(1))],
])('"%s" leads to %j', (text, paths) => {
  expect(placesFor(text).map(({ path }) => path)).toEqual(paths);
});

it('leads to every screen while nothing was typed', () => {
  const paths = placesFor('  ').map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['/', '/traces', '/prompts', '/settings/keys']));
  expect(new Set(paths).size).toBe(paths.length);
});
