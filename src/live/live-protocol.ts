import { readJson } from '../platform/read-json.js';
import type { JsonObject } from '../platform/json.js';

/** Errors of commands, with the codes that clients expect. */
export const REFUSALS = {
  internal: { code: 100, message: 'internal server error', temporary: true },
  unknownChannel: { code: 102, message: 'unknown channel' },
  permissionDenied: { code: 103, message: 'permission denied' },
  methodNotFound: { code: 104, message: 'method not found' },
  alreadySubscribed: { code: 105, message: 'already subscribed' },
  limitExceeded: { code: 106, message: 'limit exceeded' },
  badRequest: { code: 107, message: 'bad request' },
  notAvailable: { code: 108, message: 'not available' },
  tokenExpired: { code: 109, message: 'token expired' },
} as const;

export type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];

/** Why the server ends a connection. Clients connect again after codes below 3500. */
export const ENDINGS = {
  shutdown: { code: 3001, reason: 'shutdown' },
  expired: { code: 3005, reason: 'connection expired' },
  slow: { code: 3008, reason: 'slow' },
  noPong: { code: 3012, reason: 'no pong' },
  invalidToken: { code: 3500, reason: 'invalid token' },
  badRequest: { code: 3501, reason: 'bad request' },
  stale: { code: 3502, reason: 'stale' },
  connectionLimit: { code: 3504, reason: 'connection limit' },
  inappropriateProtocol: { code: 3506, reason: 'inappropriate protocol' },
} as const;

export type Ending = keyof typeof ENDINGS;

/** An empty object answers a ping. */
export const PING = '{}';

export interface Command {
  id: number;
  method: string;
  params: JsonObject;
}

/** Supported commands. Other commands of the protocol are refused. */
const METHODS = ['connect', 'subscribe', 'unsubscribe', 'ping', 'refresh'] as const;
const NOT_OFFERED = ['publish', 'presence', 'presence_stats', 'history', 'rpc', 'sub_refresh'] as const;

export type Method = (typeof METHODS)[number];

export function isOffered(method: string): method is Method {
  return (METHODS as readonly string[]).includes(method);
}

export function isKnown(method: string): boolean {
  return isOffered(method) || (NOT_OFFERED as readonly string[]).includes(method);
}

/** `pong` for the answer to a ping; null for an invalid command. Fields beside the method are ignored. */
export function readCommand(line: string): Command | 'pong' | null {
  const given = parse(line);
  if (!isObject(given)) return null;
  const { id, ...rest } = given;
  const keys = Object.keys(rest);
  if (id === undefined || id === 0) return keys.length === 0 ? 'pong' : null;
  if (!Number.isSafeInteger(id) || (id as number) < 0) return null;
  const method = keys.find(isKnown) ?? keys[0] ?? '';
  const params = rest[method] ?? {};
  return isObject(params) ? { id: id as number, method, params } : null;
}

/** The non-empty lines of a frame. */
export function linesOf(frame: string): string[] {
  return frame.split('\n').filter((line) => line.trim() !== '');
}

function parse(line: string): unknown {
  try {
    return readJson(line);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
