import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditInstallation, type Deed } from '../access/index.js';
import { keepRules, setGroups } from '../administration/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { readEnvironmentProvider } from './environment-provider.js';
import { IdentityProvider, secretPlace } from './identity-provider.entity.js';
import { OIDC_DEFAULTS } from './oidc-defaults.js';
import { groupSource, type Provider, withOpenid } from './provider.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';
import { UserIdentity } from './user-identity.entity.js';

/** Absent fields have their default values. */
export interface NewProvider extends ProviderChange {
  slug: string;
  name: string;
  issuer: string;
  clientId: string;
}

/** Absent fields stay unchanged. */
export type ProviderChange = Partial<
  Omit<IdentityProvider, 'id' | 'slug' | 'clientSecret' | 'createdAt'> & { clientSecret: string | null }
>;

/** The identity providers of the installation: stored ones, and one from the environment. */
@Injectable()
export class IdentityProviders {
  private readonly fromEnvironment: Provider | null;

  constructor(
    private readonly db: DataSource,
    private readonly secrets: Secrets,
    private readonly outbound: OutboundClient,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.fromEnvironment = readEnvironmentProvider(config);
  }

  /** The one from the environment, then stored ones, oldest first. */
  async list(): Promise<Provider[]> {
    const stored = await this.db.manager.find(IdentityProvider, { order: { id: 'ASC' } });
    const others = stored.filter(({ slug }) => slug !== this.fromEnvironment?.slug).map(toProvider);
    return this.fromEnvironment ? [this.fromEnvironment, ...others] : others;
  }

  /** Providers with which people can sign in. */
  async listEnabled(): Promise<Provider[]> {
    return (await this.list()).filter(({ enabled }) => enabled);
  }

  /** Throws identity_provider_not_found. */
  async get(slug: string): Promise<Provider> {
    if (this.fromEnvironment?.slug === slug) return this.fromEnvironment;
    return toProvider(await getStored(this.db.manager, slug));
  }

  /** Throws identity_provider_not_found, also for a disabled one. */
  async getEnabled(slug: string): Promise<Provider> {
    const provider = await this.get(slug);
    if (!provider.enabled) throw SingleSignOnErrors.identity_provider_not_found(slug);
    return provider;
  }

  /** Throws identity_provider_exists, identity_provider_issuer_refused and secrets_key_missing. */
  async create(requestId: string, { clientSecret = null, scopes, ...values }: NewProvider): Promise<Provider> {
    const { slug } = values;
    this.checkIssuer(values.issuer);
    if (this.fromEnvironment?.slug === slug) throw SingleSignOnErrors.identity_provider_exists(slug);
    const encrypted = this.encrypt(slug, clientSecret);
    const row = { ...values, clientSecret: encrypted, scopes: withOpenid(scopes ?? OIDC_DEFAULTS.scopes) };
    return this.db.transaction(async (tx) => {
      const { identifiers } = await tx
        .createQueryBuilder()
        .insert()
        .into(IdentityProvider)
        .values(row)
        .orIgnore()
        .execute();
      if (!identifiers[0]) throw SingleSignOnErrors.identity_provider_exists(slug);
      const stored = await getStored(tx, slug);
      const { name, issuer, admission } = stored;
      await auditInstallation(tx, requestId, [deedOf('create', slug, { name, issuer, admission })]);
      return toProvider(stored);
    });
  }

  /** Throws identity_provider_not_found, identity_provider_read_only, identity_provider_issuer_refused and secrets_key_missing. */
  async update(
    requestId: string,
    slug: string,
    { clientSecret, scopes, ...values }: ProviderChange,
  ): Promise<Provider> {
    if (values.issuer !== undefined) this.checkIssuer(values.issuer);
    const secret = clientSecret === undefined ? {} : { clientSecret: this.encrypt(slug, clientSecret) };
    return this.change(slug, async (tx, { id }) => {
      const change = { ...values, ...secret, ...(scopes !== undefined && { scopes: withOpenid(scopes) }) };
      const fields = Object.keys(change);
      if (fields.length > 0) await tx.update(IdentityProvider, { id }, change);
      const stored = await getStored(tx, slug);
      // Names of fields: one of them is a secret.
      if (fields.length > 0)
        await auditInstallation(tx, requestId, [deedOf('update', slug, { name: stored.name, fields })]);
      return toProvider(stored);
    });
  }

