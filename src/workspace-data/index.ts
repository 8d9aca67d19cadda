export { openArchive } from './archive/write-archive.js';
export { type RestoreOptions, type RestoreReport, restoreWorkspace } from './archive/restore-workspace.js';
export { WorkspaceDeletion } from './deletions/workspace-deletion.entity.js';
export { auditExport, auditExported } from './exports/workspace-exports.service.js';
export { WorkspaceDataModule } from './workspace-data.module.js';
