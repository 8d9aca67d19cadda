import type { EntityManager } from 'typeorm';
import { INSTALLATION } from '../access/index.js';
import { type ChainBreak, type ChainPlace, type KeptHead, type Verification, verifyChain } from '../audit/index.js';
import { LaunchError } from './launch-error.js';

/** Entries between two looks at the head of a chain. */
const AT_ONCE = 50_000;

const BREAKS: Record<ChainBreak['kind'], string> = {
  altered: 'was altered',
  removed: 'or entries before it were removed',
  inserted: 'was inserted between sealed entries',
  truncated: 'and all after it were removed',
  head_altered: 'is where the head of the chain was altered',
  head_unknown: 'does not have this hash: the chain was rewritten or truncated',
};

/**
 * Verifies the chains of workspaces and of the installation, and says for each one whether it is intact.
 * @throws LaunchError when one is broken
 */
export async function verifyAudit(
  db: EntityManager,
  workspaceIds: number[],
  head: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  if (head !== undefined && workspaceIds.length !== 1) {
    throw new LaunchError(
      'Name the workspace, or the installation, whose head --head is: verify-audit WORKSPACE --head ENTRY:HASH.',
    );
  }
  const after = head === undefined ? null : toKeptHead(head);
  const broken: string[] = [];
  for (const id of workspaceIds) {
    const result = await verifyWhole(db, id, after);
    if (result.break) broken.push(describeBreak(id, result));
    else say(describeIntact(id, result));
  }
  if (broken.length > 0) throw new LaunchError(broken.join('\n'));
}

async function verifyWhole(db: EntityManager, workspaceId: number, kept: KeptHead | null): Promise<Verification> {
  const counts = { verifiedCount: 0, erasedCount: 0 };
  for (let after = kept; ;) {
    const part = await verifyChain(db, workspaceId, { after, limit: AT_ONCE });
    counts.verifiedCount += part.verifiedCount;
    counts.erasedCount += part.erasedCount;
    if (part.isComplete || part.break) return { ...part, ...counts };
    after = part.verified;
  }
}

function describeIntact(id: number, { verified, verifiedCount, erasedCount, unsealedCount }: Verification): string {
  const erased = erasedCount > 0 ? ` ${erasedCount} of them were changed by an erasure.` : '';
  const unsealed = unsealedCount > 0 ? ` ${unsealedCount} are not sealed yet.` : '';
  return `${nameOf(id)}: ${verifiedCount} entries are intact.${erased}${unsealed}${describeHead(verified)}`;
}

function describeBreak(id: number, { verified, break: found }: Verification): string {
  const { kind, position, entryId } = found!;
  const entry = entryId === null ? '' : ` (entry ${entryId})`;
  const intact = verified.position === 0 ? '' : ` Everything before is intact.${describeHead(verified)}`;
  return `${nameOf(id)}: the chain is broken at position ${position}: the entry${entry} ${BREAKS[kind]}.${intact}`;
}

const nameOf = (id: number): string => (id === INSTALLATION ? 'Installation' : `Workspace ${id}`);

const describeHead = ({ position, entryId, hash }: ChainPlace): string =>
  position === 0 ? '' : ` Head: ${entryId}:${hash.toString('hex')}`;

function toKeptHead(text: string): KeptHead {
  const [, entryId, hash] = /^(\d{1,15}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (!entryId || !hash) throw new LaunchError('--head should be ENTRY:HASH, as this command prints it.');
  return { entryId: Number(entryId), hash: Buffer.from(hash, 'hex') };
}
