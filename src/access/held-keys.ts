import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { StreamHolder } from '../platform/http/progress-streams.js';
import type { Caller } from './caller.js';
import { findHolders } from './holders.queries.js';

/** A connection outlives its key by at most this long. */
const CHECK_MS = 2000;

interface HeldKey {
  workspaceId: number;
  keyId: number;
  holders: Set<Holder>;
}

interface Holder {
  address: string | undefined;
  end: () => void;
}

/** Keys of open connections. All of them are looked up in one statement, for any number of connections. */
@Injectable()
export class HeldKeys implements OnModuleDestroy {
  private readonly log = new Logger(HeldKeys.name);
  private readonly held = new Map<number, HeldKey>();
  private readonly timer = setInterval(() => void this.check(), CHECK_MS).unref();
  private isChecking = false;

  constructor(private readonly db: DataSource) {}

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Calls `end` when the key is revoked, expires or is no longer accepted from the address. Returns a function to call when the
   * connection has ended by itself.
   */
  hold(
    { workspaceId, keyId, address }: Pick<Caller, 'workspaceId' | 'keyId' | 'address'>,
    end: () => void,
  ): () => void {
    if (keyId === null) return () => undefined;
    const key = this.held.get(keyId) ?? { workspaceId, keyId, holders: new Set() };
    const holder = { address, end };
    this.held.set(keyId, key);
    key.holders.add(holder);
    return () => {
      key.holders.delete(holder);
      if (key.holders.size === 0 && this.held.get(keyId) === key) this.held.delete(keyId);
    };
  }

  /** The caller as the holder of a stream. */
  holder(caller: Caller): StreamHolder {
    return { keyId: caller.keyId, hold: (end) => this.hold(caller, end) };
  }

  private async check(): Promise<void> {
    if (this.isChecking || this.held.size === 0) return;
    this.isChecking = true;
    try {
      await this.endRefused([...this.held.values()]);
    } catch (error) {
      this.log.warn(`The keys of open connections could not be checked: ${String(error)}`);
    } finally {
      this.isChecking = false;
    }
  }

  private async endRefused(keys: HeldKey[]): Promise<void> {
    const ids = keys.map(({ keyId }) => keyId);
    const standing = await findHolders(this.db.manager, ids);
    for (const { keyId, holders } of keys) {
      const check = standing.get(keyId)?.check;
      for (const { address, end } of holders) if (!check || check(address)) end();
    }
  }
}
