import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { Statement } from '../../platform/database/statement.js';
import { PromptErrors } from '../shared/prompts.errors.js';

/** A version of a prompt with the snippets it refers to. */
export interface GraphNode {
  key: string;
  promptId: number;
  name: string;
  version: number;
  template: Prompt;
  references: GraphReference[];
}

/** A reference with its present target. */
export interface GraphReference {
  /** The text between the marks. */
  text: string;
  label: string | null;
  /** null when the snippet, its version or its label is gone. */
  target: string | null;
}

/** Everything that a version of a prompt reaches through references, itself included, by key. */
export type SnippetGraph = Map<string, GraphNode>;

export const nodeKey = (promptId: number, version: number | null): string => `${promptId}:${version}`;

/** SQL for the version number that a reference `s` to the prompt `p` resolves to, or null. `l` is its label, if that exists. */
export const RESOLVED = `coalesce(s.snippet_version, l.version_number, CASE WHEN s.snippet_label IS NULL THEN p.latest_version END)`;
const RESOLVE = `
  JOIN prompts p ON p.workspace_id = s.workspace_id AND p.id = s.snippet_id AND p.deleted_at IS NULL
  LEFT JOIN prompt_labels l ON l.workspace_id = s.workspace_id AND l.prompt_id = s.snippet_id AND l.name = s.snippet_label`;

interface Row {
  prompt_id: number;
  version_number: number;
  name: string;
  template: Prompt;
  targets: { text: string; label: string | null; prompt_id: number; version: number | null }[] | null;
}

/** Limits the recursion of `Expander` and `findCircle`, which is as deep as the graph. */
export const MOST_SNIPPETS = 1000;

/**
 * SQL that begins a statement about `reach`: a version and all versions that it reaches through references. UNION
 * drops repeated rows, so a circle ends.
 */
export const withReach = (workspaceId: string, promptId: string, versionNumber: string): string => `
  WITH RECURSIVE reach (prompt_id, version_number) AS (
    SELECT ${promptId}, ${versionNumber}
    UNION
    SELECT s.snippet_id, ${RESOLVED}
      FROM reach r
      JOIN prompt_snippets s
        ON s.workspace_id = ${workspaceId} AND s.prompt_id = r.prompt_id AND s.version_number = r.version_number
      ${RESOLVE}
  )`;

const REACH = new Statement<Row>(`
  ${withReach('$1', '$2::int', '$3::int')}
  SELECT r.prompt_id, r.version_number, named.name, v.template, targets.list AS targets
    FROM reach r
    JOIN prompts named ON named.workspace_id = $1 AND named.id = r.prompt_id
    JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = r.prompt_id AND v.number = r.version_number
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('text', s.reference, 'label', s.snippet_label, 'prompt_id', s.snippet_id,
                                        'version', ${RESOLVED})) AS list
        FROM prompt_snippets s ${RESOLVE}
       WHERE s.workspace_id = $1 AND s.prompt_id = r.prompt_id AND s.version_number = r.version_number
    ) targets ON true
   LIMIT ${MOST_SNIPPETS + 1}`);

/** One statement, however deep the references go. Throws prompt_snippets_excessive. */
export async function readSnippetGraph(
  tx: EntityManager,
  workspaceId: number,
  root: { promptId: number; version: number },
): Promise<SnippetGraph> {
  const rows = await REACH.run(tx, [workspaceId, root.promptId, root.version]);
  if (rows.length > MOST_SNIPPETS) throw PromptErrors.prompt_snippets_excessive(MOST_SNIPPETS);
  const keys = new Set(rows.map((row) => nodeKey(row.prompt_id, row.version_number)));
  const nodes = rows.map((row): GraphNode => {
    const references = (row.targets ?? []).map(({ text, label, prompt_id, version }) => {
      const key = nodeKey(prompt_id, version);
      return { text, label, target: keys.has(key) ? key : null };
    });
    const { prompt_id: promptId, version_number: version, name, template } = row;
    return { key: nodeKey(promptId, version), promptId, name, version, template, references };
  });
  return new Map(nodes.map((node) => [node.key, node]));
}

/** The names along a circle of references that leads back to `start`, or null when there is none. */
export function findCircle(graph: SnippetGraph, start: string): string[] | null {
  const visited = new Set<string>();
  const walk = (key: string, names: string[]): string[] | null => {
    const node = graph.get(key);
    if (!node || visited.has(key)) return null;
    visited.add(key);
    const path = [...names, node.name];
    for (const { target } of node.references) {
      if (target === start) return [...path, graph.get(start)!.name];
      const found = target === null ? null : walk(target, path);
      if (found) return found;
    }
    return null;
  };
  return walk(start, []);
}
