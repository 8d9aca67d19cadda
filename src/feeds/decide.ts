import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Decision, FeedSettings } from './feed-settings.js';
import type { FeedSource, ItemFacts } from './shared/feed-source.js';

/** Maps a key to a number from 0 to 1. Feeds of the same rate choose the same items, and feeds of a lower rate choose some of them. */
export function sampleOf(key: string): number {
  const bits = createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return bits / 2 ** 48;
}

/** Properties of a feed that decide about items, besides the limits. */
export interface DecidingFeed {
  source: FeedSource;
  workspaceId: number;
  settings: FeedSettings;
}

export interface JudgedItem {
  id: string;
  /** `chosen` here means that only limits can exclude the item. */
  decision: Extract<Decision, 'chosen' | 'sampled_out' | 'filtered' | 'deleted'>;
  facts: ItemFacts | null;
}

/** Decides about items by their present state. Keeps their order. */
export async function decide(
  tx: EntityManager,
  { source, workspaceId, settings }: DecidingFeed,
  ids: string[],
): Promise<JudgedItem[]> {
  const facts = await source.facts(tx, workspaceId, ids);
  const first = ids.map((id) => ({ id, facts: facts.get(id) ?? null }));
  const decided = first.map((item) => ({ ...item, decision: decideByFacts(item.facts, settings) }));
  const candidates = decided.filter(({ decision }) => decision === 'chosen').map(({ id }) => id);
  const { filterGroup, q } = settings;
  const matching = new Set(
    filterGroup === null && q === null
      ? candidates
      : await source.matching(tx, workspaceId, { filterGroup, q }, candidates),
  );
  return decided.map((item) =>
    item.decision === 'chosen' && !matching.has(item.id) ? { ...item, decision: 'filtered' } : item,
  );
}

function decideByFacts(facts: ItemFacts | null, { origins, sampleRate }: FeedSettings): JudgedItem['decision'] {
  if (!facts) return 'deleted';
  if (!(origins as readonly string[]).includes(facts.origin)) return 'filtered';
  return sampleOf(facts.sampleKey) < sampleRate ? 'chosen' : 'sampled_out';
}
