import { expect, it } from 'vitest';
import { Turns } from './turns.js';

/** The order of the works, each written as workspace, key and number. */
function order(...works: string[]): string[] {
  const turns = new Turns<string>();
  for (const work of works) turns.add({ workspaceId: Number(work[0]), keyId: Number(work[1]) }, work);
  expect(turns.size).toBe(works.length);
  const taken: string[] = [];
  for (let work = turns.take(); work !== undefined; work = turns.take()) taken.push(work);
  expect(turns.size).toBe(0);
  return taken;
}

it.each([
  ['as they came, for one key', ['11a', '11b', '11c'], ['11a', '11b', '11c']],
  ['workspace after workspace', ['11a', '11b', '11c', '21a', '31a'], ['11a', '21a', '31a', '11b', '11c']],
  ['key after key in a workspace', ['11a', '11b', '11c', '12a', '12b'], ['11a', '12a', '11b', '12b', '11c']],
  ['workspaces before keys', ['11a', '12a', '13a', '21a', '21b'], ['11a', '21a', '12a', '21b', '13a']],
  ['nothing', [], []],
])('gives work %s', (_, works, expected) => {
  expect(order(...works)).toEqual(expected);
});

it('serves later owners before the rest of an owner with much work', () => {
  const turns = new Turns<string>();
  for (let number = 0; number < 40; number++) turns.add({ workspaceId: 1, keyId: 1 }, `many ${number}`);
  expect(turns.take()).toBe('many 0');
  turns.add({ workspaceId: 2, keyId: 7 }, 'one');
  expect([turns.take(), turns.take()]).toContain('one');
});

it('keeps the turn of workspaces that may have nothing now', () => {
  const turns = new Turns<string>();
  for (const workspaceId of [1, 2, 1, 3]) turns.add({ workspaceId, keyId: null }, `of ${workspaceId}`);
  const notTheFirst = (workspaceId: number) => workspaceId !== 1;
  expect([turns.take(notTheFirst), turns.take(notTheFirst), turns.take(notTheFirst)]).toEqual([
    'of 2',
    'of 3',
    undefined,
  ]);
  expect([turns.size, turns.take(), turns.take(), turns.size]).toEqual([2, 'of 1', 'of 1', 0]);
});
