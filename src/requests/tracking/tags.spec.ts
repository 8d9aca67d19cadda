import { describe, expect, it } from 'vitest';
import { changeTags, checkTags, mergeTagChanges } from './tags.js';

const changes = (added: string[], removed: string[] = []) => ({ added, removed });

describe('changes of tags', () => {
  it('combine all changes', () => {
    expect(mergeTagChanges(undefined, changes(['a', 'a'], ['b']))).toEqual(changes(['a'], ['b']));
    expect(mergeTagChanges(changes(['a'], ['b']), changes(['b'], ['a']))).toEqual(changes(['b'], ['a']));
    expect(mergeTagChanges(changes(['a']), changes(['c'], ['c']))).toEqual(changes(['a'], ['c']));
  });

  it('keep the position of the others', () => {
    expect(changeTags(['x', 'b', 'y'], changes(['a', 'y'], ['b', 'z']))).toEqual(['x', 'y', 'a']);
  });

  it('are refused when they become too many', () => {
    const many = Array.from({ length: 1001 }, (_, index) => String(index));
    expect(() => checkTags(many, changes([]))).toThrow('up to 1000 tags');
    expect(() => checkTags([], changes(['x'], many.slice(1)))).toThrow('up to 1000 tags');
    checkTags(many.slice(1), changes(many.slice(1)));
  });
});
