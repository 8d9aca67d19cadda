import { type EntityManager, In } from 'typeorm';
import type { Sheet } from '../grid/sheet.entity.js';
import type { ScoreConfiguration } from './score-configuration.entity.js';
import { configurationsAt } from './score-configurations.queries.js';
import { VersionScore } from './version-score.entity.js';

/** What is known about the score of versions, by their number. */
export interface VersionScores {
  scores: Map<number, VersionScore>;
  configurations: Map<number, ScoreConfiguration>;
}

/** The scores of some versions of a sheet, and how it was scored then. */
export async function readVersionScores(
  tx: EntityManager,
  sheet: Pick<Sheet, 'workspaceId' | 'id'>,
  versions: number[],
): Promise<VersionScores> {
  if (versions.length === 0) return { scores: new Map(), configurations: new Map() };
  const { workspaceId, id: sheetId } = sheet;
  const scores = await tx.findBy(VersionScore, { workspaceId, sheetId, version: In(versions) });
  return {
    scores: new Map(scores.map((score) => [score.version, score])),
    configurations: await configurationsAt(tx, sheet, versions),
  };
}
