import type { EntityManager } from 'typeorm';
import type { ChosenVersion } from '../registry/prompts.queries.js';
import { type Expansion, expandSnippets } from './expand-snippets.js';
import { findReferences } from './references.js';
import { nodeKey, readSnippetGraph } from './snippet-graph.js';

/** A version with its snippets in place. Throws prompt_too_large. */
export async function expandVersion(db: EntityManager, chosen: ChosenVersion): Promise<Expansion> {
  const { version } = chosen;
  if (findReferences(version.template).length === 0) return plain(chosen);
  const { workspaceId, promptId, number } = version;
  const graph = await readSnippetGraph(db, workspaceId, { promptId, version: number });
  return expandSnippets(graph, graph.get(nodeKey(promptId, number))!, version.snippetOverrides);
}

/** A version as it was published. */
export function plain({ version }: ChosenVersion): Expansion {
  return { prompt: version.template, snippets: [], unresolved: [] };
}
