import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A log to which a client has added data. */
export interface AddedTo {
  workspaceId: number;
  /** The trace of the call. */
  traceId: string;
}

type Listener = (tx: EntityManager, log: AddedTo) => Promise<void>;

/** Notifies listeners of additions to the log of a call in a trace, within the same transaction. */
@Injectable()
export class LogAdditions {
  private readonly listeners: Listener[] = [];

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  async announce(tx: EntityManager, { workspaceId, traceId }: { workspaceId: number; traceId: string | null }) {
    if (traceId === null) return;
    for (const listener of this.listeners) await listener(tx, { workspaceId, traceId });
  }
}
