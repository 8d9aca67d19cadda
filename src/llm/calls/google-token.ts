import { textAt } from '../shared/json-reading.js';
import { createSign } from 'node:crypto';
import { isObject } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import type { ModelConnection } from './connection.js';
import { toServiceError } from './post-json.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFETIME_S = 3600;
/** A token is not used in its last minutes, because a call may take that long. */
const RESERVE_MS = 5 * 60_000;

interface Token {
  text: string;
  untilMs: number;
}

/** Tokens by secret. There are few, and each is replaced by its successor. */
const tokens = new Map<string, Token>();
const MOST_TOKENS = 1000;

/**
 * The access token for a secret. For the key file of a service account it is requested and kept while it is valid; any
 * other secret is itself the token.
 */
export async function googleAccessToken(connection: ModelConnection): Promise<string> {
  const { secret } = connection;
  if (!secret.trimStart().startsWith('{')) return secret;
  const known = tokens.get(secret);
  if (known && known.untilMs > Date.now() + RESERVE_MS) return known.text;
  const token = await askForToken(connection);
  if (tokens.size >= MOST_TOKENS) tokens.clear();
  tokens.set(secret, token);
  return token.text;
}

async function askForToken({ secret, fetch, signal }: ModelConnection): Promise<Token> {
  const account = readJson(secret);
  const [email, key] = [textAt(account, 'client_email'), textAt(account, 'private_key')];
  if (email === null || key === null) {
    throw new Error('The secret is no key file of a service account: it has no client_email and private_key.');
  }
  const url = textAt(account, 'token_uri') ?? TOKEN_URL;
  const nowS = Math.floor(Date.now() / 1000);
  const claims = { iss: email, scope: SCOPE, aud: url, iat: nowS, exp: nowS + LIFETIME_S };
  const assertion = signedToken(claims, key);
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  const response = await fetch(url, { method: 'POST', body, signal });
  const text = await response.text();
  if (!response.ok) throw toServiceError(response, text);
  const answer = readJson(text);
  const token = textAt(answer, 'access_token');
  if (token === null) throw new Error('The service for access tokens gave none.');
  const lifetimeS = isObject(answer) && typeof answer.expires_in === 'number' ? answer.expires_in : LIFETIME_S;
  return { text: token, untilMs: Date.now() + lifetimeS * 1000 };
}

function signedToken(claims: object, key: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}
