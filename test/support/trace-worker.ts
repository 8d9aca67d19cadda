import { DataSource } from 'typeorm';
import { WorkRunner } from '../../src/platform/work/work-runner.js';
import { together, TraceProjector } from '../../src/traces/search/trace-projector.js';
import { claimDueTraces, type ClaimedTrace } from '../../src/traces/search/trace-queue.queries.js';
import type { TestApp } from './test-app.js';

const LEASE_MS = 60_000;

interface QueuedRow {
  generation: string;
  claim: string | null;
}

/** Runs the steps of the worker that indexes traces by hand, for a server that runs no worker. */
export class TraceWorker {
  readonly db: DataSource;
  private readonly runner: WorkRunner;
  private readonly projector: TraceProjector;

  constructor(private readonly app: TestApp) {
    this.db = app.app.get(DataSource);
    this.runner = app.app.get(WorkRunner);
    this.projector = app.app.get(TraceProjector);
  }

  async queued(id: string): Promise<QueuedRow | undefined> {
    const sql = 'SELECT generation, claim FROM trace_search_queue WHERE trace_id = $1';
    const [row] = (await this.app.sql(sql, [id])) as QueuedRow[];
    return row;
  }

  /** The name of a trace as it is stored for searches. */
  async searchedName(id: string): Promise<string | undefined> {
    const sql = 'SELECT name FROM trace_search WHERE trace_id = $1';
    const [row] = (await this.app.sql(sql, [id])) as { name: string }[];
    return row?.name;
  }

  /** Claims some traces whose time has come, and no further one after so many spans. */
  claimDue(limit: number, { db = this.db.manager, spans = 1_000_000 } = {}): Promise<ClaimedTrace[]> {
    const turn = { after: 0, full: [], held: [] };
    return claimDueTraces(db, turn, { leaseMs: LEASE_MS, limit, spans });
  }

  /**
   * Claims one trace that is not claimed. It runs in one transaction, in which time does not pass: no other trace
   * becomes due after it.
   */
  async claim(id: string): Promise<ClaimedTrace> {
    const [claimed] = await this.db.transaction(async (tx) => {
      await tx.query('UPDATE trace_search_queue SET due_at = now() WHERE trace_id = $1', [id]);
      return this.claimDue(1, { db: tx });
    });
    if (claimed?.traceId !== id) throw new Error(`Somebody else has ${id} in hand.`);
    return claimed;
  }

  project(claimed: ClaimedTrace[]): Promise<void> {
    return this.runner.run(this.projector, together(claimed)!);
  }

  /** Ends the lease of a trace, as if its worker had died some time ago. */
  async expire(id: string): Promise<void> {
    await this.app.sql(`UPDATE trace_search_queue SET lease_until = now() - interval '1 s' WHERE trace_id = $1`, [id]);
  }
}
