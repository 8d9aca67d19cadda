import { type EntityManager, In, IsNull } from 'typeorm';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { PromptLabel, PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { expandSnippets } from './expand-snippets.js';
import { PromptSnippet } from './prompt-snippet.entity.js';
import { findReferences, type SnippetReference } from './references.js';
import { findCircle, MOST_SNIPPETS, nodeKey, readSnippetGraph } from './snippet-graph.js';

const AT = ['body', 'prompt_version', 'prompt_template'];
/** Names in the message about each missing snippet. */
const SHOWN_NAMES = 10;

/**
 * Serializes changes to references. Otherwise two prompts that begin to refer to each other at the same time would form a
 * circle that neither transaction sees.
 */
export function lockReferences(tx: EntityManager, workspaceId: number): Promise<void> {
  return lockUntilCommit(tx, 'prompt-snippets', workspaceId);
}

/** Binds the references of a new version to their snippets. Answers 422 with those that lead nowhere, 400 for too many. */
export async function bindReferences(tx: EntityManager, version: PromptVersion): Promise<void> {
  const references = findReferences(version.template);
  if (references.length === 0) return;
  if (references.length > MOST_SNIPPETS) throw PromptErrors.prompt_snippets_excessive(MOST_SNIPPETS);
  const { workspaceId, promptId, number: versionNumber } = version;
  const snippets = await findSnippets(tx, workspaceId, references);
  const missing = references.filter((reference) => !snippets.has(reference.text));
  if (missing.length > 0) throw missingSnippets(missing);
  const rows = references.map(({ text: reference, version: snippetVersion, label: snippetLabel }) => {
    const snippetId = snippets.get(reference)!;
    return { workspaceId, promptId, versionNumber, reference, snippetId, snippetVersion, snippetLabel };
  });
  await tx.insert(PromptSnippet, rows);
}

/** Answers 422 when a version contains itself through its snippets, or becomes too large. */
export async function checkExpansion(
  tx: EntityManager,
  { workspaceId, promptId, number: version }: PromptVersion,
  at: Detail['loc'] = AT,
): Promise<void> {
  const graph = await readSnippetGraph(tx, workspaceId, { promptId, version });
  const key = nodeKey(promptId, version);
  const circle = findCircle(graph, key);
  if (circle) {
    const msg = `The snippets would contain each other: ${circle.join(' → ')}`;
    throw new ValidationProblem([{ loc: at, msg, type: 'snippet_circle' }]);
  }
  expandSnippets(graph, graph.get(key)!, null);
}

/** The snippets of the references that can be resolved now, by the text between the marks. */
async function findSnippets(
  tx: EntityManager,
  workspaceId: number,
  references: SnippetReference[],
): Promise<Map<string, number>> {
  const where = { workspaceId, name: In(references.map(({ name }) => name)), deletedAt: IsNull() };
  const prompts = await tx.findBy(PromptRecord, where);
  const promptId = In(prompts.map(({ id }) => id));
  const labels = await tx.findBy(PromptLabel, { workspaceId, promptId });
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]));
  const targets = references.flatMap((reference) => {
    const prompt = byName.get(reference.name);
    const labelled = labels.find(({ promptId: id, name }) => id === prompt?.id && name === reference.label);
    const number = reference.label === null ? (reference.version ?? prompt?.latestVersion) : labelled?.versionNumber;
    return prompt && number ? [{ reference, prompt, number }] : [];
  });
  const completions = await readCompletions(
    tx,
    workspaceId,
    targets.map(({ prompt, number }) => [prompt.id, number]),
  );
  const found = targets.filter(({ prompt, number }) => completions.has(nodeKey(prompt.id, number)));
  return new Map(found.map(({ reference, prompt }) => [reference.text, prompt.id]));
}

/** Filters versions that exist and are completion prompts: only those can be snippets. */
async function readCompletions(tx: EntityManager, workspaceId: number, versions: number[][]): Promise<Set<string>> {
  const rows = await tx.query<{ prompt_id: number; number: number }[]>(
    `SELECT v.prompt_id, v.number FROM unnest($2::int[], $3::int[]) AS t (prompt_id, number)
       JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = t.prompt_id AND v.number = t.number
      WHERE v.template ->> 'type' = 'completion'`,
    [workspaceId, versions.map(([promptId]) => promptId), versions.map(([, number]) => number)],
  );
  return new Set(rows.map((row) => nodeKey(row.prompt_id, row.number)));
}

function missingSnippets(missing: SnippetReference[]): ValidationProblem {
  const names = [...new Set(missing.map(({ name }) => name))];
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  const first = `${names.slice(0, SHOWN_NAMES).join(', ')}${more}`;
  const msg = (text: string) =>
    `There is no completion prompt for the snippet @@@${text}@@@. Suggested order: publish ${first} first, then this prompt.`;
  return new ValidationProblem(missing.map(({ text }) => ({ loc: AT, msg: msg(text), type: 'snippet_missing' })));
}

/** Binds references to a deleted prompt to the new prompt with its name. */
export async function rebindReferences(tx: EntityManager, prompt: PromptRecord): Promise<void> {
  await tx.query(
    `UPDATE prompt_snippets s SET snippet_id = $2 FROM prompts p
      WHERE s.workspace_id = $1 AND p.workspace_id = $1 AND p.id = s.snippet_id AND p.deleted_at IS NOT NULL AND p.name = $3`,
    [prompt.workspaceId, prompt.id, prompt.name],
  );
}
