import { createHash } from 'node:crypto';
import type { OutboundClient } from '../platform/outbound/outbound.client.js';
import { McpFailure } from './mcp-failure.js';
import { connect } from './connect.js';
import type { McpSession, McpTarget } from './mcp-session.js';

/** Idle time after which a session is closed. */
const IDLE_MS = 120_000;

/** Status of a server that does not know the session, for example after a restart. No tool has run in this case. */
const SESSION_UNKNOWN = [400, 404];

interface Held {
  session: Promise<McpSession>;
  users: number;
  idle?: NodeJS.Timeout;
}

/** The sessions of a process, one for each server. They are opened on demand, and again when they were lost. */
export class McpSessions {
  private readonly held = new Map<string, Held>();
  private readonly closing = new Set<Promise<void>>();

  constructor(private readonly outbound: OutboundClient) {}

  /** Rejects with McpFailure, or with the error of `work`. */
  async use<T>(target: McpTarget, work: (session: McpSession) => Promise<T>): Promise<T> {
    const key = keyOf(target);
    const isNew = !this.held.has(key);
    try {
      return await this.useOnce(key, target, work);
    } catch (error) {
      const isForgotten = error instanceof McpFailure && SESSION_UNKNOWN.includes(error.status ?? 0);
      if (isNew || !isForgotten) throw error;
      return this.useOnce(key, target, work);
    }
  }

  async closeAll(): Promise<void> {
    for (const [key, held] of this.held) this.drop(key, held);
    await Promise.all(this.closing);
  }

  private async useOnce<T>(key: string, target: McpTarget, work: (session: McpSession) => Promise<T>): Promise<T> {
    const held = this.hold(key, target);
    clearTimeout(held.idle);
    held.users++;
    try {
      const session = await held.session;
      // The stream of an older server may have ended since.
      if (session.isLost) {
        this.drop(key, held);
        return await this.useOnce(key, target, work);
      }
      return await work(session);
    } catch (error) {
      if (error instanceof McpFailure && !error.isAnswer) this.drop(key, held);
      throw error;
    } finally {
      held.users--;
      this.release(key, held);
    }
  }

  private hold(key: string, target: McpTarget): Held {
    const found = this.held.get(key);
    if (found) return found;
    const held = { session: connect(this.outbound, target), users: 0 };
    this.held.set(key, held);
    return held;
  }

  /** Drops a session. The next caller opens another one; this one is closed when its last user is done. */
  private drop(key: string, held: Held): void {
    if (this.held.get(key) === held) this.held.delete(key);
    if (held.users === 0) this.close(held);
  }

  private release(key: string, held: Held): void {
    if (held.users > 0) return;
    if (this.held.get(key) !== held) this.close(held);
    else held.idle = setTimeout(() => this.drop(key, held), IDLE_MS).unref();
  }

  private close(held: Held): void {
    clearTimeout(held.idle);
    const closed = held.session.then(
      (session) => session.close(),
      () => undefined,
    );
    this.closing.add(closed);
    void closed.finally(() => this.closing.delete(closed));
  }
}

function keyOf(target: McpTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('base64');
}
