import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import Provider, { type ClientMetadata } from 'oidc-provider';

/** A certified OpenID provider, with a page on which users type their names. */
export class RealProvider {
  /** Claims by the typed name. */
  readonly people = new Map<string, Record<string, unknown>>();

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /** Cookies of another host are those of another site, as at a real provider. */
  static async start(client: ClientMetadata, host = '127.0.0.1'): Promise<RealProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
    const real = new RealProvider(server, issuer);
    const provider = new Provider(issuer, {
      clients: [{ grant_types: ['authorization_code'], response_types: ['code'], ...client }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        // The page of the package loads a font from the internet.
        rpInitiatedLogout: {
          logoutSource: (context: LogoutContext, form: string) => void (context.body = logoutPage(context, form)),
        },
      },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...real.people.get(sub) }) }),
      // Its own protection refuses addresses of this machine.
      fetch: (url: string, init: RequestInit) => fetch(url, { ...init, dispatcher: undefined } as RequestInit),
      cookies: { keys: ['a key of this test'] },
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url!.startsWith('/interaction/')) return void answer(request, response);
      void interact(provider, request, response);
    });
    return real;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const PAGE = `<!doctype html><html lang="en"><title>Provider</title>
<form method="post"><label>Name <input name="name"></label> <button>Continue</button></form></html>`;

interface LogoutContext {
  body: string;
  oidc: { session: { accountId?: string }; entities: { IdTokenHint?: { payload: { sub: string } } } };
}

/** Asks the person, unless the ID token of the session says who wants to sign out (OpenID Connect RP-Initiated Logout, section 2). */
function logoutPage({ oidc }: LogoutContext, form: string): string {
  const isCertain = oidc.entities.IdTokenHint?.payload.sub === oidc.session.accountId;
  return isCertain ? signingOutPage(form) : questionPage(form);
}

const questionPage = (form: string) => `<!doctype html><html lang="en"><title>Provider</title>${form}
<button form="op.logoutForm" name="logout" value="yes">Sign me out</button></html>`;

const signingOutPage = (form: string) => `<!doctype html><html lang="en"><title>Provider</title>${form}
<input type="hidden" form="op.logoutForm" name="logout" value="yes"><script>document.forms[0].submit()</script></html>`;

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(PAGE);
  const accountId = new URLSearchParams(await readAll(request)).get('name')!;
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope('openid email profile');
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}
