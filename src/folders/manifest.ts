import { defineDomain } from '../platform/domain.js';
import { Folder } from './shared/folder.entity.js';
import { FoldersModule } from './folders.module.js';

defineDomain('folders', {
  holds: 'The folder tree of a workspace for prompts, tables and other entities',
  uses: ['entity-lists', 'external-ids'],
  module: () => FoldersModule,
  entities: [Folder],
  tags: [{ name: 'Folders', description: 'Order prompts and tables in a tree.', order: 70 }],
});
