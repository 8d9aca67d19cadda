import { expect, it } from 'vitest';
import { changesOf, draftOf, isChanged } from './file-draft';

const before = { 'a.md': 'A', 'b.md': 'B', constructor: 'C' };

it('sends added, renamed, edited and removed files', () => {
  const [a, b] = draftOf(before);
  const draft = [
    { ...a!, text: 'A2' },
    { ...b!, path: ' constructor ' },
    { key: 'new', path: 'd/e.md', text: '' },
  ];
  expect(changesOf(before, draft)).toEqual({
    file_updates: [
      { path: 'a.md', content: 'A2' },
      { path: 'constructor', content: 'B' },
      { path: 'd/e.md', content: '' },
    ],
    deletes: ['b.md'],
  });
  expect([isChanged(before, draft), isChanged(before, draftOf(before))]).toEqual([true, false]);
});

it('refuses paths that are empty or taken', () => {
  const [a, b] = draftOf(before);
  expect(() => changesOf(before, [{ ...a!, path: ' ' }])).toThrow('Every file needs a path.');
  expect(() => changesOf(before, [a!, { ...b!, path: 'a.md' }])).toThrow('Two files have the path a.md.');
});