  /** With the identities of users at it and the sessions that began there. Throws as `update`. */
  async delete(requestId: string, slug: string): Promise<void> {
    await this.change(slug, async (tx, { id: providerId, name }) => {
      // Roles by groups end, too.
      const identities = await tx.find(UserIdentity, { where: { providerId }, select: { userId: true } });
      const users = [...new Set(identities.map(({ userId }) => userId))];
      const nothing = users.map((userId) => ({ userId, groups: [] }));
      await setGroups(tx, requestId, { source: groupSource({ slug }), users: nothing });
      await tx.delete(IdentityProvider, { id: providerId });
      await auditInstallation(tx, requestId, [deedOf('delete', slug, { name })]);
    });
  }

  /** The id of the provider's row. The one from the environment gets a row with the first sign-in. */
  async idOf(tx: EntityManager, provider: Provider): Promise<number> {
    const { slug, name, issuer, clientId, scopes } = provider;
    // Without the settings the row is a disabled provider.
    const row = { slug, name, issuer, clientId, scopes, enabled: false };
    if (provider.isFromEnvironment) {
      await tx.createQueryBuilder().insert().into(IdentityProvider).values(row).orIgnore().execute();
    }
    return (await getStored(tx, slug)).id;
  }

  /** Locks a provider until the commit, for transactions that link identities. Lock the provider before users. */
  async keep(tx: EntityManager, provider: Provider): Promise<number> {
    const id = await this.idOf(tx, provider);
    const row = await tx.findOne(IdentityProvider, { where: { id }, lock: { mode: 'for_key_share' } });
    if (!row) throw SingleSignOnErrors.identity_provider_not_found(provider.slug);
    return id;
  }

  /** The provider of a row; null when it was deleted. */
  async findById(id: number): Promise<Provider | null> {
    const row = await this.db.manager.findOneBy(IdentityProvider, { id });
    if (!row) return null;
    return row.slug === this.fromEnvironment?.slug ? this.fromEnvironment : toProvider(row);
  }

  /** Null for a public client. Throws secrets_key_missing. */
  secretOf({ slug, clientSecret }: Provider): string | null {
    return Buffer.isBuffer(clientSecret) ? this.secrets.decrypt(clientSecret, secretPlace(slug)) : clientSecret;
  }

  private encrypt(slug: string, secret: string | null): Buffer | null {
    return secret === null ? null : this.secrets.encrypt(secret, secretPlace(slug));
  }

  /** Plain HTTP is for providers in a private network alone. */
  private checkIssuer(issuer: string): void {
    const problem = this.outbound.findProblem(issuer);
    if (problem) throw SingleSignOnErrors.identity_provider_issuer_refused(problem);
    if (!issuer.startsWith('https:') && !this.config.outboundAllowPrivate) {
      throw SingleSignOnErrors.identity_provider_issuer_refused('It must start with https://.');
    }
  }

  private change<T>(slug: string, change: (tx: EntityManager, row: IdentityProvider) => Promise<T>): Promise<T> {
    if (this.fromEnvironment?.slug === slug) throw SingleSignOnErrors.identity_provider_read_only(slug);
    return this.db.transaction(async (tx) => {
      await keepRules(tx);
      return change(tx, await getStored(tx, slug, { lock: true }));
    });
  }
}

const deedOf = (verb: string, slug: string, details: object): Deed => ({
  action: `identity_provider.${verb}`,
  entityId: slug,
  details,
});

async function getStored(tx: EntityManager, slug: string, { lock = false } = {}): Promise<IdentityProvider> {
  const options = lock ? ({ lock: { mode: 'pessimistic_write' } } as const) : {};
  const row = await tx.findOne(IdentityProvider, { where: { slug }, ...options });
  if (!row) throw SingleSignOnErrors.identity_provider_not_found(slug);
  return row;
}

function toProvider(stored: IdentityProvider): Provider {
  const { id: _, ...row } = stored;
  return { ...row, isFromEnvironment: false };
}
