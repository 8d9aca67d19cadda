import type { Caller } from '../access/index.js';
import { PromptErrors } from './prompts.errors.js';

/** A key has one workspace, so a request can only repeat that one. Throws prompt_workspace_forbidden. */
export function assertOwnWorkspace(caller: Caller, workspaceId: number | null | undefined): void {
  if (workspaceId && workspaceId !== caller.workspaceId) throw PromptErrors.prompt_workspace_forbidden();
}
