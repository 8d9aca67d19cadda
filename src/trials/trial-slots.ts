import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config/config.js';
import { TrialErrors } from './trials.errors.js';

/** Limits the running trials of a workspace, so none takes all connections of the process. */
@Injectable()
export class TrialSlots {
  private readonly taken = new Map<number, number>();

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'trialsPerWorkspace'>) {}

  /** Takes a slot. Returns the function that releases it. Throws trials_exceeded. */
  take(workspaceId: number): () => void {
    const limit = this.config.trialsPerWorkspace;
    const before = this.taken.get(workspaceId) ?? 0;
    if (before >= limit) throw TrialErrors.trials_exceeded(limit);
    this.taken.set(workspaceId, before + 1);
    return () => {
      const left = this.taken.get(workspaceId)! - 1;
      if (left > 0) this.taken.set(workspaceId, left);
      else this.taken.delete(workspaceId);
    };
  }
}
