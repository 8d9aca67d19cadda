import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ExternalIdsModule } from '../external-ids/index.js';
import { LlmModule } from '../llm/index.js';
import { SandboxModule } from '../platform/sandbox/sandbox.module.js';
import { AbReleasesController } from './ab-releases/ab-releases.controller.js';
import { AbReleasesService } from './ab-releases/ab-releases.service.js';
import { LabelsController } from './labels/labels.controller.js';
import { LabelsService } from './labels/labels.service.js';
import { LabelledPrompts } from './labels/prompt.labelled-kind.js';
import { LibraryController } from './library/library.controller.js';
import { PromptFolderItem, SnippetFolderItem } from './registry/prompt.folder-items.js';
import { PromptsController, RenderingController, VersionedPromptsController } from './registry/prompts.controller.js';
import { PromptsService } from './registry/prompts.service.js';
import { PublicationFollowers } from './registry/publication-followers.js';
import { PublishingController } from './registry/publishing.controller.js';
import { PROMPTS } from './registry/prompt.registry.js';
import { PublishingService } from './registry/publishing.service.js';
import { PromptRenderer } from './rendering/prompt-renderer.js';
import { PromptFiller } from './running/prompt-filler.js';
import { PromptsToRun } from './running/prompts-to-run.js';
import { SnippetUsageService } from './snippets/snippet-usage.service.js';

@Module({
  imports: [
    DiscoveryModule,
    LlmModule,
    SandboxModule,
    ExternalIdsModule.for({
      ...PROMPTS.externalIdHolder,
      // Names may hold slashes: "team/external-ids" is one.
      path: String.raw`prompt-templates/:prompt_template_id(^\d+$)`,
      tag: 'Prompts',
    }),
  ],
  controllers: [
    PublishingController,
    PromptsController,
    VersionedPromptsController,
    LabelsController,
    AbReleasesController,
    RenderingController,
    LibraryController,
  ],
  providers: [
    PublishingService,
    PublicationFollowers,
    PromptsService,
    LabelsService,
    AbReleasesService,
    SnippetUsageService,
    PromptRenderer,
    PromptFiller,
    PromptsToRun,
    LabelledPrompts,
    PromptFolderItem,
    SnippetFolderItem,
  ],
  exports: [PromptsToRun],
})
export class PromptsModule {}
