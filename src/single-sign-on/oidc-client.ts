import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  compactVerify,
  createRemoteJWKSet,
  decodeJwt,
  customFetch as keysFetch,
  jwtVerify,
  type JWTPayload,
} from 'jose';
import * as oidc from 'openid-client';
import { CONFIG, type Config } from '../platform/config/config.js';
import { OutboundClient, OutboundFailure } from '../platform/outbound/outbound.client.js';
import { Problem } from '../platform/errors/problem.js';
import { type Claims, needsUserinfo, type Person, readPerson } from './claims.js';
import { IdentityProviders } from './identity-providers.service.js';
import type { Provider } from './provider.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** Limit of one request to a provider, and of all requests of a sign-in together, in milliseconds. */
const REQUEST_MS = 4000;
const TOTAL_MS = 9000;
/** Metadata and keys are small. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Discovered metadata are read again after this time, in milliseconds. */
const METADATA_MS = 3_600_000;
const CLOCK_TOLERANCE_SECONDS = 30;
const LOGOUT_TOKEN_AGE = '5 minutes';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Asymmetric algorithms only: with symmetric ones, anybody who knows the client secret could sign in as any person. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const STALE_KEYS = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'];

export interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The session or the person that a provider signs out. */
export interface Logout {
  jti: string;
  subject: string | null;
  sid: string | null;
}

/** The person of a completed sign-in, with the ID token. */
export interface Exchanged {
  person: Person;
  idToken: string;
}

/** A provider after its discovery. */
interface Discovered {
  configuration: oidc.Configuration;
  keys: ReturnType<typeof createRemoteJWKSet>;
}

/** Speaks OpenID Connect with providers: authorization code flow with PKCE, and the two kinds of logout. */
@Injectable()
export class OidcClient {
  private readonly log = new Logger('SingleSignOn');
  private readonly known = new Map<string, { key: string; until: number; discovered: Promise<Discovered> }>();

  constructor(
    private readonly providers: IdentityProviders,
    private readonly outbound: OutboundClient,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The page of the provider. Throws provider_unreachable and provider_answer_invalid. */
  authorizationUrl(provider: Provider, redirectUri: string, { state, nonce, verifier }: SignInChecks): Promise<URL> {
    return this.guarded(provider, async () => {
      const { configuration } = await this.discover(provider);
      return oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: provider.scopes,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    });
  }

  /** Reads the person of a callback. Throws provider_unreachable, provider_answer_invalid and groups_unreadable. */
  exchange(provider: Provider, callback: URL, { state, nonce, verifier }: SignInChecks): Promise<Exchanged> {
    return this.guarded(provider, async () => {
      const discovered = await this.discover(provider);
      const { configuration } = discovered;
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
      const tokens = await oidc.authorizationCodeGrant(configuration, callback, checks);
      const idToken = tokens.id_token!;
      await verifySignature(idToken, discovered.keys);
      const claims = tokens.claims()! as Claims & { sub: string };
      const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const userinfo =
        hasUserinfo && needsUserinfo(claims, provider.groupsClaim)
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : null;
      return { person: readPerson(claims, userinfo, provider.groupsClaim), idToken };
    });
  }

  /**
   * The page that ends the session at the provider; null without one, and when the provider does not answer. With the ID token of the
   * session the provider need not ask whether the person wants that.
   */
  async logoutUrl(provider: Provider, returnTo: string, idToken: string | null): Promise<string | null> {
    try {
      const { configuration } = await this.guarded(provider, () => this.discover(provider));
      const { issuer, end_session_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined) return null;
      const parameters: Record<string, string> = { post_logout_redirect_uri: returnTo };
      if (idToken !== null && isFor(idToken, issuer, provider.clientId)) parameters.id_token_hint = idToken;
      return oidc.buildEndSessionUrl(configuration, parameters).href;
    } catch {
      return null;
    }
  }

  /** Throws logout_token_invalid and provider_unreachable. Whether the token was used before is for the caller to check. */
  async verifyLogoutToken(provider: Provider, token: string): Promise<Logout> {
    const { configuration, keys } = await this.guarded(provider, () => this.discover(provider));
    const { issuer } = configuration.serverMetadata();
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: provider.clientId,
        algorithms: ALGORITHMS,
        maxTokenAge: LOGOUT_TOKEN_AGE,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return readLogout(payload);
    } catch (error) {
      if (isUnreachable(error)) throw SingleSignOnErrors.provider_unreachable();
      this.log.warn(`A logout token of ${provider.slug} was refused: ${reasonsOf(error)}`);
      throw SingleSignOnErrors.logout_token_invalid();
    }
  }

