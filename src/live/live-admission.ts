import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findHolders, HeldKeys } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import type { Ending } from './live-protocol.js';
import type { LiveGrant } from './live-tokens.js';

/** Admits connections, and counts the open ones of each key and each workspace. */
@Injectable()
export class LiveAdmission {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly db: DataSource,
    private readonly keys: HeldKeys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Counts a connection. Returns the function that uncounts it, or the reason of its refusal. `end` is called when the connection
   * has to close.
   */
  async admit(
    { workspaceId, keyId }: LiveGrant,
    address: string,
    end: (why: Ending) => void,
  ): Promise<(() => void) | Ending> {
    const holder = (await findHolders(this.db.manager, [keyId])).get(keyId);
    if (holder?.caller.workspaceId !== workspaceId || holder.check(address)) return 'invalidToken';
    const { liveConnectionsPerKey, liveConnectionsPerWorkspace } = this.config;
    const owners = {
      [`key:${keyId}`]: liveConnectionsPerKey,
      [`workspace:${workspaceId}`]: liveConnectionsPerWorkspace,
    };
    const isFull = Object.entries(owners).some(([owner, most]) => this.count(owner) >= most);
    if (isFull) return 'connectionLimit';
    for (const owner of Object.keys(owners)) this.add(owner, 1);
    const letGo = this.keys.hold({ workspaceId, keyId, address }, () => end('invalidToken'));
    return () => {
      letGo();
      for (const owner of Object.keys(owners)) this.add(owner, -1);
    };
  }

  private count(owner: string): number {
    return this.open.get(owner) ?? 0;
  }

  private add(owner: string, change: number): void {
    const count = this.count(owner) + change;
    if (count > 0) this.open.set(owner, count);
    else this.open.delete(owner);
  }
}
