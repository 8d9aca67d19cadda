import type { EntityManager } from 'typeorm';
import type { PromptLink, PromptReference } from '../../llm/shared/prompt-reference.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { resolvePromptReferences } from './resolve-references.js';

/**
 * Resolves a reference to a version. Throws prompt_not_found, prompt_version_not_found or prompt_label_not_found.
 */
export async function requirePromptVersion(
  tx: EntityManager,
  workspaceId: number,
  reference: PromptReference,
): Promise<PromptLink> {
  const { id, name, version, label } = reference;
  const [meant, latest] = await resolvePromptReferences(tx, [
    { ...reference, workspaceId },
    { id, name, version: null, label: null, workspaceId },
  ]);
  if (meant) return meant;
  const prompt = String(name ?? id);
  if (latest && version !== null) throw PromptErrors.prompt_version_not_found(prompt, version);
  if (latest && label !== null) throw PromptErrors.prompt_label_not_found(prompt, label);
  throw PromptErrors.prompt_not_found(prompt);
}

export const PROMPT_VERSION_MISSING = [
  PromptErrors.prompt_not_found,
  PromptErrors.prompt_version_not_found,
  PromptErrors.prompt_label_not_found,
];
