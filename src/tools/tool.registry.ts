import { Labels, Registry } from '../registry/index.js';
import { Tool, ToolVersion } from './tool.entity.js';
import { ToolErrors } from './tools.errors.js';

export const TOOLS = new Registry({
  noun: 'tool',
  entry: Tool,
  version: ToolVersion,
  table: 'tools',
  idType: 'integer',
  labelsTable: 'tool_labels',
  owner: { property: 'toolId', column: 'tool_id' },
  externalIdType: 'tool',
  permissions: { edit: 'TOOL_EDIT', delete: 'TOOL_DELETE' },
  errors: {
    notFound: ToolErrors.tool_not_found,
    versionNotFound: ToolErrors.tool_version_not_found,
    nameTaken: ToolErrors.tool_name_taken,
  },
});

export const TOOL_LABELS = new Labels(TOOLS, {
  noun: 'tool_label',
  versionsTable: 'tool_versions',
  permission: 'TOOL_DEPLOY',
  notFound: ToolErrors.tool_label_not_found,
  details: ({ name: tool }, { name: label, versionNumber, oldNumber }) => ({
    tool,
    label,
    version_number: versionNumber,
    old: oldNumber,
  }),
});
