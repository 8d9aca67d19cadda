import type { EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { SNAPSHOT } from './event-positions.queries.js';

/** Stores the starting position of consumers that no worker has started before. */
export async function startConsumers(tx: EntityManager, names: string[]): Promise<void> {
  const server = await renumberAfterMove(tx);
  await tx.query(
    `INSERT INTO event_consumers (name, seen_xmax, seen_open, server)
     SELECT name, now.xmax, now.open, $2 FROM unnest($1::text[]) AS name, (${SNAPSHOT}) AS now ON CONFLICT DO NOTHING`,
    [names, server],
  );
}

/**
 * Reduces stored transaction numbers after a move to another database server, such as from a dump: every server counts its own
 * transactions, and larger stored numbers would make new events count as seen. Returns the server.
 */
export async function renumberAfterMove(tx: EntityManager): Promise<string> {
  await lockUntilCommit(tx, 'event consumers');
  const server = await serverOf(tx);
  const others = await tx.query<unknown[]>('SELECT FROM event_consumers WHERE server <> $1 LIMIT 1', [server]);
  if (others.length > 0) await renumber(tx, server);
  return server;
}

async function serverOf(tx: EntityManager): Promise<string> {
  const [row] = await tx.query<{ server: string }[]>('SELECT system_identifier AS server FROM pg_control_system()');
  return row!.server;
}

async function renumber(tx: EntityManager, server: string): Promise<void> {
  await tx.query('LOCK TABLE outbox_events, event_positions, event_consumers IN EXCLUSIVE MODE');
  const [row] = await tx.query<{ greatest: string }[]>(
    `SELECT greatest((SELECT max(xid) FROM outbox_events), (SELECT max(seen_xmax) FROM event_consumers),
                     (SELECT max(greatest(seen_xmax, next_xmax)) FROM event_positions)) AS greatest`,
  );
  const lower = (open: string) => `ARRAY(SELECT xid - $1::bigint FROM unnest(${open}) AS xid)`;
  const seen = `seen_xmax = seen_xmax - $1::bigint, seen_open = ${lower('seen_open')}`;
  const next = `next_xmax = next_xmax - $1::bigint, next_open = CASE WHEN next_xmax IS NOT NULL THEN ${lower('next_open')} END`;
  await tx.query('UPDATE outbox_events SET xid = xid - $1::bigint', [row!.greatest]);
  await tx.query(`UPDATE event_positions SET ${seen}, ${next}`, [row!.greatest]);
  await tx.query(`UPDATE event_consumers SET ${seen}, server = $2`, [row!.greatest, server]);
}
