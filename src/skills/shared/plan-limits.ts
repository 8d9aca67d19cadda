import type { EntityManager } from 'typeorm';
import { type Plan, Workspace } from '../../access/index.js';
import { SkillErrors } from './skills.errors.js';

/** Maximum collections of a workspace and files of a collection, by plan. */
const LIMITS: Record<Plan, { collections: number; files: number }> = {
  free: { collections: 1, files: 30 },
  pro: { collections: 5, files: 50 },
  team: { collections: Infinity, files: 100 },
};
/** Bytes, the same on all plans. */
const MAX_FILE = 5 * 1024 * 1024;

/** Limits of skill collections on the plan of a workspace. */
export class PlanLimits {
  private constructor(private readonly plan: Plan) {}

  static async of(tx: EntityManager, workspaceId: number): Promise<PlanLimits> {
    return new PlanLimits((await tx.findOneByOrFail(Workspace, { id: workspaceId })).plan);
  }

  /** Throws skill_collections_exceeded unless there can be one more than `count`. */
  checkCollections(count: number): void {
    const { collections } = LIMITS[this.plan];
    if (count >= collections) throw SkillErrors.skill_collections_exceeded(this.plan, collections);
  }

  /** Throws skill_files_exceeded. */
  checkFiles(count: number): void {
    const { files } = LIMITS[this.plan];
    if (count > files) throw SkillErrors.skill_files_exceeded(this.plan, files, count);
  }
}

/** Throws skill_file_too_large. */
export function checkFileSize({ path, size }: { path: string; size: number }): void {
  if (size > MAX_FILE) throw SkillErrors.skill_file_too_large(path, MAX_FILE);
}
