import type { Caller } from '../access/index.js';

/**
 * The identity of a reviewer: the user, whichever key or session is used, or else the key. One person is one reviewer, also with
 * several keys. Restoring an archive adapts these texts (`src/workspace-data/archive/settle-reviewers.queries.ts`).
 */
export const reviewerOf = ({ user, keyId }: Pick<Caller, 'user' | 'keyId'>): string =>
  user ? `user:${user.id}` : `key:${keyId ?? 'operator'}`;
