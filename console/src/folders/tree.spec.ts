import { describe, expect, it } from 'vitest';
import type { FolderEntityBody } from '../api/schema.gen';
import { lineOf, openFolder, pathText, targetsOf, treeOf } from './tree';

const folder = (id: number, name: string, parent: number | null, path: string[] = []) =>
  ({ id, name, folder_id: parent, path, type: 'FOLDER' }) as unknown as FolderEntityBody;

const tree = treeOf([
  folder(3, 'c', 2, ['b', 'a']),
  folder(1, 'z', null),
  folder(2, 'a', 4, ['b']),
  folder(4, 'b', null),
]);

describe('the tree of folders', () => {
  it('nests folders, sorted by name', () => {
    expect(tree.roots.map(({ name }) => name)).toEqual(['b', 'z']);
    expect(tree.roots[0]!.children[0]!.children.map(pathText)).toEqual(['b / a / c']);
  });

  it('knows the folders above one', () => {
    expect([...lineOf(tree, 3)]).toEqual([3, 2, 4]);
    expect([...lineOf(tree, 99)]).toEqual([]);
  });

  it('offers no folder inside of the moved one', () => {
    expect(targetsOf(tree, [2]).map(({ name }) => name)).toEqual(['b', 'z']);
    expect(targetsOf(tree, []).map(pathText)).toEqual(['b', 'b / a', 'b / a / c', 'z']);
  });

  it.each([
    ['', null],
    ['top', null],
    ['0', null],
    ['12', 12],
    ['1e3', null],
  ])('reads %j as the folder %j', (text, id) => {
    expect(openFolder(text)).toBe(id);
  });
});
