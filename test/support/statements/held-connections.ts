import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { EntityManager } from 'typeorm';

/** A transaction that waited for a second connection of the pool that its own is from. */
export interface HeldConnection {
  /** Files whose code began the transaction, the innermost first. */
  outer: string[];
  /** Files whose code asked for the second connection, the innermost first. */
  inner: string[];
}

const SUFFIX = '.held.jsonl';
export const heldFile = (folder: string): string => path.join(folder, `${process.pid}${SUFFIX}`);
export const isHeldFile = (name: string): boolean => name.endsWith(SUFFIX);

/**
 * Places where it may happen: `outer` begins the transaction. Each process has at most a few of these transactions at a time, and
 * nothing else waits for them while it holds a connection.
 */
const ALLOWED: { outer: string; because: string }[] = [
  {
    outer: 'src/requests/search/projection.service.ts',
    because: 'One run at a time keeps words before it locks anything that requests wait for.',
  },
  { outer: 'src/tables/scorecards/scorecard-work.ts', because: 'Two at a time read a snapshot and lock nothing.' },
  {
    outer: 'src/imports/import-work.ts',
    because: 'It reads the next rows meanwhile and does not wait for them.',
  },
];

interface Held {
  isOpen: boolean;
  isConnected: boolean;
  outer: string[];
}

interface Pool {
  options: { pool?: string };
}

type Transaction = (this: EntityManager, ...given: unknown[]) => Promise<unknown>;
type Connect = (this: Pool, ...given: unknown[]) => unknown;

/** Calls `note` when code inside a transaction of the main pool asks this pool for another connection. */
export function watchHeldConnections(placesOfCaller: () => string[], note: (held: HeldConnection) => void): void {
  const held = new AsyncLocalStorage<Held>();
  const managers = EntityManager.prototype as unknown as { transaction: Transaction };
  const { transaction } = managers;
  managers.transaction = function (...given) {
    // A savepoint stays on the connection that it is on.
    if (!isMain(this) || this.queryRunner) return transaction.apply(this, given);
    const mine: Held = { isOpen: true, isConnected: false, outer: placesOfCaller() };
    return held.run(mine, () => transaction.apply(this, given).finally(() => (mine.isOpen = false)));
  };
  const pools = pg.Pool.prototype as unknown as { connect: Connect };
  const { connect } = pools;
  pools.connect = function (...given) {
    const mine = held.getStore();
    if (mine?.isOpen && this.options.pool === 'main') {
      if (mine.isConnected) note({ outer: mine.outer, inner: placesOfCaller() });
      mine.isConnected = true;
    }
    return connect.apply(this, given);
  };
}

function isMain({ connection }: EntityManager): boolean {
  return (connection.options as { extra?: { pool?: string } }).extra?.pool === 'main';
}

/** Held connections that all processes have seen in code of the server, each pair of places once. */
export function readHeld(folder: string): HeldConnection[] {
  const files = readdirSync(folder).filter(isHeldFile);
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').filter(Boolean));
  const all = [...new Set(lines)].map((line) => JSON.parse(line) as HeldConnection);
  const isOfServer = ({ outer }: HeldConnection) => outer[0]?.startsWith('src/') ?? false;
  const isAllowed = ({ outer }: HeldConnection) => ALLOWED.some((allowed) => outer.includes(allowed.outer));
  return all.filter((each) => isOfServer(each) && !isAllowed(each));
}
