import { DataSource, type EntityManager } from 'typeorm';
import {
  type AfterCommit,
  OwnsSheets,
  type RowTrace,
  type SheetExecution,
  type SheetOwnerPlugin,
} from '../../grid/shared/sheet-owners.js';
import { finishRuns } from './ended-runs.js';
import { RunAnnouncer } from './run-announcer.js';
import { OWNER, traceOfRun } from './run-owner.js';

/** Sheets whose workflows are remembered. */
const MOST_SHEETS = 1000;

/** Ends runs when the last of their cells is settled, in that transaction. */
@OwnsSheets(OWNER)
export class RunSheetOwner implements SheetOwnerPlugin {
  /** By sheet: of which workflow its rows are runs. That never changes, but for the name. */
  private readonly workflows = new Map<string, RowTrace['attributes']>();

  constructor(
    private readonly db: DataSource,
    private readonly announcer: RunAnnouncer,
  ) {}

  async executionAdvanced(tx: EntityManager, execution: SheetExecution): Promise<AfterCommit> {
    const ended = await finishRuns(tx, execution);
    return () => this.announcer.announce(execution.workspaceId, ended);
  }

  executionEnded(tx: EntityManager, execution: SheetExecution): Promise<AfterCommit> {
    return this.executionAdvanced(tx, execution);
  }

  async traceOf({ workspaceId, sheetId }: Pick<SheetExecution, 'workspaceId' | 'sheetId'>) {
    const attributes = this.workflows.get(sheetId) ?? (await this.readWorkflow(workspaceId, sheetId));
    return (rowIndex: number): RowTrace => {
      const { traceId, rootId: parentId } = traceOfRun({ workspaceId, sheetId, rowIndex });
      return { traceId, parentId, attributes };
    };
  }

  private async readWorkflow(workspaceId: number, sheetId: string): Promise<RowTrace['attributes']> {
    const [found] = await this.db.query<RowTrace['attributes'][]>(
      `SELECT w.id AS workflow_id, w.name AS workflow_name, v.number AS workflow_version
         FROM workflow_run_sheets s
         JOIN workflow_versions v ON v.workspace_id = s.workspace_id AND v.id = s.workflow_version_id
         JOIN workflows w ON w.workspace_id = v.workspace_id AND w.id = v.workflow_id
        WHERE s.workspace_id = $1 AND s.sheet_id = $2`,
      [workspaceId, sheetId],
    );
    if (this.workflows.size >= MOST_SHEETS) this.workflows.clear();
    if (found) this.workflows.set(sheetId, found);
    return found ?? {};
  }
}
