import { AsyncLocalStorage } from 'node:async_hooks';
import type { TurnOwner } from '../turns.js';

const current = new AsyncLocalStorage<TurnOwner>();

/** For calls of which nobody says for whom they are: these share one turn. */
const NOBODY: TurnOwner = { workspaceId: 0, keyId: null };

/** Whatever `work` asks the sandbox for is asked for by this owner, however deep inside it is asked. */
export function onBehalfOf<T>(owner: TurnOwner, work: () => T): T {
  return current.run(owner, work);
}

export function currentOwner(): TurnOwner {
  return current.getStore() ?? NOBODY;
}
