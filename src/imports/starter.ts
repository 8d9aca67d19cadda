import type { Caller } from '../access/index.js';
import type { EndedImport } from '../grid/shared/sheet-owners.js';

/** The caller that started an import. It is stored, because the import ends in another process. */
export type Starter = Pick<Caller, 'keyId' | 'keyName' | 'requestId'>;

export function starterOf({
  workspaceId,
  id,
  request,
}: Pick<EndedImport, 'workspaceId' | 'id' | 'request'>): Starter & { workspaceId: number } {
  // Older imports have no stored starter; their events name the operation instead.
  const starter = (request.by ?? { keyId: null, keyName: null, requestId: id }) as Starter;
  return { workspaceId, ...starter };
}
