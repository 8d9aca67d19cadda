import { Labels, Registry } from '../../registry/index.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { Workflow, WorkflowVersion } from './workflow.entity.js';

export const WORKFLOWS = new Registry({
  noun: 'workflow',
  entry: Workflow,
  version: WorkflowVersion,
  table: 'workflows',
  idType: 'integer',
  labelsTable: 'workflow_labels',
  owner: { property: 'workflowId', column: 'workflow_id' },
  externalIdType: 'workflow',
  permissions: { edit: 'WORKFLOW_EDIT', delete: 'WORKFLOW_DELETE' },
  errors: {
    notFound: WorkflowErrors.workflow_not_found,
    versionNotFound: WorkflowErrors.workflow_version_not_found,
    nameTaken: WorkflowErrors.workflow_name_taken,
  },
});

export const WORKFLOW_LABELS = new Labels(WORKFLOWS, {
  noun: 'workflow_label',
  versionsTable: 'workflow_versions',
  permission: 'WORKFLOW_DEPLOY',
  notFound: WorkflowErrors.workflow_label_not_found,
  details: ({ name: workflow }, { name: label, versionNumber, oldNumber }) => ({
    workflow,
    label,
    version_number: versionNumber,
    old_version_number: oldNumber,
  }),
});
