import { AsyncLocalStorage } from 'node:async_hooks';
import type { TurnOwner } from '../turns.js';

const current = new AsyncLocalStorage<TurnOwner>();

/** Calls of the sandbox inside `work`, however deep, are for this owner. */
export function onBehalfOf<T>(owner: TurnOwner, work: () => T): T {
  return current.run(owner, work);
}

/** Throws outside of `onBehalfOf`: a process of the sandbox belongs to one workspace, so there are no calls for nobody. */
export function currentOwner(): TurnOwner {
  const owner = current.getStore();
  if (!owner) throw new Error('A call of the sandbox does not say for which workspace it is.');
  return owner;
}
