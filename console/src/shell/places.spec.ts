import { expect, it } from 'vitest';
import { placesFor } from './places';

const ID = '0af7651916cd43dd8448eb211c80319c';

it.each([
  ['', ['/traces', '/traces?status=ERROR', '/tables']],
  ['  ', ['/traces', '/traces?status=ERROR', '/tables']],
  ['fail', ['/traces?status=ERROR', '/traces?q=fail']],
  ['blue parcel & more', ['/traces?q=blue+parcel+%26+more']],
  [ID.toUpperCase(), [`/traces/${ID}`, `/traces?q=${ID.toUpperCase()}`]],
  [`00-${ID}-b7ad6b7169203331-01`, [`/traces/${ID}`, `/traces?q=00-${ID}-b7ad6b7169203331-01`]],
  [ID.slice(1), [`/traces?q=${ID.slice(1)}`]],
])('"%s" leads to %j', (text, paths) => {
  expect(placesFor(text).map(({ path }) => path)).toEqual(paths);
});
