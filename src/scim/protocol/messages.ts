import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { ScimErrors } from '../shared/scim.errors.js';
import type { Operation } from './patch.js';
import type { ResourceType } from './schemas.js';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const MOST_OPERATIONS = 1000;

/** The body of a POST or PUT. Its attributes are not checked. Throws scim_syntax_invalid. */
export function readResource(type: ResourceType, body: unknown): JsonObject {
  const resource = requireObject(body);
  requireSchema(resource, type.core.id);
  return resource;
}

/** The operations of a PATCH, whose names some providers write in other letter case. Throws scim_syntax_invalid. */
export function readOperations(body: unknown): Operation[] {
  const message = requireObject(body);
  requireSchema(message, PATCH_SCHEMA);
  const operations = field(message, 'operations');
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MOST_OPERATIONS) {
    throw ScimErrors.scim_syntax_invalid(`"Operations" should be a list of 1 to ${MOST_OPERATIONS} operations.`);
  }
  return operations.map(readOperation);
}

function readOperation(given: JsonValue): Operation {
  const operation = isObject(given) ? given : {};
  const name = String(field(operation, 'op')).toLowerCase();
  const path = field(operation, 'path') ?? null;
  const isKnown = name === 'add' || name === 'replace' || name === 'remove';
  if (!isKnown) throw ScimErrors.scim_syntax_invalid('"op" should be add, replace or remove.');
  if (path !== null && typeof path !== 'string') throw ScimErrors.scim_syntax_invalid('"path" should be a text.');
  return { op: name, path: path === '' ? null : path, value: field(operation, 'value') };
}

function requireObject(body: unknown): JsonObject {
  if (isObject(body as JsonValue)) return body as JsonObject;
  throw ScimErrors.scim_syntax_invalid('it should be a JSON object.');
}

/** Some clients leave `schemas` out. */
function requireSchema(message: JsonObject, id: string): void {
  const schemas = field(message, 'schemas');
  if (schemas === undefined) return;
  const isListed = Array.isArray(schemas) && schemas.some((each) => String(each).toLowerCase() === id.toLowerCase());
  if (!isListed) throw ScimErrors.scim_syntax_invalid(`"schemas" should contain "${id}".`);
}

/** Names have no letter case. */
function field(object: JsonObject, name: string): JsonValue | undefined {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}

export interface ListResponse<T> {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: T[];
}

export function listResponse<T>(Resources: T[], totalResults: number, startIndex: number): ListResponse<T> {
  return { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: Resources.length, Resources };
}
