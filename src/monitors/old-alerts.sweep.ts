import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';

const KEPT_DAYS = 400;
const AT_ONCE = 1000;

/** Deletes alerts that were closed long ago. */
@Injectable()
export class OldAlertsSweep {
  constructor(private readonly db: DataSource) {}

  @Sweep('old-alerts')
  async delete(): Promise<void> {
    const workspaces = await this.db.query<{ workspace_id: number }[]>(
      'SELECT DISTINCT workspace_id FROM monitors ORDER BY workspace_id',
    );
    for (const { workspace_id: workspaceId } of workspaces) {
      await this.db.query(
        `DELETE FROM monitor_alerts WHERE workspace_id = $1 AND id IN (
           SELECT id FROM monitor_alerts
            WHERE workspace_id = $1 AND state = 'closed' AND closed_at < now() - $2 * interval '1 day' LIMIT ${AT_ONCE})`,
        [workspaceId, KEPT_DAYS],
      );
    }
  }
}
