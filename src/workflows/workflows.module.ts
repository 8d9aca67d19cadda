import { Module } from '@nestjs/common';
import { ExternalIdsModule } from '../external-ids/index.js';
import { SavingController } from './registry/saving.controller.js';
import { SavingService } from './registry/saving.service.js';
import { WorkflowAdministrationController } from './registry/workflow-administration.controller.js';
import { EXTERNAL_ID_TYPE } from './registry/workflow.entity.js';
import { WorkflowFolderItem } from './registry/workflow.folder-item.js';
import { WorkflowsController } from './registry/workflows.controller.js';
import { WorkflowsService } from './registry/workflows.service.js';

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
  controllers: [WorkflowsController, SavingController, WorkflowAdministrationController],
  providers: [WorkflowsService, SavingService, WorkflowFolderItem],
})
export class WorkflowsModule {}
