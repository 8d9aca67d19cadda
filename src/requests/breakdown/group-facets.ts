import {
  environmentFacet,
  HASHED,
  metadataFacetPrefix,
  modelFacet,
  promptPrefix,
  providerFacet,
  tagFacet,
} from '../shared/facets.js';

/** A kind of facets by which request logs are grouped. */
export interface RequestGroup {
  /** Prefix of the facets. */
  prefix: (workspaceId: number) => string;
  /** Rest of the facets, as a regular expression of PostgreSQL. */
  rest: string;
}

/** The facets of long values have hashes, which cannot be shown. */
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
