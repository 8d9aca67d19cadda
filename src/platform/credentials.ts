import { isObject, type JsonObject, type JsonValue } from './json.js';

/** Names under which clients of vendors carry credentials, without case and punctuation. */
const CREDENTIALS = new Set([
  'apikey',
  'xapikey',
  'xgoogapikey',
  'authorization',
  'authorizationtoken',
  'proxyauthorization',
  'awsaccesskeyid',
  'awssecretaccesskey',
  'awssecretkey',
  'awssessiontoken',
  'secretaccesskey',
  'azureadtoken',
]);

/** A copy without credentials, however deep they lie. A JSON Schema may have a property that is called like one. */
export function withoutCredentials<T extends JsonValue>(value: T): T;
export function withoutCredentials(value: JsonValue): JsonValue {
  return copy(value, false);
}

function copy(value: JsonValue, ofSchema: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => copy(item, false));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, item]) => !isCredential(key) || (ofSchema && isObject(item)));
  return Object.fromEntries(kept.map(([key, item]) => [key, copy(item, key === 'properties')])) as JsonObject;
}

function isCredential(key: string): boolean {
  return CREDENTIALS.has(key.toLowerCase().replace(/[^a-z]/g, ''));
}
