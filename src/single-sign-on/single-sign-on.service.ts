import { Injectable } from '@nestjs/common';
import { type Admitted, Admissions } from './admissions.js';
import { IdentityProviders } from './identity-providers.service.js';
import { OidcClient } from './oidc-client.js';
import type { Provider } from './provider.js';
import { type Departed, type Departure, SignInAttempts } from './sign-in-attempts.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** The callback of a browser from a provider. */
export interface Callback {
  query: URLSearchParams;
  /** Token in the browser's cookie. */
  browserToken: string | undefined;
  /** Network address of the browser. */
  address: string;
}

export interface SignedOn extends Admitted {
  /** The slug of the provider. */
  provider: string;
  /** The session at the provider; null when it names none. */
  sid: string | null;
  /** The ID token that the provider has sent. */
  idToken: string;
  returnTo: string;
  /** True when a signed-in user has linked an identity, which starts no session. */
  isLink: boolean;
}

/** The provider that a session began with, and the ID token that it sent then; null without them. */
export interface SessionAtProvider {
  providerId: number | null;
  idToken: string | null;
}

/** Sign-in with identity providers, from the button to the user. */
@Injectable()
export class SingleSignOn {
  constructor(
    private readonly providers: IdentityProviders,
    private readonly attempts: SignInAttempts,
    private readonly client: OidcClient,
    private readonly admissions: Admissions,
  ) {}

  listProviders(): Promise<Provider[]> {
    return this.providers.listEnabled();
  }

  /** Throws identity_provider_not_found, provider_unreachable and provider_answer_invalid. */
  async begin(slug: string, departure: Departure): Promise<Departed> {
    return this.attempts.begin(await this.providers.getEnabled(slug), departure);
  }

  /** Throws the errors of a sign-in, see `single-sign-on.errors.ts`, and link_invalid. */
  async finish(requestId: string, slug: string, { query, browserToken, address }: Callback): Promise<SignedOn> {
    const provider = await this.providers.getEnabled(slug);
    const attempt = await this.attempts.take(provider, query.get('state') ?? undefined, browserToken);
    if (query.get('error') === 'access_denied') throw SingleSignOnErrors.sign_in_cancelled();
    const callback = new URL(`${attempt.redirectUri}?${query.toString()}`);
    const { person, idToken } = await this.client.exchange(provider, callback, attempt);
    const admitted = await this.admissions.admit({ requestId, provider, person, attempt, address });
    return {
      ...admitted,
      provider: slug,
      sid: person.sid,
      idToken,
      returnTo: attempt.returnTo,
      isLink: attempt.userId !== null,
    };
  }

  /** The page that ends the session at the provider; null without one. Never fails. */
  async logoutUrl({ providerId, idToken }: SessionAtProvider, returnTo: string): Promise<string | null> {
    const provider = providerId === null ? null : await this.providers.findById(providerId);
    return provider && this.client.logoutUrl(provider, returnTo, idToken);
  }
}
