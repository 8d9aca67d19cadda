import type { DataSource } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { type Reservation, type ReservationRequest, reserveCalls } from './reservations.queries.js';

/** Limits of one transaction that answers requests of an execution, and of executions at the same time. */
const LIMITS = { rows: 500, bytes: Infinity, writers: 4 };
const WEIGHT = { rows: 1, bytes: 0 };

/** Time after which an execution that waits for calls of other workers is checked again. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Reserves the cost of calls of executions with `max_cost` before they begin. The database has the reservations of all
 * processes. This class only remembers which executions need not be claimed before one of their calls has ended.
 */
export class CallBudgets {
  private readonly commits: GroupCommit<ReservationRequest, Reservation>;
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** Number of stored results of limited executions in this process. */
  private stored = 0;

  /** `onMayGoOn` is called when more of an execution may begin. */
  constructor(
    db: DataSource,
    private readonly onMayGoOn: () => void,
  ) {
    const write = async (requests: ReservationRequest[]) => {
      const reservations = await reserveCalls(db, requests);
      return reservations.map((value) => ({ status: 'fulfilled' as const, value }));
    };
    this.commits = new GroupCommit(write, LIMITS, ({ executionId }) => executionId);
  }

  /** Executions of which nothing may begin now. */
  get waitingExecutions(): string[] {
    return [...this.waiting.keys()];
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    const { stored } = this;
    const reservation = await this.commits.submit(request, WEIGHT);
    // A result stored meanwhile may be the one that it would wait for.
    const waits = reservation.outcome === 'waits' && request.needed === null && stored === this.stored;
    if (waits || reservation.outcome === 'spent') this.wait(request.executionId);
    return reservation;
  }

  /** Called when calls of a limited execution have ended. */
  ended(executionId: string): void {
    this.stored++;
    this.goOn(executionId);
  }

  private wait(executionId: string): void {
    if (this.waiting.has(executionId)) return;
    this.waiting.set(executionId, setTimeout(() => this.goOn(executionId), LOOK_AGAIN_MS).unref());
  }

  private goOn(executionId: string): void {
    const timer = this.waiting.get(executionId);
    if (!timer) return;
    clearTimeout(timer);
    this.waiting.delete(executionId);
    this.onMayGoOn();
  }
}
