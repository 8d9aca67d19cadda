import {
  environmentFacet,
  HASHED,
  metadataFacetPrefix,
  modelFacet,
  promptPrefix,
  providerFacet,
  tagFacet,
} from '../facets.js';

/** A kind of facets by which request logs are grouped. */
export interface RequestGroup {
  /** How the facets of the kind begin. */
  prefix: (workspaceId: number) => string;
  /** What follows, as a regular expression of PostgreSQL. */
  rest: string;
}

/** Long values have a hash in their facet, which is nothing to show. */
const PLAIN = `^(?!${HASHED})`;

export const REQUEST_GROUPS = {
  model: { prefix: (ws) => modelFacet(ws, ''), rest: PLAIN },
  provider: { prefix: (ws) => providerFacet(ws, ''), rest: PLAIN },
  prompt: { prefix: promptPrefix, rest: '^[0-9]+$' },
  prompt_version: { prefix: promptPrefix, rest: '^[0-9]+:[0-9]+$' },
  user: { prefix: (ws) => metadataFacetPrefix(ws, 'user_id'), rest: PLAIN },
  tag: { prefix: (ws) => tagFacet(ws, ''), rest: PLAIN },
  environment: { prefix: (ws) => environmentFacet(ws, ''), rest: PLAIN },
} satisfies Record<string, RequestGroup>;

export type BreakdownKind = keyof typeof REQUEST_GROUPS;
export const BREAKDOWN_KINDS = Object.keys(REQUEST_GROUPS) as BreakdownKind[];
