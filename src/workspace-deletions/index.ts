export { WorkspaceDeletion } from './workspace-deletion.entity.js';
export { WorkspaceDeletionsModule } from './workspace-deletions.module.js';
