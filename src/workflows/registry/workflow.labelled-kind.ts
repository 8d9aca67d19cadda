import { LabelledEntries, LabelledKind } from '../../registry/index.js';
import type { Workflow, WorkflowVersion } from './workflow.entity.js';
import { WORKFLOW_LABELS, WORKFLOWS } from './workflow.registry.js';

@LabelledKind({ name: 'workflow', permission: 'WORKFLOW_DEPLOY' })
export class LabelledWorkflows extends LabelledEntries<Workflow, WorkflowVersion> {
  constructor() {
    super(WORKFLOWS, WORKFLOW_LABELS);
  }
}
