/** One piece of work in the hands of this worker. */
export interface Claim {
  workspaceId: number;
  /** Tells this claim from every other one, before and after it, on any work: no claim is ever used again. */
  claim: string;
  /** How often the work was claimed, this time included. A claim that a stopping worker gives back does not count. */
  attempts: number;
}

/** Whom to serve next, so that no workspace waits for all the work of another. */
export interface Turn {
  /** The workspace that was served last: those with a higher id come first, then the others. */
  after: number;
  /** Workspaces that have as much of this worker as one may have. */
  full: number[];
  /** Claims in the hands of this worker: it must not take its own work over when it is late with renewing it. */
  held: string[];
}

/** What became of a claim: it holds, or its work was cancelled. A claim that another worker has taken over is missing. */
export type Standing = 'held' | 'cancelled';

/**
 * Work that lies in rows of PostgreSQL and is claimed with a lease. A kind states the SQL and the work; `WorkRunner` owns
 * the life cycle. `claim`, `renew` and `giveBack` are single short statements, whose commits need not wait for the disk:
 * a crash of the database takes back at most the claim itself.
 */
export interface WorkKind<C extends Claim = Claim> {
  /** For metrics and logs, such as `export`. */
  readonly name: string;
  /** True for upkeep of what was taken in: it is not traced, or taking in traces of the server would make others for ever. */
  readonly isUpkeep?: boolean;
  /** How much of one workspace a worker does at the same time; everything when it is left out. */
  readonly mostOfOneWorkspace?: number;
  /** Claims the next work nobody holds; null when there is none. */
  claim(turn: Turn, leaseMs: number): Promise<C | null>;
  /** Works on a claim. It must end soon after the signal is aborted; its error is then ignored. */
  work(claim: C, control: WorkControl): Promise<void>;
  /** Prolongs leases of one workspace, with one statement; gives the standing of every claim that is not lost. */
  renew(claims: C[], leaseMs: number): Promise<Map<string, Standing>>;
  /** Gives work back as if this worker had never had it, but for what it has stored. */
  giveBack(claim: C): Promise<void>;
  /** Records that the work failed for good, or was tried too often (`AttemptsSpent`). Rejects to leave it to the next attempt. */
  fail(claim: C, error: unknown): Promise<void>;
}

export interface WorkControl {
  /** Its reason is a `WorkAborted`. */
  signal: AbortSignal;
  abort(reason: WorkAborted): void;
}

/**
 * `lease_lost`: another worker has the work, or may have, because the lease was not renewed for its whole length.
 * `cancelled`: nobody wants the result any more. `stopping`: the process ends. `time_limit`: it took longer
 * than one piece of work may.
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

/** Work whose workers died this often is not tried again: it may be what ends them. */
export const MAX_ATTEMPTS = 5;

/** Work that fails with a message for whoever asked for it. */
export class WorkFailure extends Error {}

/** Given to `fail` instead of working on the claim. */
export class AttemptsSpent extends WorkFailure {
  /** @param what the name of the kind. */
  constructor(what: string) {
    super(`The ${what} was interrupted ${MAX_ATTEMPTS} times.`);
  }
}
