import { Module } from '@nestjs/common';
import { EnvVarsModule } from '../env-vars/index.js';
import { ExternalIdsModule } from '../external-ids/index.js';
import { SandboxModule } from '../platform/sandbox/sandbox.module.js';
import { ToolAdministrationController } from './tool-administration.controller.js';
import { ToolEnvVarsController } from './tool-env-vars.controller.js';
import { ToolEnvVarsService } from './tool-env-vars.service.js';
import { ToolFolderItem } from './tool.folder-item.js';
import { LabelledTools } from './tool.labelled-kind.js';
import { ToolRunner } from './tool-runner.js';
import { TOOLS } from './tool.registry.js';
import { ToolTestingService } from './tool-testing.service.js';
import { ToolsController } from './tools.controller.js';
import { ToolsService } from './tools.service.js';

@Module({
  imports: [
    EnvVarsModule,
    SandboxModule,
    ExternalIdsModule.for({
      ...TOOLS.externalIdHolder,
      path: 'api/public/v2/tool-registry/:tool_id',
      tag: 'Tools',
    }),
  ],
  controllers: [ToolsController, ToolEnvVarsController, ToolAdministrationController],
  providers: [ToolsService, ToolTestingService, ToolEnvVarsService, ToolRunner, ToolFolderItem, LabelledTools],
  exports: [ToolRunner],
})
export class ToolsModule {}
