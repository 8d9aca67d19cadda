import { Injectable } from '@nestjs/common';

/** Whoever wants to know at once that something has arrived. Nothing depends on it: readers also look by themselves. */
@Injectable()
export class ArrivalListeners {
  private readonly listeners: ((workspaceId: number) => void)[] = [];

  /** The listener must neither wait nor fail. */
  add(listener: (workspaceId: number) => void): void {
    this.listeners.push(listener);
  }

  /** Call it after the commit. */
  notify(workspaceId: number): void {
    for (const listener of this.listeners) listener(workspaceId);
  }
}
