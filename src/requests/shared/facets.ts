import { createHash } from 'node:crypto';
import type { PromptVersionKey } from '../../llm/shared/prompt-reference.js';
import { nestedMetadata } from '../../llm/records/nested-metadata.js';

/** Longer values are indexed by their hash: an index entry must stay far below a page. */
const LONGEST_VALUE = 200;

/**
 * Facets are the exact values by which a request log can be found, in one indexed array: `7:model:gpt-4o`,
 * `7:tag:beta`, `7:m:user=9`, where 7 is the workspace. Therefore a small workspace never reads the postings of a large
 * one. Writes and searches both use these functions, so that they agree on every entry.
 */
export const modelFacet = (workspaceId: number, model: string): string => `${workspaceId}:model:${shorten(model)}`;
export const providerFacet = (workspaceId: number, provider: string): string =>
  `${workspaceId}:provider:${shorten(provider)}`;
export const statusFacet = (workspaceId: number, status: string): string => `${workspaceId}:status:${shorten(status)}`;
/** Prefix of every facet of a prompt or a version of one. */
export const promptPrefix = (workspaceId: number): string => `${workspaceId}:prompt:`;
export const promptFacet = (workspaceId: number, promptId: number): string => `${promptPrefix(workspaceId)}${promptId}`;
export const promptVersionFacet = (workspaceId: number, { promptId, versionNumber }: PromptVersionKey): string =>
  `${workspaceId}:prompt:${promptId}:${versionNumber}`;
export const tagFacet = (workspaceId: number, tag: string): string => `${workspaceId}:tag:${shorten(tag)}`;
export const environmentFacet = (workspaceId: number, environment: string): string =>
  `${workspaceId}:environment:${shorten(environment)}`;
/** A function that the answer calls. */
export const toolFacet = (workspaceId: number, name: string): string => `${workspaceId}:tool:${shorten(name)}`;
/** A key of the metadata, or the path of a value inside one that holds JSON. */
export const metadataKeyFacet = (workspaceId: number, key: string): string =>
  metadataKeyPrefix(workspaceId) + shorten(key);
export const metadataKeyPrefix = (workspaceId: number): string => `${workspaceId}:k:`;

/** Prefix of every facet of a value at this key or path. */
export const metadataFacetPrefix = (workspaceId: number, key: string): string =>
  // A "=" in the key is escaped: `a=b` with the value `c` must not equal `a` with the value `b=c`.
  `${workspaceId}:m:${shorten(key.replace(/[\\=]/g, '\\$&'))}=`;

export const metadataFacet = (workspaceId: number, key: string, value: string): string =>
  metadataFacetPrefix(workspaceId, key) + shorten(value);

/** Prefix of the hash of a long value. Some short values have it, too. */
export const HASHED = 'sha256:';

function shorten(value: string): string {
  return value.length <= LONGEST_VALUE ? value : `${HASHED}${createHash('sha256').update(value).digest('base64url')}`;
}

/** The fields of a log from which its facets are made; a `RequestLog` is one. */
export interface Faceted {
  workspaceId: number;
  model: string;
  provider: string;
  status: string;
  tags: string[];
  metadata: Record<string, string>;
  toolNames: string[];
  environment: string | null;
}

/** All facets of a log. `prompt` is the version that was called. */
export function facetsOf(
  { workspaceId, model, provider, status, tags, metadata, toolNames, environment }: Faceted,
  prompt: PromptVersionKey | null = null,
): string[] {
  const facets = [
    modelFacet(workspaceId, model),
    providerFacet(workspaceId, provider),
    statusFacet(workspaceId, status),
  ];
  if (prompt) facets.push(promptFacet(workspaceId, prompt.promptId), promptVersionFacet(workspaceId, prompt));
  if (environment !== null) facets.push(environmentFacet(workspaceId, environment));
  for (const tag of tags) facets.push(tagFacet(workspaceId, tag));
  for (const name of toolNames) facets.push(toolFacet(workspaceId, name));
  for (const key of Object.keys(metadata)) addMetadata(facets, workspaceId, [key, metadata[key]!]);
  return facets;
}

function addMetadata(facets: string[], workspaceId: number, [key, text]: [string, string]): void {
  facets.push(metadataKeyFacet(workspaceId, key), metadataFacet(workspaceId, key, text));
  const nested = nestedMetadata(key, text);
  for (const path of nested.paths) facets.push(metadataKeyFacet(workspaceId, path));
  for (const [path, value] of nested.values) facets.push(metadataFacet(workspaceId, path, value));
}
