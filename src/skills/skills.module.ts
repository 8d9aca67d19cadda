import { type DynamicModule, Module } from '@nestjs/common';
import { ExternalIdsModule } from '../external-ids/index.js';
import { SkillDownloads } from './archives/skill-downloads.js';
import { SKILLS } from './shared/skill-collection.registry.js';
import { SkillCollectionsService } from './collections/skill-collections.service.js';
import { SkillVersionsService } from './collections/skill-versions.service.js';
import { SkillAdministrationController } from './skill-administration.controller.js';
import { UnusedContents } from './files/unused-contents.js';
import { SkillCollectionFolderItem } from './skill-collection.folder-item.js';
import { LabelledSkills } from './skill.labelled-kind.js';
import { SkillsController } from './skills.controller.js';

@Module({})
export class SkillsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: SkillsModule,
      imports: [
        ExternalIdsModule.for({
          ...SKILLS.externalIdHolder,
          path: 'api/public/v2/skill-collections/:skill_collection_id',
          tag: 'Skills',
        }),
      ],
      controllers: [SkillsController, SkillAdministrationController],
      providers: [
        SkillCollectionsService,
        SkillVersionsService,
        SkillDownloads,
        SkillCollectionFolderItem,
        LabelledSkills,
        ...(works ? [UnusedContents] : []),
      ],
    };
  }
}
