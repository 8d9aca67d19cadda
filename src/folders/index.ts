export { Folder } from './folder.entity.js';
export { FolderItem, type FolderItemKind, UnlistedFolderItem } from './folder-item.js';
export { folderPaths } from './folder-tree.js';
export { FolderErrors } from './folders.errors.js';
export { FoldersModule } from './folders.module.js';
export { lockFolder } from './lock-folder.js';
export { assertOwnWorkspace, OwnWorkspaceField } from './own-workspace.js';
