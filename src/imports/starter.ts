import type { Caller } from '../access/index.js';
import type { EndedImport } from '../grid/sheet-owners.js';

/** Who started an import; kept with it, because it ends in another process. */
export type Starter = Pick<Caller, 'keyId' | 'keyName' | 'requestId'>;

export function starterOf({
  workspaceId,
  id,
  request,
}: Pick<EndedImport, 'workspaceId' | 'id' | 'request'>): Starter & { workspaceId: number } {
  // Imports that were started before the starter was kept name their operation instead.
  const starter = (request.by ?? { keyId: null, keyName: null, requestId: id }) as Starter;
  return { workspaceId, ...starter };
}
