import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import { FolderItem, type FolderItemKind } from './folder-item.js';
import { FolderItems } from './folder-items.js';

const NOTES = { table: 'notes', idType: 'integer', nameSql: 'e.name', editPermission: 'PROMPT_EDIT' } as const;

@FolderItem({ ...NOTES, name: 'REPORT', deletePermission: 'PROMPT_DELETE', whereSql: 'e.pinned' })
class PinnedItem implements FolderItemKind {
  async delete(): Promise<void> {}
}

@FolderItem({ ...NOTES, name: 'DATASET', deletePermission: 'PROMPT_DELETE' })
class NoteItem implements FolderItemKind {
  async delete(): Promise<void> {}
}

@FolderItem({ ...NOTES, name: 'WORKFLOW', deletePermission: 'ADMIN' })
class StricterItem implements FolderItemKind {
  async delete(): Promise<void> {}
}

async function itemsOf(...kinds: (new () => FolderItemKind)[]): Promise<FolderItems> {
  const providers = [FolderItems, ...kinds];
  const module = await Test.createTestingModule({ imports: [DiscoveryModule], providers }).compile();
  await module.init();
  return module.get(FolderItems);
}

describe('the kinds of entities in folders', () => {
  it('are listed by name, and kinds of one table share a store', async () => {
    const items = await itemsOf(PinnedItem, NoteItem);
    expect(items.list().map(({ name }) => name)).toEqual(['DATASET', 'REPORT']);
    expect(items.stores()).toHaveLength(1);
    expect(items.storeOf('REPORT')).toBe(items.storeOf('DATASET'));
    expect(items.storeOf('AB_TEST')).toBeNull();
  });

  it('may be only some rows of a table, unless another kind has the others', async () => {
    expect((await itemsOf(PinnedItem)).storeOf('REPORT')).toMatchObject({ whereSql: 'e.pinned' });
    expect((await itemsOf(PinnedItem, NoteItem)).storeOf('REPORT')!.whereSql).toBeUndefined();
  });

  it('must agree on permissions when they share a table, or the server does not start', async () => {
    await expect(itemsOf(NoteItem, StricterItem)).rejects.toThrow(/table notes differ/);
  });
});
