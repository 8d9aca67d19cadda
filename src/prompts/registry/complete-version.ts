import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { type ResolvedTools, resolveTools } from '../../tools/index.js';
import type { Expansion } from '../snippets/expand-snippets.js';
import { expandVersion } from '../snippets/expand-version.js';
import type { ChosenVersion } from './prompts.queries.js';

/** Tools of the registry that the server can run when a model calls them, by the name of their function. */
export type RunnableTools = ResolvedTools['runnable'];

/** A version with its snippets and its tools of the registry in place, as they are at the moment. Throws prompt_too_large. */
export async function completeVersion(
  db: EntityManager,
  chosen: ChosenVersion,
): Promise<Expansion & { runnable: RunnableTools }> {
  const expansion = await expandVersion(db, chosen);
  return { ...expansion, ...(await withTools(db, chosen.prompt.workspaceId, expansion.prompt)) };
}

/** A prompt with its tools of the registry in place. */
export async function withTools(
  db: EntityManager,
  workspaceId: number,
  prompt: Prompt,
): Promise<{ prompt: Prompt; runnable: RunnableTools }> {
  if (prompt.type !== 'chat' || !prompt.tools) return { prompt, runnable: new Map() };
  const { tools, runnable } = await resolveTools(db, workspaceId, prompt.tools);
  return { prompt: { ...prompt, tools }, runnable };
}
