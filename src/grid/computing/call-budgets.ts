import type { DataSource } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { type Reservation, type ReservationRequest, reserveCalls } from './reservations.queries.js';

/** Requests of one execution that are answered by one transaction, and executions that ask at the same time. */
const LIMITS = { rows: 500, bytes: Infinity, writers: 4 };
const WEIGHT = { rows: 1, bytes: 0 };

/** An execution that waits for calls of other workers is looked at again after this time. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Reserves what calls of executions with `max_cost` may cost before they begin. The database knows what all processes have reserved; here
 * is only kept which executions need not be claimed before one of their calls has ended.
 */
export class CallBudgets {
  private readonly commits: GroupCommit<ReservationRequest, Reservation>;
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** How many results of limited executions were stored here. */
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
    // What was stored since may have been what it waits for.
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
