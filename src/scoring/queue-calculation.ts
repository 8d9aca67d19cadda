import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ScoreCalculation } from './score-calculation.entity.js';
import type { ScoreConfiguration } from './score-configuration.entity.js';

/** Queues a calculation with a configuration, for a key. No other one of the sheet may be queued. */
export async function queueCalculation(
  tx: EntityManager,
  keyId: number | null,
  { workspaceId, sheetId, id: configurationId }: ScoreConfiguration,
): Promise<ScoreCalculation> {
  // Deletes earlier calculations: versions have their scores, and only the newest result can be requested.
  await tx.query(
    `DELETE FROM score_calculations
      WHERE workspace_id = $1 AND sheet_id = $2 AND status IN ('completed', 'failed', 'cancelled')
        AND number < (SELECT max(number) FROM score_calculations
                       WHERE workspace_id = $1 AND sheet_id = $2 AND status IN ('completed', 'failed'))`,
    [workspaceId, sheetId],
  );
  const calculation = { workspaceId, id: randomUUID(), sheetId, configurationId, keyId };
  await tx.insert(ScoreCalculation, { ...calculation, status: 'queued' });
  return tx.findOneByOrFail(ScoreCalculation, { workspaceId, id: calculation.id });
}