  /** Metadata of a provider, read once an hour and after every change of the provider. */
  private discover(provider: Provider): Promise<Discovered> {
    const { slug, issuer, clientId } = provider;
    const secret = this.providers.secretOf(provider);
    const key = createHash('sha256')
      .update(JSON.stringify([issuer, clientId, secret]))
      .digest('base64');
    const known = this.known.get(slug);
    if (known && known.key === key && known.until > Date.now()) return known.discovered;
    const discovered = this.readMetadata(issuer, clientId, secret);
    const entry = { key, until: Date.now() + METADATA_MS, discovered };
    this.known.set(slug, entry);
    // A provider that is down is asked again with the next sign-in.
    discovered.catch(() => this.known.get(slug) === entry && this.known.delete(slug));
    return discovered;
  }

  private async readMetadata(issuer: string, clientId: string, secret: string | null): Promise<Discovered> {
    const configuration = await oidc.discovery(new URL(issuer), clientId, {}, authenticationWith(secret), {
      [oidc.customFetch]: this.fetch,
      timeout: REQUEST_MS / 1000,
      execute: this.config.outboundAllowPrivate ? [oidc.allowInsecureRequests] : [],
    });
    const { jwks_uri: keysUri } = configuration.serverMetadata();
    if (keysUri === undefined) throw new Error('The metadata have no jwks_uri.');
    const options = { timeoutDuration: REQUEST_MS, [keysFetch]: this.fetch };
    return { configuration, keys: createRemoteJWKSet(new URL(keysUri), options) };
  }

  /** The guarded `fetch` with a limit of the answer's size. */
  private readonly fetch = async (url: string, init: FetchInit): Promise<Response> => {
    if (!url.startsWith('https:') && !this.config.outboundAllowPrivate) {
      throw new OutboundFailure('The URL is refused. It must start with https://.');
    }
    const { status, headers, body, truncated } = await this.outbound.send({
      url,
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(init.body && { body: textOf(init.body) }),
      timeoutMs: REQUEST_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      signal: init.signal ?? undefined,
    });
    if (status >= 500) throw new OutboundFailure(`The provider answered ${status}.`);
    if (truncated) throw new OutboundFailure('The answer of the provider is too large.');
    const type = headers['content-type'];
    const content = status === 204 || status === 304 ? null : new Uint8Array(body);
    return new Response(content, { status, headers: type ? { 'content-type': String(type) } : {} });
  };

  /** Limits the time, and turns failures into errors with a code. Logs the reason for the operator. */
  private async guarded<T>(provider: Provider, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new OutboundFailure('The provider takes too long.')), TOTAL_MS);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.log.warn(`Identity provider ${provider.slug}: ${reasonsOf(error)}`);
      throw isUnreachable(error)
        ? SingleSignOnErrors.provider_unreachable()
        : SingleSignOnErrors.provider_answer_invalid();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** False once the operator has changed the issuer or the client: the provider would refuse the logout. */
function isFor(idToken: string, issuer: string, clientId: string): boolean {
  const { iss, aud } = decodeJwt(idToken);
  return iss === issuer && [aud].flat().includes(clientId);
}

interface FetchInit {
  method?: string;
  headers?: HeadersInit;
  body?: oidc.FetchBody;
  signal?: AbortSignal | null;
}

/** Requests to providers have forms for bodies. */
function textOf(body: oidc.FetchBody): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('A request to a provider has an unknown kind of body.');
}

/** Authenticates with a secret by a method of the metadata, preferably in the header. Without a secret it is a public client. */
function authenticationWith(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const usesPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    return (usesPost ? post : basic)(server, client, body, headers);
  };
}

/** Keys are read again when none fits: the provider may have rotated them a moment ago. */
async function verifySignature(token: string, keys: Discovered['keys']): Promise<void> {
  const verify = () => compactVerify(token, keys, { algorithms: ALGORITHMS });
  try {
    await verify();
  } catch (error) {
    if (!STALE_KEYS.includes((error as { code?: string }).code ?? '')) throw error;
    await keys.reload();
    await verify();
  }
}

/** Throws an Error that completes "was refused:". */
function readLogout({ jti, sub, sid, iat, nonce, events }: JWTPayload): Logout {
  const event = (events as Record<string, unknown> | undefined)?.[LOGOUT_EVENT];
  if (typeof event !== 'object' || event === null) throw new Error('it is no logout token (events)');
  if (nonce !== undefined) throw new Error('it has a nonce, as ID tokens do');
  if (iat === undefined || !jti) throw new Error('it has no iat or no jti');
  const subject = typeof sub === 'string' ? sub : null;
  const session = typeof sid === 'string' ? sid : null;
  if (subject === null && session === null) throw new Error('it names neither a session nor a person');
  return { jti, subject, sid: session };
}

/** An error with its causes. */
function* causesOf(error: unknown): Generator<Error & { code?: string }> {
  for (let at = error; at instanceof Error; at = at.cause) yield at;
}

function isUnreachable(error: unknown): boolean {
  return [...causesOf(error)].some(
    (each) =>
      each instanceof OutboundFailure ||
      each.name === 'TimeoutError' ||
      ['OAUTH_TIMEOUT', 'ERR_JWKS_TIMEOUT'].includes(each.code ?? ''),
  );
}

const reasonsOf = (error: unknown): string => [...causesOf(error)].map(({ message }) => message).join(': ');
