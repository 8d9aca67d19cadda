import { type EntityManager, IsNull } from 'typeorm';
import { EXAMPLE_SKILLS, EXAMPLE_SKILLS_TO_DELETE, type ExampleIds } from '../platform/example-data.js';
import { SkillCollection } from './shared/skill-collection.entity.js';

const IDS = {
  skill_collection_id: 'e0000000-0000-4000-8000-000000000021',
  skills_to_delete: 'e0000000-0000-4000-8000-000000000022',
} as const;

/** The skill collections of the example data. */
export const SKILL_EXAMPLES: ExampleIds<keyof typeof IDS> = {
  ids: IDS,
  async read(manager, workspaceId) {
    return {
      skill_collection_id: await findCollection(manager, workspaceId, EXAMPLE_SKILLS),
      skills_to_delete: await findCollection(manager, workspaceId, EXAMPLE_SKILLS_TO_DELETE),
    };
  },
};

async function findCollection(manager: EntityManager, workspaceId: number, name: string): Promise<string | undefined> {
  return (await manager.findOneBy(SkillCollection, { workspaceId, name, deletedAt: IsNull() }))?.id;
}
