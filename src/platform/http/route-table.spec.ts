import { expect, it } from 'vitest';
import { RouteTable } from './route-table.js';

const table = new RouteTable();
table.add('/tables', ['GET', 'HEAD']);
table.add('/tables', ['POST']);
table.add('/tables/:table_id', ['DELETE']);
table.add('/tables/:table_id/rows', ['GET']);
table.add('/prompts/*', ['POST']);
table.add('/v1.0/x', ['GET']);

it.each([
  ['/tables', ['GET', 'HEAD', 'POST']],
  ['/tables/', ['GET', 'HEAD', 'POST']],
  ['/tables/7', ['DELETE']],
  ['/tables/7/rows', ['GET']],
  ['/tables/7/columns', []],
  ['/tables/7/rows/1', []],
  ['/prompts/a/b', ['POST']],
  ['/prompts', []],
  ['/v1.0/x', ['GET']],
  ['/v1-0/x', []],
  ['/', []],
])('finds the methods of %s: %j', (path, methods) => {
  expect(table.methodsAt(path)).toEqual(methods);
});
