import type { Caller } from '../../access/index.js';
import type { Problem } from '../../platform/errors/problem.js';
import { IntegerField } from '../../platform/http/fields.js';
import { FolderErrors } from './folders.errors.js';

/** A parameter that clients of several workspaces send. A key has one workspace, so the parameter can only repeat it. */
export const OwnWorkspaceField = ({ query = false } = {}): PropertyDecorator =>
  IntegerField({
    optional: true,
    nullable: !query,
    query,
    min: 1,
    description: 'The workspace of the API key, which is also the default. No other value is accepted.',
  });

/** Throws workspace_id_invalid, or the refusal that the contract has for some routes. */
export function assertOwnWorkspace(
  caller: Caller,
  workspaceId: number | null | undefined,
  refusal: (workspaceId: number) => Problem = FolderErrors.workspace_id_invalid,
): void {
  if (workspaceId === undefined || workspaceId === null || workspaceId === caller.workspaceId) return;
  throw refusal(workspaceId);
}
