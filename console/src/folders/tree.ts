import type { FolderEntityBody } from '../api/schema.gen';

/** Selection of a list of folders: everything, entities without a folder, or the id of a folder. */
export const EVERYTHING = '';
export const TOP = 'top';

/** A folder with those in it, by name. */
export interface FolderNode {
  id: number;
  name: string;
  /** The folder it is in; null at the top level. */
  parent: number | null;
  /** Names from the top level to the folder itself. */
  path: string[];
  children: FolderNode[];
}

export interface FolderTree {
  roots: FolderNode[];
  byId: Map<number, FolderNode>;
}

/** Folders whose parent is unknown stand at the top level. */
export function treeOf(entities: FolderEntityBody[]): FolderTree {
  const byId = new Map<number, FolderNode>();
  for (const { id, name, folder_id: parent, path } of entities) {
    byId.set(Number(id), { id: Number(id), name, parent, path: [...path, name], children: [] });
  }
  const roots: FolderNode[] = [];
  for (const node of byId.values()) (byId.get(node.parent ?? 0)?.children ?? roots).push(node);
  for (const list of [roots, ...[...byId.values()].map(({ children }) => children)]) {
    list.sort((a, b) => a.name.localeCompare(b.name));
  }
  return { roots, byId };
}

/** The ids of a folder and of those that it is in. */
export function lineOf({ byId }: FolderTree, id: number): Set<number> {
  const line = new Set<number>();
  for (let node = byId.get(id); node && !line.has(node.id); node = byId.get(node.parent ?? 0)) line.add(node.id);
  return line;
}

/** Folders that other folders can move into: a folder cannot contain itself. */
export function targetsOf(tree: FolderTree, moved: readonly number[]): FolderNode[] {
  const isInside = ({ id }: FolderNode) => moved.some((folder) => lineOf(tree, id).has(folder));
  return [...tree.byId.values()]
    .filter((node) => !isInside(node))
    .toSorted((a, b) => pathText(a).localeCompare(pathText(b)));
}

export const pathText = ({ path }: { path: string[] }): string => path.join(' / ');

/** The id of the folder that is open; null at the top level and where everything is listed. */
export const openFolder = (folder: string): number | null => (/^[1-9]\d*$/.test(folder) ? Number(folder) : null);
