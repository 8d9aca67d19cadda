import type { EntityManager } from 'typeorm';
import { readJson } from '../../platform/read-json.js';
import type { PromptLink, PromptReference } from '../../llm/shared/prompt-reference.js';
import { resolvePromptReferences } from '../../prompts/index.js';
import type { IncomingSpan } from './incoming-span.js';

/** The versions of prompts that spans name. Few spans name one, so usually no query runs. */
export async function linkPrompts(tx: EntityManager, spans: IncomingSpan[]): Promise<Map<IncomingSpan, PromptLink>> {
  const naming = spans.filter((span) => span.facts.prompt !== null);
  if (naming.length === 0) return new Map();
  const keys = naming.map(({ workspaceId, facts }) => JSON.stringify([workspaceId, facts.prompt]));
  const distinct = [...new Set(keys)];
  const references = distinct.map((key) => {
    const [workspaceId, reference] = readJson<[number, PromptReference]>(key);
    return { workspaceId, ...reference };
  });
  const links = await resolvePromptReferences(tx, references);
  const byKey = new Map(distinct.map((key, index) => [key, links[index]]));
  return new Map(
    naming.flatMap((span, index) => {
      const link = byKey.get(keys[index]);
      return link ? [[span, link] as const] : [];
    }),
  );
}
