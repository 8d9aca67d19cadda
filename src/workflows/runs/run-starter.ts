import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { writeInParts } from '../../platform/database/in-parts.js';
import type { JsonObject } from '../../platform/json.js';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import type { QueuedCells } from '../../grid/computing/queue-cells.js';
import { RunSheets, type RunSeries } from './run-sheets.js';
import { WorkflowRun } from './workflow-run.entity.js';

/** Limits of the runs that start in one transaction. */
const LIMITS = { rows: 200, bytes: 16 * 1024 * 1024, writers: 1 };

/** A run that is to be started. */
export interface NewRun extends RunSeries {
  inputs: JsonObject;
  metadata: Record<string, string>;
  callbackUrl: string | null;
  channel: string | null;
  returnAllOutputs: boolean;
  /** Whether to compute again instead of reusing known results of external calls. */
  asksAgain: boolean;
  /** A run with the same cause is started once. */
  cause: string | null;
  /** The API key of the client. */
  startedBy: number | null;
}

/** Starts runs. Requests of the same moment share one transaction. */
@Injectable()
export class RunStarter {
  private readonly series = new Map<string, { commits: GroupCommit<NewRun, string>; users: number }>();

  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
    private readonly runSheets: RunSheets,
  ) {}

  /** Resolves after the commit with the id of the run, or of an earlier one with the same cause. Throws the errors of `RunSheets.lock`. */
  async start(run: NewRun): Promise<string> {
    const { version, depth, asksAgain } = run;
    const key = `${version.workspaceId}:${version.id}:${depth}:${asksAgain}`;
    const series = this.series.get(key) ?? { commits: this.newCommits(), users: 0 };
    this.series.set(key, series);
    series.users++;
    try {
      return await series.commits.submit(run, { rows: 1, bytes: JSON.stringify(run.inputs).length });
    } finally {
      if (--series.users === 0) this.series.delete(key);
    }
  }

  private newCommits(): GroupCommit<NewRun, string> {
    const together = (runs: NewRun[]) => this.write(runs);
    return new GroupCommit(
      (runs) => writeInParts(runs, { together, refuse: (_, error) => Promise.reject(error) }),
      LIMITS,
    );
  }

  private async write(runs: NewRun[]): Promise<string[]> {
    const { ids, queued } = await this.db.transaction((tx) => this.begin(tx, runs));
    // A worker takes a run through all its steps.
    this.columns.notify(queued && { ...queued, externalTasks: Math.min(queued.externalTasks, runs.length) });
    return ids;
  }

  private async begin(tx: EntityManager, runs: NewRun[]): Promise<{ ids: string[]; queued: QueuedCells | null }> {
    const sheet = await this.runSheets.lock(tx, runs[0]!, runs.length);
    // Every transaction that could start a run with the same cause holds the lock of this sheet.
    const known = await findCauses(tx, sheet.workspaceId, runs);
    const fresh = firstOfCauses(runs).filter(({ cause }) => cause === null || !known.has(cause));
    if (fresh.length === 0) return { ids: runs.map(({ cause }) => known.get(cause!)!), queued: null };
    const rows = await this.sheets.append(tx, sheet, { rows: fresh.map(({ inputs }) => inputs), createdBy: null });
    const queued = await this.columns.queue(tx, sheet, { rows, asksAgain: fresh[0]!.asksAgain });
    const indexes = [...rows];
    const place = { sheetId: sheet.id, executionId: queued!.executionId };
    const inserted = await tx.insert(
      WorkflowRun,
      fresh.map((run, index) => toRow(run, { ...place, rowIndex: indexes[index]! })),
    );
    const started = new Map(fresh.map((run, index) => [run, String(inserted.identifiers[index]!.id)]));
    for (const [run, id] of started) if (run.cause !== null) known.set(run.cause, id);
    return { ids: runs.map((run) => started.get(run) ?? known.get(run.cause!)!), queued };
  }
}

function toRow(run: NewRun, place: Pick<WorkflowRun, 'sheetId' | 'executionId' | 'rowIndex'>) {
  const { version, metadata, callbackUrl, channel, returnAllOutputs, cause, startedBy } = run;
  return {
    ...place,
    workspaceId: version.workspaceId,
    workflowId: version.workflowId,
    workflowVersionId: version.id,
    status: 'running' as const,
    metadata,
    callbackUrl,
    channel,
    returnAllOutputs,
    cause,
    startedBy,
  };
}

async function findCauses(tx: EntityManager, workspaceId: number, runs: NewRun[]): Promise<Map<string, string>> {
  const causes = runs.flatMap(({ cause }) => cause ?? []);
  if (causes.length === 0) return new Map();
  const found = await tx.query<{ id: string; cause: string }[]>(
    'SELECT id, cause FROM workflow_runs WHERE workspace_id = $1 AND cause = ANY ($2)',
    [workspaceId, causes],
  );
  return new Map(found.map(({ id, cause }) => [cause, id]));
}

/** Drops all but the first of the runs with the same cause. */
function firstOfCauses(runs: NewRun[]): NewRun[] {
  const seen = new Set<string>();
  return runs.filter(({ cause }) => cause === null || (!seen.has(cause) && seen.add(cause)));
}
