import type { EntityManager } from 'typeorm';
import { inIndexOrder } from '../platform/database/index-order.js';
import { type ChainHead, countAfter, findErased, readEntries, readHead, readSeals } from './audit-chain.queries.js';
import { BEGINNING, type ChainPlace } from './chain-hash.js';
import { type ChainBreak, type CheckedSeals, checkSeals } from './check-seals.js';

/** Entries per statement: hashing them keeps the process busy for some milliseconds. */
const AT_ONCE = 250;

/** A head that was stored elsewhere. */
export type KeptHead = Pick<ChainPlace, 'entryId' | 'hash'>;

export interface Verification {
  /** Null before the first entry is sealed. */
  head: ChainHead | null;
  /** The last verified place. */
  verified: ChainPlace;
  verifiedCount: number;
  /** Verified entries whose details an erasure has changed. */
  erasedCount: number;
  /** Entries that are not sealed yet. */
  unsealedCount: number;
  /** False when the limit was reached before the head. */
  isComplete: boolean;
  break: ChainBreak | null;
}

/**
 * Verifies the chain of a workspace from its beginning, or from a head that was stored elsewhere. The latter also detects a chain that
 * was rewritten. Reads up to `limit` entries in batches.
 */
export async function verifyChain(
  db: EntityManager,
  workspaceId: number,
  { after, limit }: { after: KeptHead | null; limit: number },
): Promise<Verification> {
  const { head, lastSeal } = await readHead(db, workspaceId);
  const from = after ? await findPlace(db, workspaceId, after) : BEGINNING;
  const known = { head, unsealedCount: await countAfter(db, workspaceId, Math.max(head?.entryId ?? 0, lastSeal)) };
  const nothing = { ...known, verifiedCount: 0, erasedCount: 0, isComplete: true };
  if (!from) {
    const unknown: ChainBreak = { kind: 'head_unknown', position: 0, entryId: after!.entryId };
    return { ...nothing, verified: BEGINNING, break: unknown };
  }
  const run = await checkUpTo(db, workspaceId, { from, upTo: head?.entryId ?? 0, limit });
  const end = run.isComplete && !run.break ? breakAtEnd(run.verified, head, lastSeal) : run.break;
  return { ...known, ...run, break: end };
}

/** The place with a kept hash; null when the chain has none. */
async function findPlace(db: EntityManager, workspaceId: number, kept: KeptHead): Promise<ChainPlace | null> {
  const [seal] = await readSeals(db, workspaceId, { after: kept.entryId - 1, upTo: kept.entryId, limit: 1 });
  return seal?.hash.equals(kept.hash) ? seal : null;
}

type Run = Pick<Verification, 'verified' | 'verifiedCount' | 'erasedCount' | 'isComplete' | 'break'>;

async function checkUpTo(
  db: EntityManager,
  workspaceId: number,
  { from, upTo, limit }: { from: ChainPlace; upTo: number; limit: number },
): Promise<Run> {
  const run: Run = { verified: from, verifiedCount: 0, erasedCount: 0, isComplete: false, break: null };
  while (run.verifiedCount < limit && !run.break && !run.isComplete) {
    const size = Math.min(AT_ONCE, limit - run.verifiedCount);
    await inIndexOrder(db, (tx) => checkSome(tx, workspaceId, run, { upTo, size }));
  }
  return run;
}

/** Moves the run on by up to `size` entries. */
async function checkSome(
  tx: EntityManager,
  workspaceId: number,
  run: Run,
  { upTo, size }: { upTo: number; size: number },
): Promise<void> {
  const { verified } = run;
  const seals = await readSeals(tx, workspaceId, { after: verified.entryId, upTo, limit: size });
  if (seals.length > 0) {
    // Ids start at 1. Entries with smaller ids were inserted by other means.
    const after = verified.position === 0 ? Number.MIN_SAFE_INTEGER : verified.entryId;
    const range = { after, upTo: seals.at(-1)!.entryId, limit: seals.length + 1 };
    const checked = checkSeals(verified, seals, await readEntries(tx, workspaceId, range));
    run.erasedCount += await explainChanges(tx, workspaceId, checked);
    run.verifiedCount += checked.verified.position - verified.position;
    Object.assign(run, { verified: checked.verified, break: checked.break });
  }
  run.isComplete = !run.break && seals.length < size;
}

/**
 * Returns the number of changed entries that an erasure explains. The first one without such an explanation becomes the break: entries
 * after it are not verified.
 */
async function explainChanges(db: EntityManager, workspaceId: number, checked: CheckedSeals): Promise<number> {
  const { changed } = checked;
  if (changed.length === 0) return 0;
  const persons = new Map(changed.map(({ entry }) => [entry.id, personsIn(JSON.stringify(entry.details))]));
  const erased = await findErased(db, workspaceId, [...new Set([...persons.values()].flat())]);
  const isErased = ({ entry }: CheckedSeals['changed'][number]) =>
    !entry.action.startsWith('erasure.') && persons.get(entry.id)!.some((person) => erased.has(person));
  const altered = changed.find((each) => !isErased(each));
  if (!altered) return changed.length;
  checked.break = { kind: 'altered', position: altered.before.position + 1, entryId: altered.entry.id };
  checked.verified = altered.before;
  return changed.indexOf(altered);
}

/** Finds keyed hashes that an erasure has written into a text: hexadecimal digits, or a number in place of a number. */
function personsIn(text: string): string[] {
  return [...text.matchAll(/[0-9a-f]{60,78}/g)].flatMap(([found]) => [
    ...(found.length === 64 ? [found] : []),
    ...(/^\d+$/.test(found) ? [BigInt(found).toString(16).padStart(64, '0')] : []),
  ]);
}

function breakAtEnd(verified: ChainPlace, head: ChainHead | null, lastSeal: number): ChainBreak | null {
  const entryId = head?.entryId ?? 0;
  if (lastSeal > entryId) return { kind: 'head_altered', position: verified.position + 1, entryId: lastSeal };
  if (verified.entryId < entryId) return { kind: 'truncated', position: verified.position + 1, entryId: null };
  const isHead = head === null || (verified.hash.equals(head.hash) && verified.position === head.position);
  return isHead ? null : { kind: 'head_altered', position: verified.position, entryId };
}
