import { expect, it } from 'vitest';
import { compareFiles } from './compare-files';

it('describes the change of each file between two versions', () => {
  const before = { 'b.md': 'same', 'a.md': 'old', 'gone.md': 'x', constructor: 'y' };
  const after = { 'b.md': 'same', 'a.md': 'new', 'new.md': '' };
  expect(compareFiles(before, after).map(({ path, kind }) => [path, kind])).toEqual([
    ['a.md', 'changed'],
    ['b.md', 'same'],
    ['constructor', 'removed'],
    ['gone.md', 'removed'],
    ['new.md', 'added'],
  ]);
});
