import { AsyncLocalStorage } from 'node:async_hooks';
import type { TurnOwner } from '../turns.js';

const current = new AsyncLocalStorage<TurnOwner>();

/** Calls of the sandbox inside `work`, however deep, are for this owner. */
export function onBehalfOf<T>(owner: TurnOwner, work: () => T): T {
  return current.run(owner, work);
}

/** Throws outside of `onBehalfOf`: a sandbox process belongs to one workspace, so every call needs an owner. */
export function currentOwner(): TurnOwner {
  const owner = current.getStore();
  if (!owner) throw new Error('A call of the sandbox does not say for which workspace it is.');
  return owner;
}
