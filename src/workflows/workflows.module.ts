import { Module } from '@nestjs/common';
import { ExternalIdsModule } from '../external-ids/index.js';
import { EXTERNAL_ID_TYPE } from './registry/workflow.entity.js';

@Module({
  imports: [
    ExternalIdsModule.for({
      type: EXTERNAL_ID_TYPE,
      table: 'workflows',
      softDeleted: true,
      path: 'workflows/:workflow_id',
      idType: 'integer',
      editedWith: /^WORKFLOW_EDIT$/,
      tag: 'Workflows',
    }),
  ],
})
export class WorkflowsModule {}
