export { Folder } from './shared/folder.entity.js';
export { FolderItem, type FolderItemKind, UnlistedFolderItem } from './shared/folder-item.js';
export { folderPaths } from './shared/folder-tree.js';
export { FolderErrors } from './shared/folders.errors.js';
export { FoldersModule } from './folders.module.js';
export { lockFolder } from './shared/lock-folder.js';
export { assertOwnWorkspace, OwnWorkspaceField } from './shared/own-workspace.js';
