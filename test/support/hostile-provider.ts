import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

export const CLIENT_ID = 'tracesheet';
export const CLIENT_SECRET = 'a secret of the client: 100 % & more';

type Claims = Record<string, unknown>;

/** A sign-in that a person has completed at the provider. */
interface Grant {
  claims: Claims;
  challenge: string;
  userinfo: Claims | null;
  /** Makes the ID token from its claims; by default it is signed with the present key. */
  sign?: (claims: JWTPayload) => Promise<string>;
}

interface Key {
  id: string;
  privateKey: CryptoKey;
  publicKey: JWK;
}

/** Request of the server to the token endpoint. */
interface TokenRequest {
  authorization: string | undefined;
  form: URLSearchParams;
}

/** OpenID provider for tests, which can break every rule. */
export class HostileProvider {
  readonly tokenRequests: TokenRequest[] = [];
  /** Requests by path. */
  readonly asked = new Map<string, number>();
  /** Replaces parts of the metadata. */
  metadata: Claims = {};
  /** Answers every request in its place. */
  broken: ((response: ServerResponse) => void) | null = null;
  private readonly grants = new Map<string, Grant>();
  private readonly userinfo = new Map<string, Claims>();

  private constructor(
    private readonly server: Server,
    private key: Key,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<HostileProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HostileProvider(server, await newKey());
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async rotateKeys(): Promise<void> {
    this.key = await newKey();
  }

  /** The code for a person, as the page of the provider would put it into its redirect. */
  grant(
    departed: URL,
    claims: Claims,
    { userinfo = null, sign }: { userinfo?: Claims | null; sign?: Grant['sign'] } = {},
  ): string {
    const code = randomBytes(12).toString('hex');
    const { nonce, code_challenge: challenge = '' } = Object.fromEntries(departed.searchParams);
    this.grants.set(code, { claims: { nonce, ...claims }, challenge, userinfo, sign });
    return code;
  }

  /** A token with the claims of an ID token, which `claims` replace. */
  token(claims: Claims, header: object = {}, key = this.key): Promise<string> {
    return new SignJWT(this.payloadOf(claims))
      .setProtectedHeader({ alg: 'RS256', kid: key.id, ...header })
      .sign(key.privateKey);
  }

  unsigned(claims: Claims): string {
    return new UnsecuredJWT(this.payloadOf(claims)).encode();
  }

  /** Signed with the client's secret. */
  symmetric(claims: Claims): Promise<string> {
    const secret = new TextEncoder().encode(CLIENT_SECRET.padEnd(32));
    return new SignJWT(this.payloadOf(claims)).setProtectedHeader({ alg: 'HS256' }).sign(secret);
  }

  logoutToken(claims: Claims, header: object = {}): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    return this.token({ jti: randomBytes(8).toString('hex'), events, ...claims }, { typ: 'logout+jwt', ...header });
  }

  private payloadOf(claims: Claims): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 300, ...claims };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.issuer);
    this.asked.set(pathname, (this.asked.get(pathname) ?? 0) + 1);
    if (this.broken) return this.broken(response);
    if (pathname === '/.well-known/openid-configuration') return send(response, this.configuration());
    if (pathname === '/jwks') return send(response, { keys: [this.key.publicKey] });
    if (pathname === '/token') return this.exchange(request, response);
    if (pathname === '/userinfo') {
      const claims = this.userinfo.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
      return send(response, claims ?? { error: 'invalid_token' }, claims ? 200 : 401);
    }
    return send(response, {}, 404);
  }

  private configuration(): Claims {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/logout`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...this.metadata,
    };
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readAll(request));
    this.tokenRequests.push({ authorization: request.headers.authorization, form });
    const code = form.get('code') ?? '';
    const grant = this.grants.get(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== verifier) return send(response, { error: 'invalid_grant' }, 400);
    this.grants.delete(code);
    const access = randomBytes(12).toString('hex');
    const { sub } = grant.claims;
    this.userinfo.set(access, { sub, ...grant.userinfo });
    const idToken = await (grant.sign ?? ((claims) => this.token(claims)))(grant.claims);
    send(response, { access_token: access, token_type: 'Bearer', id_token: idToken });
  }
}

export async function newKey(id = randomBytes(4).toString('hex')): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { id, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid: id, alg: 'RS256', use: 'sig' } };
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
