/** A claim of this worker on a piece of work. */
export interface Claim {
  workspaceId: number;
  /** Unique id of the claim, which is never used again. */
  claim: string;
  /** How often the work was claimed, including this time. A claim that a stopping worker gives back does not count. */
  attempts: number;
}

/** Determines which workspace is served next, so that none waits for all the work of another. */
export interface Turn {
  /** The workspace that was served last: those with a higher id come first, then the others. */
  after: number;
  /** Workspaces that have reached their limit in this worker. */
  full: number[];
  /** Claims of this worker. It must not claim its own work again when it is late with a renewal. */
  held: string[];
}

/** State of a claim: it holds, or its work was cancelled. A claim that another worker has taken over is missing. */
export type Standing = 'held' | 'cancelled';

/**
 * Work that is stored in rows of PostgreSQL and claimed with a lease. A kind provides the SQL and the work;
 * `WorkRunner` owns the life cycle. `claim`, `renew` and `giveBack` are single short statements, whose commits need not
 * wait for the disk: a crash of the database loses at most the claim itself.
 */
export interface WorkKind<C extends Claim = Claim> {
  /** Name in metrics and logs, such as `export`. */
  readonly name: string;
  /**
   * True for maintenance of ingested data. It is not traced: traces of the server that are ingested would cause others
   * without end.
   */
  readonly isUpkeep?: boolean;
  /** Maximum work of one workspace at a time in a worker; by default unlimited. */
  readonly mostOfOneWorkspace?: number;
  /** Claims the next free work; null when there is none. */
  claim(turn: Turn, leaseMs: number): Promise<C | null>;
  /** Does the work of a claim. It must end soon after the signal is aborted; its error is then ignored. */
  work(claim: C, control: WorkControl): Promise<void>;
  /** Renews leases of one workspace with one statement. Returns the standing of every claim that is not lost. */
  renew(claims: C[], leaseMs: number): Promise<Map<string, Standing>>;
  /** Gives work back as if this worker had never had it, except for results that are stored already. */
  giveBack(claim: C): Promise<void>;
  /**
   * Records that the work failed for good, or was tried too often (`AttemptsSpent`). Rejects to leave it to the next
   * attempt.
   */
  fail(claim: C, error: unknown): Promise<void>;
}

export interface WorkControl {
  /** Its reason is a `WorkAborted`. */
  signal: AbortSignal;
  abort(reason: WorkAborted): void;
}

/**
 * `lease_lost`: another worker has the work, or may have, because the lease was not renewed in time. `cancelled`:
 * nobody wants the result any more. `stopping`: the process ends. `time_limit`: the work exceeded its time limit.
 */
export type AbortReason = 'lease_lost' | 'cancelled' | 'stopping' | 'time_limit';

const MESSAGES: Record<AbortReason, string> = {
  lease_lost: 'Another worker has taken this work over.',
  cancelled: 'The work was cancelled.',
  stopping: 'The worker is stopping.',
  time_limit: 'The work took longer than it may.',
};

/** Why a signal was aborted. */
export class WorkAborted extends Error {
  constructor(
    readonly reason: AbortReason,
    message = MESSAGES[reason],
  ) {
    super(message);
  }
}

/** Work whose workers died this often is not retried: it may be the cause. */
export const MAX_ATTEMPTS = 5;

/** A failure of work with a message for the user who requested it. */
export class WorkFailure extends Error {}

/** Passed to `fail` in place of another attempt. */
export class AttemptsSpent extends WorkFailure {
  /** @param what the name of the kind. */
  constructor(what: string) {
    super(`The ${what} was interrupted ${MAX_ATTEMPTS} times.`);
  }
}
