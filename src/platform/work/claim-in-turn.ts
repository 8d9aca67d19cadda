import type { Turn } from './work-kind.js';

/** Two statements, of which only the first looks at more than one workspace. */
interface Steps<C> {
  /** The next workspace, in this turn, that seems to have work nobody holds; null when there is none. */
  next: (turn: Turn) => Promise<number | null>;
  /** Claims work of this workspace; null when there is none after all, or others have locked it. */
  claim: (workspaceId: number) => Promise<C | null>;
}

/**
 * Claims in the workspace whose turn it is, or in the next one that has work to give: what is claimed is always of one
 * workspace, and so is the statement that claims it. `passed` tells whether there were workspaces with work that gave none.
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
