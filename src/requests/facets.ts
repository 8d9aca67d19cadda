import { createHash } from 'node:crypto';
import type { PromptLink } from '../llm/prompt-reference.js';

/** Longer values are indexed by their hash: an index entry must stay far below a page. */
const LONGEST_VALUE = 200;

/**
 * The exact values a request log can be found by, kept in one indexed array: `model:gpt-4o`, `tag:beta`, `m:user=7`.
 * Writing and searching both use these functions, so that they agree on every entry.
 */
export const modelFacet = (model: string): string => `model:${shorten(model)}`;
export const providerFacet = (provider: string): string => `provider:${shorten(provider)}`;
export const statusFacet = (status: string): string => `status:${status}`;
export const promptFacet = (promptId: number): string => `prompt:${promptId}`;
export const promptVersionFacet = ({ promptId, versionNumber }: PromptLink): string =>
  `prompt:${promptId}:${versionNumber}`;
export const tagFacet = (tag: string): string => `tag:${shorten(tag)}`;

/** A "=" in the key is escaped: `a=b` with the value `c` must not equal `a` with the value `b=c`. */
export const metadataFacet = (key: string, value: string): string =>
  `m:${shorten(key.replace(/[\\=]/g, '\\$&'))}=${shorten(value)}`;

function shorten(value: string): string {
  return value.length <= LONGEST_VALUE ? value : `sha256:${createHash('sha256').update(value).digest('base64url')}`;
}

interface Faceted {
  model: string;
  provider: string;
  status: string;
  tags: string[];
  metadata: Record<string, string>;
}

export function facetsOf(
  { model, provider, status, tags, metadata }: Faceted,
  prompt: PromptLink | null = null,
): string[] {
  return [
    modelFacet(model),
    providerFacet(provider),
    statusFacet(status),
    ...(prompt ? [promptFacet(prompt.promptId), promptVersionFacet(prompt)] : []),
    ...tags.map(tagFacet),
    ...Object.entries(metadata).map(([key, value]) => metadataFacet(key, value)),
  ];
}
