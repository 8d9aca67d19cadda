import { Injectable } from '@nestjs/common';

/** Notifies readers of arrivals at once. Notifications may be lost, because readers also check on their own. */
@Injectable()
export class ArrivalListeners {
  private readonly listeners: ((workspaceId: number) => void)[] = [];

  /** The listener must neither wait nor fail. */
  add(listener: (workspaceId: number) => void): void {
    this.listeners.push(listener);
  }

  /** Call this after the commit. */
  notify(workspaceId: number): void {
    for (const listener of this.listeners) listener(workspaceId);
  }
}
