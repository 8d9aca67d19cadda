import { defineDomain } from '../platform/domain.js';
import { SkillCollection, SkillContent, SkillVersion } from './shared/skill-collection.entity.js';
import { SkillsModule } from './skills.module.js';

const permissions = ['SKILL_CREATE', 'SKILL_EDIT', 'SKILL_DELETE', 'SKILL_DEPLOY'] as const;

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('skills', {
  holds: 'Skill collections: files that teach agents skills, with versions, labels and ZIP archives',
  uses: ['entity-lists', 'events', 'external-ids', 'folders', 'registry', 'storage'],
  module: (process) => SkillsModule.for(process),
  entities: [SkillCollection, SkillContent, SkillVersion],
  tags: [{ name: 'Skills', description: 'Versioned collections of files that teach agents skills.', order: 74 }],
  permissions,
});
