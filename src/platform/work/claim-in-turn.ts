import type { Turn } from './work-kind.js';

/** Two statements, of which only the first reads more than one workspace. */
interface Steps<C> {
  /** The next workspace, in this turn, that seems to have free work; null when there is none. */
  next: (turn: Turn) => Promise<number | null>;
  /** Claims work of this workspace; null when there is none after all, or others have locked it. */
  claim: (workspaceId: number) => Promise<C | null>;
}

/**
 * Claims work in the workspace whose turn it is, or in the next one that has free work. A claim and its statement
 * concern one workspace. `passed`: there were workspaces with work, but none could be claimed.
 */
export async function claimInTurn<C>(
  turn: Turn,
  { next, claim }: Steps<C>,
): Promise<{ claimed: C | null; passed: boolean }> {
  const full = [...turn.full];
  for (;;) {
    const workspaceId = await next({ ...turn, full });
    const claimed = workspaceId === null ? null : await claim(workspaceId);
    if (workspaceId === null || claimed) return { claimed, passed: full.length > turn.full.length };
    full.push(workspaceId);
  }
}
