import { createHash } from 'node:crypto';
import type { JsonValue } from '../../platform/json.js';
import { ScimErrors } from '../shared/scim.errors.js';

/** The version of a resource by its content. It is weak: equal content may be written in other ways. */
export function versionOf(content: JsonValue): string {
  return `W/"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`;
}

const isNamed = (header: string, version: string): boolean =>
  header.trim() === '*' || tagsIn(header).includes(version.replace(/^W\//, ''));

const tagsIn = (header: string): string[] => header.match(/"[^"]*"/g) ?? [];

/** Throws scim_version_outdated when If-Match names other versions. */
export function requireVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch !== undefined && !isNamed(ifMatch, version)) throw ScimErrors.scim_version_outdated();
}

/** Whether If-None-Match names the version: the client has the resource already. */
export const isKnown = (ifNoneMatch: string | undefined, version: string): boolean =>
  ifNoneMatch !== undefined && isNamed(ifNoneMatch, version);
